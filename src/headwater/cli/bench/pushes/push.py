"""`headwater bench push`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table, progress_console

__all__ = ["bench_push"]


def bench_push(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where results and scratch data go.")
    ] = Path("bench-results/push"),
    quick: Annotated[bool, typer.Option("--quick", help="A hundredth of the size, in a minute.")] = False,
    as_json: JsonOption = False,
) -> None:
    """An incremental push against a full recompute by Spark: CPU-seconds, wall time, and how both grow.

    Example: `headwater bench push --quick`
    """
    from headwater.bench.push import run

    scale = 100 if quick else 1
    console = progress_console()
    rows = run(
        str(out),
        5_000_000 // scale,
        1_000_000 // scale,
        tuple(size // scale for size in (1_000, 10_000, 100_000)),
        tuple(size // scale for size in (100_000, 1_000_000, 10_000_000)),
        lambda text: console.print(text),
    )
    answer = [asdict(row) | {"ratio": row.ratio} for row in rows]
    out.mkdir(parents=True, exist_ok=True)
    (out / "push.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
        return
    numbers = ("push CPU s", "push s", "compared CPU s", "compared s", "ratio", "Spark jobs")
    print_table(
        "deltas: compared with a full recompute by Spark; growth: compared with the smallest relation",
        ("experiment", "case", *numbers),
        [
            (
                row.experiment,
                row.case,
                f"{row.push_cpu_s:.2f}",
                f"{row.push_s:.3f}",
                "" if row.other_cpu_s is None else f"{row.other_cpu_s:.2f}",
                "" if row.other_s is None else f"{row.other_s:.2f}",
                "" if row.ratio is None else f"{row.ratio:.2f}",
                row.jobs,
            )
            for row in rows
        ],
        right=numbers,
    )

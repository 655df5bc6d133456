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
    pushes: Annotated[
        int | None,
        typer.Option(help="Instead, so many pushes of random updates: does their cost stay flat?", min=10),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """An incremental push against a full recompute by Spark: CPU-seconds, wall time, and how both grow.

    Example: `headwater bench push --quick`
    """
    if pushes is not None:
        _many(out, pushes, as_json)
        return
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


def _many(out: Path, pushes: int, as_json: bool) -> None:
    """Random updates, push after push."""
    from headwater.bench.many_pushes import run

    console = progress_console()
    out.mkdir(parents=True, exist_ok=True)
    stretches = run(str(out), pushes, lambda text: console.print(text))
    answer = [asdict(stretch) for stretch in stretches]
    (out / "many_pushes.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
        return
    numbers = ("pushes", "push CPU s", "push s", "merges CPU s", "rows of source", "of view", "live", "files")
    print_table(
        "5,000 of 100,000 rows updated before every push; medians of each tenth, rows stored at its end",
        numbers,
        [
            (
                f"{stretch.pushes:,}",
                f"{stretch.push_cpu_s:.2f}",
                f"{stretch.push_s:.2f}",
                f"{stretch.merge_cpu_s:.1f}",
                f"{stretch.source_rows:,}",
                f"{stretch.view_rows:,}",
                f"{stretch.live_rows:,}",
                stretch.files,
            )
            for stretch in stretches
        ],  # fmt: skip
        right=numbers,
    )

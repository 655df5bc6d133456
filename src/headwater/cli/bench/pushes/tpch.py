"""`headwater bench tpch`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table, progress_console

__all__ = ["bench_tpch"]


def bench_tpch(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where results and scratch data go.")
    ] = Path("bench-results/tpch"),
    scale: Annotated[float, typer.Option(min=0.001, help="1 is 1.5 million orders.")] = 0.1,
    rounds: Annotated[int, typer.Option(min=1, help="Refreshes that count, after nine that warm up.")] = 3,
    as_json: JsonOption = False,
) -> None:
    """TPC-H's 22 queries as views: a push of all after its refresh functions against Spark's recompute.

    Example: `headwater bench tpch --scale 0.01`
    """
    from headwater.bench.tpch.refreshes import run

    console = progress_console()
    done = run(str(out), scale, rounds, tell=lambda text: console.print(text))
    answer = asdict(done) | {"ratio": done.ratio}
    out.mkdir(parents=True, exist_ok=True)
    (out / "tpch.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
        return
    numbers = ("push CPU s", "push s", "recompute CPU s", "recompute s", "ratio")
    print_table(
        f"22 views, scale {scale:g}, {done.changed_rows:,} rows changed by a refresh",
        ("pushed", *numbers),
        [
            (
                ", ".join(done.modes),
                f"{done.push_cpu_s:.2f}",
                f"{done.push_s:.2f}",
                f"{done.recompute_cpu_s:.2f}",
                f"{done.recompute_s:.2f}",
                f"{done.ratio:.2f}",
            )
        ],
        right=numbers,
    )

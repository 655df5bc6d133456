"""`headwater bench views`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, print_table, progress_console

__all__ = ["bench_views"]


def bench_views(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where results and scratch data go.")
    ] = Path("bench-results/views"),
    tables: Annotated[int, typer.Option(min=2, help="Tables of a thousand rows, five views each.")] = 40,
    as_json: JsonOption = False,
) -> None:
    """Many small views: the first push of a new process against Spark's recompute of all of them.

    Example: `headwater bench views --tables 10`
    """
    from headwater.bench.cold_views import run

    console = progress_console()
    done = run(str(out), tables, tell=lambda text: console.print(text))
    answer = asdict(done) | {"ratio": done.ratio}
    (out / "views.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
        return
    costs = {"first computation": done.first, "push": done.push, "recompute by Spark": done.recompute}
    print_table(
        f"{done.views} views of {done.tables} tables, {done.changed_rows:,} rows changed;"
        f" a recompute takes {done.ratio:.2f} times a push",
        ("process", "CPU s", "s"),
        [(name, f"{cost.cpu_seconds:.1f}", f"{cost.seconds:.1f}") for name, cost in costs.items()],
        right=("CPU s", "s"),
    )

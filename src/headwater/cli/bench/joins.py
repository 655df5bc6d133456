"""`headwater bench joins`: the paper's Figures 6 to 9 again, with real tuples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console

__all__ = ["bench_joins"]


def bench_joins(
    out: Annotated[
        Path, typer.Option("--out", callback=local_folder, help="Where results.json and the plots go.")
    ] = Path("bench-results/joins"),
    quick: Annotated[bool, typer.Option("--quick", help="A small version, in seconds.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Join adaptation under overload: every policy, real tuples, beside the paper's values.

    Reads the recorded sensors from HEADWATER_DATA or ../shared/data where present; a generator stands in.

    Examples:

        headwater bench joins

        headwater bench joins --quick --out joins --json
    """
    from headwater.bench.joins import run_bench

    progress = progress_console()
    measured = run_bench(out, quick, lambda words: progress.print(words, style="dim"))
    if as_json:
        print_json(measured)
        return
    rows = [(row["what"], row["paper"], row["measured"]) for row in measured["summary"]]
    print_table("Join adaptation", ["what", "paper", "measured"], rows)
    console().print(f"{len(measured['plots'])} plots and results.json are in {out}")

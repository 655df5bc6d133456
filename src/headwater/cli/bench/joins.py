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
    execute: Annotated[
        bool, typer.Option("--execute", help="On Spark: adapted joins, offered three times what they probe.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Join adaptation under overload: every policy, real tuples, beside the paper's values.

    Reads the recorded sensors from HEADWATER_DATA or ../shared/data where present; a generator stands in.

    Examples:

        headwater bench joins

        headwater bench joins --quick --out joins --json

        headwater bench joins --execute
    """
    if execute:
        _execute(out, quick, as_json)
        return
    from headwater.bench.joins import run_bench

    progress = progress_console()
    measured = run_bench(out, quick, lambda words: progress.print(words, style="dim"))
    if as_json:
        print_json(measured)
        return
    rows = [(row["what"], row["paper"], row["measured"]) for row in measured["summary"]]
    print_table("Join adaptation", ["what", "paper", "measured"], rows)
    console().print(f"{len(measured['plots'])} plots and results.json are in {out}")


def _execute(out: Path, quick: bool, as_json: bool) -> None:
    from headwater.bench.joins.execution.executed import run_executed

    with progress_console().status("joins") as status:
        results = run_executed(out, quick, lambda what: status.update(f"joins: {what}"))
    if as_json:
        print_json(results)
        return
    rows = [
        (row["plan"], row["policy"], f"{row['tolerance']:g}", f"{row['results']:,}", f"{row['share']:.1%}",
         f"{row['of_predicted']:.1%}", str(row["stale_results"]), "yes" if row["equal"] else "NO",
         f"{row['seconds_per_push']:.1f} s")
        for row in results["executed"]
    ]  # fmt: skip
    columns = ("windows", "results", "of all", "of predicted", "stale", "verified", "a push")
    print_table("Adapted joins on Spark", ["plan", "policy", *columns], rows, right=columns)

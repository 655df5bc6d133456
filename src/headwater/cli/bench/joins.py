"""`headwater bench joins`: the paper's Figures 6 to 9 again, with real tuples."""

from __future__ import annotations

from collections.abc import Sequence
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
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="With --execute: only this part; may be given several times."),
    ] = None,
    pushes: Annotated[
        int | None, typer.Option("--pushes", min=4, help="With --execute: of each plan, under its limit.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Join adaptation under overload: every policy, real tuples, beside the paper's values.

    Reads the recorded sensors from HEADWATER_DATA or ../shared/data where present; a generator stands in.

    Examples:

        headwater bench joins

        headwater bench joins --quick --out joins --json

        headwater bench joins --execute

        headwater bench joins --execute --part bushy --part live
    """
    if execute:
        _execute(out, quick, as_json, part or (), pushes)
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


def _execute(out: Path, quick: bool, as_json: bool, parts: Sequence[str], pushes: int | None) -> None:
    from headwater.bench.joins.execution.run import PARTS, PUSHES, run_executed

    if wrong := [part for part in parts if part not in PARTS]:
        raise typer.BadParameter(f"there is no part {wrong[0]}; parts are {', '.join(PARTS)}")
    progress = progress_console()
    results = run_executed(
        out, quick, lambda what: progress.print(what, style="dim"), parts or PARTS, pushes or PUSHES
    )
    if as_json:
        print_json(results)
        return
    rows = [
        (row["plan"], row["policy"], f"{row['tolerance']:g}", f"{row['results']:,}", f"{row['share']:.1%}",
         f"{row['share_said']:.1%}", f"{row['of_predicted']:.1%}", str(row["stale_results"]),
         f"{row['cpu_seconds_per_push']:.1f} s")
        for part in results.values() for row in part.get("executed", ())
    ]  # fmt: skip
    columns = ("windows", "results", "of all", "status says", "of predicted", "stale", "CPU a push")
    if rows:
        print_table("Adapted joins on Spark", ["plan", "policy", *columns], rows, right=columns)
    bars = [
        (part, bar, "yes" if met else "NO")
        for part, found in results.items()
        for bar, met in found["bars"].items()
    ]
    print_table("Bars", ["part", "bar", "met"], bars)
    console().print(f"Everything that was measured is in {out}")

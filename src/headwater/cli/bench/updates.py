"""`headwater bench updates`: the UpStream figures, the marks, real quotes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console

__all__ = ["bench_updates"]


def bench_updates(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Folder for plots and results.json.")
    ] = Path("bench-results/updates"),
    quick: Annotated[bool, typer.Option("--quick", help="A small version that takes seconds.")] = False,
    execute: Annotated[
        bool, typer.Option("--execute", help="On Spark: policies against the simulated queue, many keys.")
    ] = False,
    quotes: Annotated[
        Path | None,
        typer.Option(
            "--quotes", metavar="FILE", help="With --execute: quotes_*.csv.gz of TAQ, the trace then."
        ),
    ] = None,
    replay: Annotated[
        float,
        typer.Option(
            min=0.0, help="With --execute --quotes: feed them to a run for so many minutes; 0: not."
        ),
    ] = 0.0,
    load: Annotated[
        list[float] | None,
        typer.Option(min=0.0, help="With --execute: compare policies at this load (repeat); 0: not at all."),
    ] = None,
    kills: Annotated[
        int, typer.Option("--kills", min=0, help="With --execute: kill a run that chooses so many times.")
    ] = 0,
    keys: Annotated[
        int, typer.Option("--keys", min=0, help="With --execute: pushes of so many keys; 0: none.")
    ] = 1_000_000,
    as_json: JsonOption = False,
) -> None:
    """Update queues under overload: the paper's figures again, and the marks.

    With --execute the same policies run inside pushes, on Spark and Delta tables, in the time of a trace.

    Examples: `headwater bench updates --quick --out updates`,
    `headwater bench updates --execute --quick --keys 0`,
    `headwater bench updates --execute --load 0 --keys 0 --kills 20`,
    `headwater bench updates --execute --keys 0 --quotes quotes.csv.gz --replay 5`
    """
    progress = progress_console()
    if execute:
        from headwater.bench.updates.executed.experiment import run_executed

        with progress.status("updates") as status:
            executed = run_executed(
                out,
                quick,
                quotes,
                keys,
                kills,
                replay,
                load or (),
                lambda what: status.update(f"updates: {what}"),
            )
        if as_json:
            print_json(executed)
            return
        _print_executed(executed)
        return
    from headwater.bench.updates.experiment import run_experiments

    with progress.status("updates") as status:
        results = run_experiments(out, quick, lambda what: status.update(f"updates: {what}"))
    if as_json:
        print_json(results)
        return
    _print(results)
    console().print(f"Plots and results.json are in {out}")


def _print(results: dict[str, Any]) -> None:
    rows = [
        (bar["bar"], bar["wanted"], bar["measured"], "yes" if bar["met"] else "NO") for bar in results["bars"]
    ]
    print_table("Marks", ["mark", "wanted", "measured", "met"], rows, right=["measured"])
    _print_rows("Application staleness in updates, Zipf keys", results["policies"])
    _print_rows("Real quotes (symbol and exchange)", results["quotes"])
    _print_rows("Queue of 100,000 keys, rows per second of CPU", results["throughput"])
    _print_rows("A long trace through the command", results["long_trace"])


def _print_executed(results: dict[str, Any]) -> None:
    policies = [
        {name: value for name, value in row.items() if name != "over_time"} for row in results["policies"]
    ]
    _print_rows("Mean staleness of keys, executed on Spark", policies)
    _print_rows("Real quotes fed to a run, ten times too many (halves of the time)", results["replay"])
    _print_rows("Pushes of many keys, promise 30 s", results["many_keys"])
    _print_rows("A run that is killed while it chooses", results["kills"])


def _print_rows(title: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    titles = [name.replace("_over_", "/").replace("inplace/fifo", "in/fifo") for name in names]
    print_table(title, titles, cells, right=titles)


def _cell(value: object) -> str:
    match value:
        case float() if abs(value) >= 10_000:
            return f"{value:,.0f}"
        case float():
            return f"{value:.3g}"
        case int():
            return f"{value:,}"
        case _:
            return str(value)

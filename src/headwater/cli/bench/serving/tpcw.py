"""`headwater bench tpcw`: the paper's Figures 5, 6 and 7 on the store."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json

if TYPE_CHECKING:
    from headwater.bench.store.tpcw.measure import Measured

__all__ = ["bench_tpcw"]

SMALLEST, QUICK = 1_000, 20  # customers at the first scale: enough to fill every page


def bench_tpcw(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Folder for the plot, results.json and the stores.")
    ] = Path("bench-results/tpcw"),
    quick: Annotated[bool, typer.Option("--quick", help="From 20 customers on, in seconds.")] = False,
    as_json: JsonOption = False,
) -> None:
    """TPC-W's interactions on the store at three scales, each ten times the one before.

    p50 and p99 of each interaction, Buy Confirm with and without the maintenance of views, and refreshes of
    best sellers and admin confirm in 1, 10 and 100 partitions.

    Example: `headwater bench tpcw --quick --out tpcw`
    """
    from headwater.bench.store.tpcw.data import Scale
    from headwater.bench.store.tpcw.measure import measure
    from headwater.bench.store.tpcw.plot import draw

    out.mkdir(parents=True, exist_ok=True)
    first = QUICK if quick else SMALLEST
    measured = []
    with progress_console().status("tpcw") as status:
        for factor in (1, 10, 100):
            scale = Scale(first * factor, first * factor * 3 // 2)

            def show(text: str, customers: int = scale.customers) -> None:
                status.update(f"tpcw: {customers:,} customers: {text}")

            measured.append(measure(out / f"shop-{scale.customers}", scale, factor, show))
    draw(measured, out / "tpcw.svg")
    results = [asdict(point) for point in measured]
    (out / "results.json").write_text(to_json(results) + "\n", encoding="utf-8")
    if as_json:
        print_json(results)
        return
    _print(measured)
    console().print(f"Plot and results.json are in {out}")


def _print(measured: list[Measured]) -> None:
    sizes = [f"{point.rows:,} rows" for point in measured]
    titles = ["interaction", *(f"{size}: p99 ms" for size in sizes), *(f"{size}: CPU" for size in sizes)]
    titles += ["CPU, last / first", "operations", "bound"]
    rows: list[list[Any]] = []
    for at, interaction in enumerate(measured[0].interactions):
        points = [point.interactions[at] for point in measured]
        growth = points[-1].cpu_p99_ms / points[0].cpu_p99_ms
        most = max(point.operations for point in points)
        times = [*(point.p99_ms for point in points), *(point.cpu_p99_ms for point in points)]
        rows.append([interaction.name, *times, round(growth, 2), most or "", interaction.bound or ""])
    print_table("TPC-W", titles, rows, right=titles[1:])
    titles = ["refresh", "partitions", "serial ms", "in all ms", "most counters", "counters"]
    refreshes = [list(asdict(each).values()) for point in measured for each in point.refreshes]
    print_table("Refreshes", titles, refreshes, right=titles[1:])

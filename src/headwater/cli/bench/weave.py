"""`headwater bench weave`: the weaving paper's experiments, beside its numbers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json

if TYPE_CHECKING:
    from headwater.bench.weave.experiments import Outcome

__all__ = ["bench_weave"]


def bench_weave(
    out: Annotated[
        Path, typer.Option(callback=local_folder, help="Where the plots and the results go.")
    ] = Path("bench-results/weave"),
    quick: Annotated[bool, typer.Option("--quick", help="A few small workloads, in seconds.")] = False,
    seeds: Annotated[int, typer.Option(help="Workloads per combination of parameters.", min=1)] = 3,
    execute: Annotated[
        bool, typer.Option("--execute", help="Run woven views on Spark, beside separate ones and DuckDB.")
    ] = False,
    views: Annotated[str, typer.Option(help="With --execute: how many views, separated by commas.")] = "250",
    rate: Annotated[int, typer.Option(help="With --execute: rows per second of the stream.", min=1)] = 5000,
    period: Annotated[int, typer.Option(help="With --execute: seconds of the stream in a push.", min=1)] = 10,
    pushes: Annotated[
        int, typer.Option(help="With --execute: pushes, with those that warm Spark up.", min=3)
    ] = 6,
    quotes: Annotated[
        Path | None,
        typer.Option(help="With --execute: a CSV of quotes (symbol, ms_since_midnight, bid_x10000) instead."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="With --execute: a folder with quotes_*.csv (or .csv.gz) instead."),
    ] = None,
    optimizer: Annotated[str, typer.Option(help="With --execute: who weaves.")] = "best",
    rank: Annotated[
        str,
        typer.Option(help="With --execute: optimizers to run and to rank: all, or names."),
    ] = "",
    compare: Annotated[
        bool,
        typer.Option(help="With --execute: also kept separately, by Spark's recompute, by streaming."),
    ] = True,
    sample: Annotated[
        int, typer.Option(help="With --execute: how many views stand for all where all take long.", min=1)
    ] = 25,
    sites: Annotated[
        int, typer.Option(help="With --execute: sites among which the optimizer spreads the views.", min=1)
    ] = 1,
    warm: Annotated[
        int, typer.Option(help="With --execute: the first pushes, which are not counted.", min=1)
    ] = 2,
    as_json: JsonOption = False,
) -> None:
    """Compare thirteen optimizers and best on the paper's 256 combinations of parameters, three times each.

    Prints the counterparts of the paper's Figure 2 and Tables 3 and 4, beside its numbers, and draws
    Figures 2 and 3.

    With --execute 250 window views over a generated stream (or a file of quotes) are kept on Spark: woven,
    separately, by Spark's own recompute and by Structured Streaming (of these a sample, scaled), and by hand
    in DuckDB.  CPU-seconds of the process tree are counted, and answers are compared after every push, every
    view with the definition of windows and a sample with Spark's own GROUP BY window().  Some ten minutes.

    With --execute --rank all the views are woven by each optimizer in turn and run: operations that the
    model has and that are counted, CPU-seconds on Spark and in DuckDB, and how alike they rank the plans.
    With --no-compare they are not run on Spark.

    Examples:

      headwater bench weave

      headwater bench weave --quick --json

      headwater bench weave --execute

      headwater bench weave --execute --views 10,50,250,1000 --rate 1000 --pushes 5 --no-compare

      headwater bench weave --execute --sites 4 --rate 1000 --no-compare

      headwater bench weave --execute --views 25 --rate 500 --pushes 4 --rank all
    """
    if execute:
        from headwater.cli.bench.weave_execution import (
            bench_weave_execution,
            rank_weave_optimizers,
            stream_of,
        )

        stream = stream_of(rate, period, pushes, quotes, data)
        if rank:
            rank_weave_optimizers(views, stream, rank, compare, sites, out, as_json)
        else:
            bench_weave_execution(views, stream, optimizer, compare, sample, sites, warm, out, as_json)
        return
    from headwater.bench.weave.experiments import experiment_2, one_more_query, scale
    from headwater.bench.weave.figures import draw_node_costs, draw_quality
    from headwater.bench.weave.summary import bars, qualities, table_4, wins

    started = perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    outcomes = _experiment_1(quick, 1 if quick else seeds)
    nodes = experiment_2()
    quality = qualities(outcomes)
    draw_quality(quality, out)
    draw_node_costs(nodes, out)
    results = {
        "figure_2": {name: asdict(measured) for name, measured in quality.items()},
        "table_3": wins(outcomes),
        "table_4": table_4(outcomes),
        "figure_3": nodes,
        "bars": bars(outcomes),
        "scale_seconds": scale(200 if quick else 5000, 64),
        "add_one_to_500_seconds": one_more_query(100 if quick else 500),
    }
    results["seconds"] = perf_counter() - started
    (out / "results.json").write_text(to_json(results), encoding="utf-8")
    if as_json:
        print_json(results)
    else:
        _show(results, out)


def _experiment_1(quick: bool, seeds: int) -> list[Outcome]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from headwater.bench.weave.experiments import experiment_1
    from headwater.bench.weave.workloads import quick_settings, table_2

    settings = list(quick_settings() if quick else table_2())
    columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=progress_console()) as progress:
        task = progress.add_task("workloads", total=len(settings) * seeds)
        return experiment_1(settings, seeds, lambda: progress.advance(task), processes=1 if quick else None)


def _show(results: dict[str, Any], out: Path) -> None:
    from headwater.bench.weave.summary import PAPER_SECONDS, PAPER_TABLE_3

    quality, times, table = results["figure_2"], results["table_4"], results["table_3"]
    rows: list[tuple[object, ...]] = []
    for name, measured in quality.items():
        own, paper = table.get(name, {}), PAPER_TABLE_3.get(name, {})
        shares = [_share(own, field, paper) for field in ("max_wins", "max_loss", "total_wins", "total_loss")]
        seconds = f"{times[name]['average']:.3f} / {times[name]['longest']:.3f}"
        level = (f"{100 * measured['maximum']:.1f} %", f"{100 * measured['total']:.1f} %")
        rows.append((name, *level, *shares, seconds, PAPER_SECONDS.get(name, "")))
    columns = (
        "optimizer", "max quality", "total quality", "max wins", "max loss", "total wins", "total loss",
        "seconds avg / longest", "paper seconds",
    )  # fmt: skip
    print_table("Experiment 1 (paper's numbers in brackets)", columns, rows, right=columns[1:])
    for name, value in results["bars"].items():
        console().print(f"{name}: {value:.4g}")
    console().print(
        f"scale: {results['scale_seconds']}; one more query: {results['add_one_to_500_seconds']:.4f} s"
    )
    console().print(f"{results['seconds']:.0f} s; plots and results.json in {out}")


def _share(own: dict[str, float], field: str, paper: dict[str, float]) -> str:
    if field not in own:
        return ""
    beside = f" ({100 * paper[field]:.3g})" if field in paper else ""
    return f"{100 * own[field]:.1f} %{beside}"

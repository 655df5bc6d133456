"""`headwater bench weave --execute`: woven views as they run, beside separate ones, Spark and DuckDB."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.bench.weave.execution.optimizers import Ranked
    from headwater.bench.weave.execution.outcome import Measured
    from headwater.bench.weave.execution.quotes import Stream

__all__ = ["bench_weave_execution", "rank_weave_optimizers", "stream_of"]


def bench_weave_execution(
    views: str,
    stream: Stream,
    optimizer: str,
    compare: bool,
    sampled: int,
    sites: int,
    warm: int,
    out: Path,
    as_json: bool,
) -> None:
    from headwater.bench.weave.execution.figure import draw, named
    from headwater.bench.weave.execution.outcome import WOVEN, fields
    from headwater.bench.weave.execution.run import Bench
    from headwater.engine.spark.session import session

    counts = _counts(views)
    if warm >= len(stream.batches):
        raise InputError("HW001", f"--warm {warm} of --pushes {len(stream.batches)} leaves none to count")
    tell = progress_console().print
    with tempfile.TemporaryDirectory() as folder:
        spark = session("bench-weave", "local[2]", log=f"{folder}/spark.log")
        measured = [
            Bench(spark, folder, stream, count, optimizer, sampled, tell, sites, warm).measure(compare)
            for count in counts
        ]
    results = [fields(run) for run in measured]
    draw(measured, out)
    (out / f"{named(measured)}.json").write_text(to_json(results), encoding="utf-8")
    if as_json:
        print_json(results)
    else:
        for run in measured:
            _show(run)
        if len(measured) > 1:
            each = (
                f"{1000 * (run.cpu_seconds(WOVEN) or 0.0) / run.views:.1f} of {run.views:,}"
                for run in measured
            )
            console().print(f"milliseconds of CPU a push and view: {', '.join(each)}")
        console().print(f"plot and results in {out}")


def _counts(views: str) -> list[int]:
    try:
        counts = [int(count) for count in views.split(",")]
    except ValueError:
        counts = []
    if not counts or min(counts) < 1:
        raise InputError("HW001", f"--views takes numbers above zero, not {views}", hint="--views 10,50,250")
    return counts


def stream_of(rate: int, period: int, pushes: int, quotes: Path | None, data: Path | None) -> Stream:
    """A generated stream, or the first minutes of a file of quotes."""
    from headwater.bench.weave.execution.quotes import generated, recorded

    if data is not None:
        quotes = _quotes_in(data)
    return generated(rate, period, pushes) if quotes is None else recorded(str(quotes), period, pushes)


def _quotes_in(folder: Path) -> Path:
    files = sorted(folder.glob("quotes_*.csv*")) + sorted(folder.glob("taq/quotes_*.csv*"))
    if not files:
        raise InputError(
            "HW005",
            f"there are no quotes in {folder}",
            hint="--data takes a folder with quotes_*.csv or .csv.gz.",
        )
    return files[0]


def rank_weave_optimizers(
    views: str, stream: Stream, names: str, on_spark: bool, sites: int, out: Path, as_json: bool
) -> None:
    """Run the plans of several optimizers, and say how alike the model and what is measured rank them."""
    from dataclasses import asdict

    from headwater.bench.weave.execution.optimizers import correlations, furthest_off, ranked
    from headwater.bench.weave.execution.views import window_views
    from headwater.engine.spark.session import session

    (count,), optimizers = _counts(views)[:1], _optimizers(names)
    plans = []
    with tempfile.TemporaryDirectory() as folder:
        spark = session("bench-weave", "local[2]", log=f"{folder}/spark.log") if on_spark else None
        for plan in ranked(spark, folder, window_views(count), stream, optimizers, sites):
            plans.append(plan)
            progress_console().print(f"{plan.optimizer}: {_seconds(plan)} (CPU s a push)")
    results = {
        "views": count, "sites": sites, "rate": stream.rate, "stream": stream.name,
        "optimizers": [asdict(plan) for plan in plans],
        "rank_correlation": correlations(plans), "furthest_off_model": furthest_off(plans),
    }  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    (out / "optimizers.json").write_text(to_json(results), encoding="utf-8")
    if as_json:
        print_json(results)
        return
    columns = ("optimizer", "trees", "operations/s: model", "counted", "CPU s a push: Spark", "DuckDB")
    rows = [
        (
            plan.optimizer, plan.trees, f"{plan.model:,.0f}", f"{plan.counted:,.0f}",
            _seconds(plan), f"{plan.duckdb_cpu_seconds:.3f}",
        )
        for plan in plans
    ]  # fmt: skip
    print_table(f"{count} views, {stream.name} quotes", columns, rows, right=columns[1:])
    alike = ", ".join(f"{name} {value:.2f}" for name, value in correlations(plans).items())
    console().print(f"rank correlation with the model: {alike}")
    console().print(f"operations counted: within {100 * furthest_off(plans):.1f} % of the model")


def _seconds(plan: Ranked) -> str:
    return "not run" if plan.spark_cpu_seconds is None else f"{plan.spark_cpu_seconds:.2f}"


def _optimizers(names: str) -> list[str]:
    from headwater.planning.windows import OPTIMIZER_NAMES

    wanted = list(OPTIMIZER_NAMES) if names == "all" else [name.strip() for name in names.split(",")]
    if unknown := [name for name in wanted if name not in OPTIMIZER_NAMES]:
        known = ", ".join(OPTIMIZER_NAMES)
        raise InputError("HW001", f"there is no optimizer {unknown[0]}", hint=f"all, or some of {known}")
    return wanted


def _show(run: Measured) -> None:
    columns = ("", "CPU-seconds a push", "times woven", "seconds", "measured")
    rows = [
        (
            contender.name,
            f"{contender.cpu_seconds:.2f}",
            f"{run.over_woven(contender):.2f}",
            f"{contender.seconds:.1f}",
            _measured(contender.ran_views, run.views, contender.note),
        )
        for contender in run.contenders
    ]
    where = f" at {run.sites} sites" if run.sites > 1 else ""
    title = f"{run.views} views in {run.trees} trees{where} by {run.optimizer}, {run.rows:,} changes a push"
    print_table(f"{title}, {run.stream} quotes", columns, rows, right=columns[1:4])
    console().print(f"first computation of all woven views: {run.first_push_cpu_seconds:.1f} CPU s")
    for check in run.checks:
        right = f"{check.views - len(check.wrong)} of {check.views} views equal"
        console().print(f"after push {check.push}: {right} {check.against}")
    if run.wrong:
        console().print(f"WRONG: {', '.join(run.wrong)}", style="red")


def _measured(ran: int, views: int, note: str) -> str:
    scaled = "all views" if ran == views else f"{ran} views, scaled to {views}"
    return f"{scaled}; {note}" if note else scaled

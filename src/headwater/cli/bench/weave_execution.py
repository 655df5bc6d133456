"""`headwater bench weave --execute`: woven views as they run, beside separate ones, Spark and DuckDB."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.bench.weave.execution.outcome import Measured
    from headwater.bench.weave.execution.quotes import Stream

__all__ = ["bench_weave_execution"]


def bench_weave_execution(
    views: str,
    rate: int,
    period: int,
    pushes: int,
    quotes: Path | None,
    optimizer: str,
    compare: bool,
    sampled: int,
    out: Path,
    as_json: bool,
) -> None:
    from headwater.bench.weave.execution.figure import draw
    from headwater.bench.weave.execution.outcome import fields
    from headwater.bench.weave.execution.run import Bench
    from headwater.engine.spark.session import session

    counts = _counts(views)
    stream = _stream(rate, period, pushes, quotes)
    tell = progress_console().print
    with tempfile.TemporaryDirectory() as folder:
        spark = session("bench-weave", "local[2]", log=f"{folder}/spark.log")
        measured = [
            Bench(spark, folder, stream, count, optimizer, sampled, tell).measure(compare) for count in counts
        ]
    results = [fields(run) for run in measured]
    draw(measured, out)
    (out / f"execution-{stream.name}.json").write_text(to_json(results), encoding="utf-8")
    if as_json:
        print_json(results)
    else:
        for run in measured:
            _show(run)
        console().print(f"plot and results in {out}")


def _counts(views: str) -> list[int]:
    try:
        counts = [int(count) for count in views.split(",")]
    except ValueError:
        counts = []
    if not counts or min(counts) < 1:
        raise InputError("HW001", f"--views takes numbers above zero, not {views}", hint="--views 10,50,250")
    return counts


def _stream(rate: int, period: int, pushes: int, quotes: Path | None) -> Stream:
    from headwater.bench.weave.execution.quotes import generated, recorded

    return generated(rate, period, pushes) if quotes is None else recorded(str(quotes), period, pushes)


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
    title = f"{run.views} views in {run.trees} trees by {run.optimizer}, {run.rows:,} changes a push"
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

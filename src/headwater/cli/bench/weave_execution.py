"""`headwater bench weave --execute`: woven views as they run, beside separate ones, Spark and DuckDB."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.cli.show.output import console, print_json, print_table, progress_console, to_json
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.bench.weave.execution.quotes import Stream
    from headwater.bench.weave.execution.run import Measured

__all__ = ["bench_weave_execution"]


def bench_weave_execution(
    views: str,
    rate: int,
    period: int,
    pushes: int,
    quotes: Path | None,
    optimizer: str,
    compare: bool,
    out: Path,
    as_json: bool,
) -> None:
    from headwater.bench.weave.execution.run import measure
    from headwater.engine.spark.session import session

    counts = _counts(views)
    stream = _stream(rate, period, pushes, quotes)
    tell = progress_console().print
    with tempfile.TemporaryDirectory() as folder:
        spark = session("bench-weave", "local[2]", log=f"{folder}/spark.log")
        measured = [measure(spark, folder, stream, count, optimizer, compare, tell) for count in counts]
    results = [_fields(row) for row in measured]
    out.mkdir(parents=True, exist_ok=True)
    (out / f"execution-{stream.name}.json").write_text(to_json(results), encoding="utf-8")
    if as_json:
        print_json(results)
    else:
        _show(measured)


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


def _fields(row: Measured) -> dict[str, Any]:
    return asdict(row) | {
        "separate_over_woven": _ratio(row.separate, row.woven),
        "recompute_over_woven": _ratio(row.recompute, row.woven),
        "woven_over_duckdb": _ratio(row.woven, row.duckdb),
    }


def _ratio(numerator: float | None, denominator: float) -> float | None:
    return None if numerator is None else numerator / max(denominator, 1e-9)


def _show(measured: list[Measured]) -> None:
    columns = (
        "views", "trees", "rows a push", "woven", "separate", "recompute", "DuckDB", "separate / woven",
        "answers",
    )  # fmt: skip
    print_table(
        f"CPU-seconds of a push, {measured[0].stream} quotes",
        columns,
        [
            (
                row.views,
                row.trees,
                f"{row.rows:,}",
                f"{row.woven:.2f}",
                _text(row.separate),
                _text(row.recompute),
                f"{row.duckdb:.2f}",
                _text(_ratio(row.separate, row.woven)),
                f"{row.checked - len(row.wrong)} of {row.checked} equal Spark's",
            )
            for row in measured
        ],
        right=columns[:-1],
    )
    for row in measured:
        if row.wrong:
            console().print(f"WRONG with {row.views} views: {', '.join(row.wrong)}", style="red")


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"

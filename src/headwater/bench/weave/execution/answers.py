"""Whether answers are right: compared with Spark's own for a sample, and for every view with the definition.

By the definition each row is counted in every window that it lies in: a plain query of DuckDB over all rows,
which knows nothing of fragments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from headwater.planning.windows import Query

__all__ = ["Check", "by_definition", "windows_of", "wrong"]

SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """At one time: how many views were compared with what, and which were wrong."""

    push: int
    against: str
    views: int
    wrong: tuple[str, ...]


def windows_of(view: pa.Table) -> pa.Table:
    """A view's rows with the start of the window as microseconds."""
    start = pc.struct_field(view["w"], "start").cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    columns = {name: view[name] for name in ("symbol", "n", "total", "high")}
    return pa.table(columns | {"start": start})


def by_definition(rows: pa.Table, queries: Sequence[Query]) -> dict[str, pa.Table]:
    """Every view of these rows, each row counted in every window that it lies in."""
    base = duckdb.connect()
    at = rows["quoted_at"].cast(pa.int64())
    base.register("quotes", rows.drop_columns(["quoted_at"]).append_column("instant", at))
    base.execute(
        f"CREATE TABLE seconds AS SELECT symbol, instant // {SECOND} * {SECOND} AS instant, count(*) AS n,"
        " sum(price) AS total, max(price) AS high FROM quotes GROUP BY ALL"
    )
    return {query.id: base.sql(_definition(query)).to_arrow_table() for query in queries}


def _definition(query: Query) -> str:
    """Windows begin and end with seconds, so the rows of one second lie in the same windows."""
    size, slide = query.range * SECOND, query.slide * SECOND
    windows = f"unnest(range(instant // {slide} * {slide}, instant - {size}, -{slide}))"
    return (
        "SELECT symbol, sum(n)::BIGINT AS n, sum(total) AS total, max(high) AS high, start"
        f" FROM (SELECT symbol, n, total, high, {windows} AS start FROM seconds) GROUP BY symbol, start"
    )


def wrong(answers: Mapping[str, pa.Table], expected: Mapping[str, pa.Table]) -> tuple[str, ...]:
    """The views whose answer is not as expected, rows compared as multisets."""
    base = duckdb.connect()
    return tuple(view for view, rows in expected.items() if _unlike(base, answers[view], rows))


def _unlike(base: duckdb.DuckDBPyConnection, answer: pa.Table, expected: pa.Table) -> bool:
    base.register("answer", answer)
    base.register("expected", expected)
    columns = "symbol, start, n, CAST(total AS DECIMAL(38,4)), high"
    sides = [f"SELECT {columns} FROM {side}" for side in ("answer", "expected")]
    differences = (f"({a} EXCEPT ALL {b})" for a, b in (sides, reversed(sides)))
    ((count,),) = base.execute(f"SELECT count(*) FROM ({' UNION ALL '.join(differences)})").fetchall()
    return bool(count)

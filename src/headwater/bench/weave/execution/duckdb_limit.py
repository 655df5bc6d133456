"""The same trees by hand in DuckDB: about the least that fragments and windows can cost.

Nothing is stored durably, nothing is versioned, and no promise is kept.  A push folds a batch into the
fragments of each tree, then computes anew, for every view, the windows that hold a touched fragment.
A maximum cannot lose a row by adding: fragments that lose rows are folded anew from all rows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from headwater.algebra.plans.nodes import Aggregate
from headwater.algebra.stages.stage import Kept
from headwater.algebra.weaving.edges import Edges, edges_in
from headwater.bench.cpu import Cost
from headwater.planning.windows import Query

__all__ = ["DuckLimit"]


class DuckLimit:
    """One tree is a table of fragments; one view a table of windows."""

    def __init__(self, queries: Sequence[Query], trees: Sequence[Kept], kept: Mapping[str, Kept]) -> None:
        self.base = duckdb.connect()
        self.base.execute("SET threads = 1")
        self.base.execute(
            "CREATE TABLE quotes (id BIGINT, symbol VARCHAR, price DECIMAL(12,4), instant BIGINT)"
        )
        self.trees: dict[str, Edges] = {}
        for number, tree in enumerate(trees):
            plan = tree.stages[-1].plan
            assert isinstance(plan, Aggregate)
            self.trees[tree.view] = next(edges for _, key in plan.keys if (edges := edges_in(key)))
            self.base.execute(f"CREATE TABLE f{number} ({_STATES})")
        names = list(self.trees)
        self.views = [(query, names.index(kept[query.id].stages[-1].reads[0])) for query in queries]
        for query in queries:
            self.base.execute(f"CREATE TABLE {query.id} ({_STATES})")

    def push(self, batch: pa.Table) -> Cost:
        """What it cost this process; Spark is idle meanwhile, and is not counted."""
        rows = batch.set_column(
            batch.schema.get_field_index("quoted_at"), "quoted_at", batch["quoted_at"].cast(pa.int64())
        )
        begin, start = time.process_time(), time.perf_counter()
        self.base.register("batch", rows)
        self.base.execute("DELETE FROM quotes WHERE id IN (SELECT id FROM batch WHERE _weight < 0)")
        self.base.execute(
            "INSERT INTO quotes SELECT id, symbol, price, quoted_at FROM batch WHERE _weight = 1"
        )
        for number, edges in enumerate(self.trees.values()):
            fragment = _fragment("quoted_at", edges)
            self.base.execute(
                f"CREATE OR REPLACE TEMP TABLE touched{number} AS"
                f" SELECT DISTINCT {fragment} AS start FROM batch"
            )
            self._replace(
                f"f{number}",
                f"touched{number}",
                f"SELECT symbol, {_fragment('instant', edges)} AS start, count(*), sum(price), max(price)"
                f" FROM quotes WHERE instant >= (SELECT min(start) FROM touched{number}) GROUP BY ALL",
            )
        for query, number in self.views:
            self._windows(query, number)
        self.base.unregister("batch")
        return Cost(time.process_time() - begin, time.perf_counter() - start)

    def answer(self, view: str) -> pa.Table:
        return self.base.sql(f"SELECT * FROM {view}").to_arrow_table()

    def _windows(self, query: Query, number: int) -> None:
        size, slide = query.range * 1_000_000, query.slide * 1_000_000
        last = f"start // {slide} * {slide}"
        # Fragments of a pane lie in the same windows, which are counted back from the last one.
        pane = f"{last} AS last, ({last} - (start - {size}) - 1) // {slide} AS back"
        begins = f"unnest(range(last, last - (back + 1) * {slide}, -{slide}))"
        self.base.execute(
            f"CREATE OR REPLACE TEMP TABLE windows AS"
            f" SELECT DISTINCT {begins} AS start FROM (SELECT DISTINCT {pane} FROM touched{number})"
        )
        panes = (
            f"SELECT symbol, {pane}, sum(n) AS n, sum(total) AS total, max(high) AS high FROM f{number}"
            " WHERE start >= (SELECT min(start) FROM windows) GROUP BY ALL"
        )
        self._replace(
            query.id,
            "windows",
            f"SELECT symbol, begin, sum(n), sum(total), max(high)"
            f" FROM (SELECT symbol, {begins} AS begin, n, total, high FROM ({panes})) GROUP BY ALL",
        )

    def _replace(self, table: str, touched: str, anew: str) -> None:
        """Replace the groups that are touched by what they are now."""
        self.base.execute(f"DELETE FROM {table} WHERE start IN (SELECT start FROM {touched})")
        self.base.execute(
            f"INSERT INTO {table} SELECT * FROM ({anew}) AS a(symbol, start, n, total, high)"
            f" WHERE start IN (SELECT start FROM {touched})"
        )


_STATES = "symbol VARCHAR, start BIGINT, n BIGINT, total DECIMAL(38,4), high DECIMAL(12,4)"


def _fragment(time_column: str, edges: Edges) -> str:
    """Times are after 1970, where % is not negative."""
    starts = [f"{time_column} - ({time_column} - {residue}) % {modulus}" for residue, modulus in edges]
    return f"greatest({', '.join(starts)})"

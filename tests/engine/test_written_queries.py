"""What is written for Spark of whole views, run by DuckDB over the files of their sources.

Rows came, went and changed; joins follow the conditions in any order of FROM.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import cast

import duckdb
import pyarrow as pa
import pytest
import sqlglot

from headwater.algebra.oracle.zsets import ZSet, add
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.engine.query.relations import Relations
from headwater.engine.query.writer import QueryWriter
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.warehouse import Warehouse
from support.sql.suite import Suite, batches, by_duckdb, duckdb_of, load, plain, suite

START = 1_700_000_000_000_000
UNKNOWN = {"j22", "s12"}  # DuckDB has no LATERAL VIEW and no raise_error


class Files:
    """Slices as views of DuckDB over their files; what Inputs is to Spark."""

    one_task = False

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self.database = database
        self.views: dict[tuple[str, ...], str] = {}

    def slice(self, timeline: Timeline, part: Slice) -> Query:
        files = tuple(file.path for file in part.files)
        if files not in self.views:
            self.views[files] = f"slice_{len(self.views)}"
            listed = ", ".join(f"'{path}'" for path in files)
            self.database.execute(
                f"CREATE VIEW {self.views[files]} AS SELECT * FROM read_parquet([{listed}], union_by_name = true)"
            )
        return Query(self.views[files], tuple(timeline.columns().names))


def stored(views: Suite, folder: Path) -> tuple[Relations, dict[str, ZSet]]:
    """Sources with some changes, and the rows that are left of them."""
    warehouse, rows = Warehouse(str(folder)), dict[str, ZSet]()
    for name, table in views.tables.items():
        warehouse.source(name).create(arrow_schema(table.columns))
        rows[name] = {}
    made = batches(random.Random(views.name), views, 3)
    for at, batch in enumerate(made):
        for name, changes in batch.items():
            schema = arrow_schema(views.tables[name].columns)
            columns = list(zip(*changes, strict=True)) or [()] * len(schema)
            changed = pa.table(
                [pa.array(values, kind.type) for values, kind in zip(columns, schema, strict=True)],
                schema=schema,
            )
            weights = pa.array(changes.values(), pa.int64())
            warehouse.source(name).append(changed.append_column(WEIGHT, weights), START + at)
            rows[name] = add(rows[name], changes)
    names = {name: table.column_names for name, table in views.tables.items()}
    return Relations(warehouse, names, {}, START, START + len(made)), rows


@pytest.mark.parametrize("name", ["tpch", "joins"])
def test_what_is_written_of_a_view_gives_its_rows(name: str, tmp_path: Path) -> None:
    views = suite(name)
    relations, rows = stored(views, tmp_path)
    database = duckdb_of(views)
    load(database, rows)
    database.execute(
        "CREATE MACRO array_repeat(x, n) AS list_transform(range(CAST(n AS BIGINT)), lambda i: x)"
    )
    inputs = cast(Inputs, Files(database))
    for view in views.catalog.kept.keys() - UNKNOWN:
        plan = views.catalog.plan(view)
        assert plan is not None
        query = QueryWriter(relations, inputs).query(plan)
        listed = ", ".join((*map(quoted, plan.columns), WEIGHT))
        (text,) = sqlglot.transpile(f"SELECT {listed} FROM {query.text}", read="spark", write="duckdb")
        found: Counter[tuple[object, ...]] = Counter()
        for *values, weight in database.execute(text).fetchall():
            found[tuple(map(plain, values))] += weight
        assert +found == by_duckdb(database, views.catalog.project.views[view].sql.text), view


def test_no_relation_meets_all_of_another_that_no_condition_connects(tmp_path: Path) -> None:
    """TPC-H's q8 begins FROM part, supplier, lineitem: of the first two each row met each."""
    views = suite("tpch")
    relations, _ = stored(views, tmp_path)
    inputs = cast(Inputs, Files(duckdb.connect()))
    for view in ("q2", "q5", "q7", "q8", "q9"):
        plan = views.catalog.plan(view)
        assert plan is not None
        text = QueryWriter(relations, inputs).query(plan).text
        assert "CROSS JOIN" not in text, view
        assert "BROADCAST" not in text, f"{view}: only Spark knows how large a join of relations is"

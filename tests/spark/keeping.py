"""A small project kept on the shared Spark, with a clock that moves when told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from headwater.capture.append import Appended, append, open_source
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor import Executor
from headwater.engine.push import Pushing
from headwater.engine.record import PushRecord
from headwater.engine.verify import Verified, verify
from headwater.model import Project
from headwater.serve.read import read
from headwater.sql.ddl import parse_statements
from headwater.sql.resolve import resolve
from headwater.storage.warehouse import Warehouse

SHOP = """
CREATE TABLE customers (cid BIGINT PRIMARY KEY, city STRING);
CREATE TABLE orders (oid BIGINT PRIMARY KEY, cid BIGINT, amount BIGINT);
"""


class Keeping:
    """Tables and views declared in SQL, kept without captures or threads."""

    def __init__(self, spark: SparkSession, folder: Path, ddl: str, clock: ManualClock | None = None) -> None:
        found = resolve(parse_statements(ddl))
        self.clock = clock or ManualClock()
        self.project = Project(
            "kept",
            str(folder),
            str(folder / "warehouse"),
            {one.name: one for one in found.tables},
            {one.name: one for one in found.views},
            {},
            {},
        )
        self.catalog: Catalog = build(self.project)
        self.warehouse = Warehouse(self.project.storage)
        self.pushing = Pushing(spark, self.warehouse, self.catalog)
        self.executor = Executor(self.pushing, self.clock)
        for table in found.tables:
            open_source(self.warehouse, table)

    def ingest(self, table: str, records: Iterable[Mapping[str, Any]]) -> Appended:
        self.clock.advance(timedelta(seconds=1))
        return append(self.warehouse, self.project.tables[table], records, self.clock)

    def push(self, *views: str) -> list[PushRecord]:
        """Push to now; returns what was pushed."""
        self.clock.advance(timedelta(seconds=1))
        self.executor.watermarks = dict.fromkeys(self.project.tables, self.clock.now())
        self.executor.push_all(views or None)
        return self.executor.drain()

    def rows(self, view: str) -> list[tuple[Any, ...]]:
        table = read(self.catalog, self.warehouse, self.clock, view).table
        return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)

    def verify(self, view: str) -> Verified:
        return verify(self.pushing, self.catalog.kept[view])

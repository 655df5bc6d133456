"""A small project kept on the shared Spark, with a clock that moves when told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from headwater.capture.intake.append import Appended, append, open_source
from headwater.catalog import Catalog, build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import SparkRunner, spark_executor
from headwater.engine.push.record import PushRecord, Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.upkeep.verify import Verified, verify, verify_all
from headwater.model import Project, Site, Weaving
from headwater.serve.read import read
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.warehouse import Warehouse


class Keeping:
    """Tables and views declared in SQL, kept without captures or threads."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        ddl: str,
        clock: ManualClock | None = None,
        weaving: Weaving = Weaving(),
    ) -> None:
        declared = resolve(parse_statements(ddl))
        self.clock = clock or ManualClock()
        self.project = Project(
            "kept",
            str(folder),
            str(folder / "warehouse"),
            {table.name: table for table in declared.tables},
            {view.name: view for view in declared.views},
            {},
            {"default": Site(storage=str(folder / "warehouse"))},
            weaving=weaving,
        )
        self.spark = spark
        self.catalog: Catalog = build(self.project)
        self.warehouse = Warehouse(self.project.storage)
        self.records = Records(self.clock)
        self.share(self.catalog)
        for table in declared.tables:
            open_source(self.warehouse, table)

    def share(self, catalog: Catalog) -> None:
        """Keep the views as another catalog of the same project says."""
        self.catalog = catalog
        self.workplace = Workplace(self.spark, self.warehouse, catalog)
        self.executor = spark_executor(self.workplace, self.clock, self.records)

    def ingest(self, table: str, records: Iterable[Mapping[str, Any]]) -> Appended:
        self.clock.advance(timedelta(seconds=1))
        return append(self.warehouse, self.project.tables[table], records, self.clock)

    def push(self, *views: str) -> list[PushRecord]:
        """Push to now; returns what was pushed."""
        self.clock.advance(timedelta(seconds=1))
        self.executor.watermarks = dict.fromkeys(self.project.tables, self.clock.now())
        self.executor.push_now(views or None)
        return self.records.drain()

    def time_of(self, view: str) -> int:
        return self.runner.time_of(view)

    @property
    def runner(self) -> SparkRunner:
        assert isinstance(self.executor.runner, SparkRunner)
        return self.executor.runner

    def rows(self, view: str) -> list[tuple[Any, ...]]:
        rows = read(self.catalog, self.warehouse, self.clock, view)
        return sorted((tuple(row.values()) for row in rows.to_pylist()), key=repr)

    def verify(self, view: str) -> Verified:
        return verify(self.workplace, self.catalog.kept[view])

    def verify_all(self) -> tuple[Verified, ...]:
        """Every view: in one action, if all are equal."""
        return verify_all(self.workplace, list(self.catalog.kept.values()))

"""A project of window views in a folder of its own, kept without captures or threads."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import pyarrow as pa

from headwater.algebra.plans.nodes import Aggregate
from headwater.bench.cpu import Cost, measured
from headwater.bench.weave.execution.quotes import Stream
from headwater.bench.weave.execution.views import COLUMNS, window_project
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import PushRecord, Records
from headwater.engine.push.workplace import Workplace
from headwater.model import Weaving
from headwater.planning.windows import Query
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.delta.types import arrow_schema
from headwater.storage.view_rows import read_view
from headwater.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["World"]


@dataclass
class World:
    spark: SparkSession | None  # None: nothing is pushed
    folder: str
    queries: Sequence[Query]
    stream: Stream
    weaving: Weaving
    sites: int = 1
    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.warehouse = Warehouse(self.folder)
        self.warehouse.source("quotes").create(arrow_schema(COLUMNS))
        project = window_project(self.folder, self.queries, self.stream, self.weaving, self.sites)
        self.catalog = shared_catalog(build(project), self.warehouse)
        self.warehouse.lay_out((*project.tables, *self.catalog.kept), self.catalog.storage_roots())
        self.workplace = Workplace(
            self.spark,  # type: ignore[arg-type]
            self.warehouse,
            self.catalog,
        )
        self.records = Records(self.clock)
        self.executor = spark_executor(self.workplace, self.clock, self.records)

    @property
    def trees(self) -> list[str]:
        """The stages of fragments, at all sites; copies of the quotes are shared, too."""
        return sorted(
            name for name, kept in self.catalog.shared.items() if isinstance(kept.stages[-1].plan, Aggregate)
        )

    def push(self, number: int) -> tuple[Cost, list[PushRecord]]:
        """Append a batch and push all views."""
        self.clock.advance(timedelta(seconds=10))
        self.warehouse.source("quotes").append(self.stream.batches[number], self.clock.now())
        self.clock.advance(timedelta(seconds=1))
        self.executor.watermarks = {"quotes": self.clock.now()}
        with measured() as cost:
            self.executor.push_now()
        pushed = self.records.drain()
        failed = [record.error for record in pushed if record.error]
        if failed:
            raise RuntimeError(failed[0])
        return cost, pushed

    def rows(self, view: str) -> pa.Table:
        """What a reader of the view sees."""
        timeline, published = self.workplace.timeline(view), self.warehouse.published(view)
        return read_view(timeline, published, self.catalog.description(view))[1]

    def close(self) -> None:
        self.executor.close()
        shutil.rmtree(self.folder)

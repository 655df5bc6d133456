"""A project of one adapted join on Spark, whose streams and clock are turned by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.bench.cpu import Cost, measured
from headwater.bench.joins.execution.checks import Checked, check, matches
from headwater.bench.joins.execution.workloads import PUSH_EVERY, Workload
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.engine.executor.spark_runner import spark_executor
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.session import session
from headwater.engine.upkeep.verify import verify
from headwater.model import Overload, Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

__all__ = ["VIEW", "Streams"]

VIEW = "joined"


@dataclass(slots=True)
class Streams:
    folder: Path
    workload: Workload
    overload: Overload
    clock: ManualClock = field(default_factory=ManualClock)
    pushes: int = field(default=0, init=False)
    workplace: Workplace = field(init=False)
    executor: Any = field(init=False)
    _chance: Any = field(init=False)
    _rows: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        declared = resolve(parse_statements(self.workload.tables() + self.workload.view()))
        place = str(self.folder)
        project = Project(
            "streams", place, place, {table.name: table for table in declared.tables},
            {view.name: view for view in declared.views}, {}, {}, overload=self.overload,
        )  # fmt: skip
        spark = session("bench joins", "local[*]", {}, str(self.folder / "spark.log"))
        self._chance = np.random.default_rng(1)
        self.workplace = Workplace(spark, Warehouse(place), build(project))
        self.executor = spark_executor(self.workplace, self.clock, Records(self.clock))
        for name, table in project.tables.items():
            self.warehouse.source(name).create(arrow_schema(table.columns))

    @property
    def warehouse(self) -> Warehouse:
        return self.workplace.warehouse

    def push(self) -> Cost:
        """Let rows arrive for some seconds and push; returns what the push took."""
        begun = self.clock.now()
        self.clock.advance(timedelta(seconds=PUSH_EVERY))
        for stream in self.workload.columns:
            self._arrive(stream, begun)
        self.pushes += 1
        self.clock.advance(timedelta(microseconds=1))
        self.executor.watermarks = dict.fromkeys(self.workplace.catalog.project.tables, self.clock.now())
        with measured() as cost:
            self.executor.push_now()
        return cost

    def _arrive(self, stream: str, begun: int) -> None:
        drawn = self.workload.rows(stream, self.pushes, self._chance)
        rows = len(next(iter(drawn.values())))
        times = begun + (np.arange(rows) + 1) * (PUSH_EVERY * 1_000_000 // max(rows, 1))
        schema = arrow_schema(self.workplace.catalog.project.tables[stream].columns)
        columns = {
            "id": pa.array(np.arange(self._rows, self._rows + rows)),
            **{name: pa.array(values) for name, values in drawn.items()},
            "at": pa.array(times, pa.int64()).cast(schema.field("at").type),
            WEIGHT: pa.array(np.ones(rows, np.int64)),
        }
        self._rows += rows
        self.warehouse.source(stream).append(pa.table(columns), self.clock.now())

    def found(self) -> int:
        """Results of the last push: those that it added."""
        timeline = self.workplace.timeline(VIEW)
        weights = timeline.read(timeline.delta(timeline.time() - 1, timeline.time()), []).column(WEIGHT)
        return int(pc.sum(pc.greater(weights, 0)).as_py() or 0)

    def matches(self) -> int:
        """All of them, as DuckDB counts them."""
        return matches(self.warehouse, self.workplace.catalog.project.views[VIEW], self.clock.now())

    def checked(self) -> Checked:
        checked = check(self.warehouse, self.workplace.catalog, VIEW)
        if checked is None:
            raise RuntimeError("what was there is forgotten, though nothing compacts here")
        return checked

    def verified(self) -> bool:
        return bool(verify(self.workplace, self.workplace.catalog.kept[VIEW]).equal)

    def close(self) -> None:
        self.executor.close()

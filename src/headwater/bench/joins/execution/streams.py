"""A project of one adapted join on Spark, whose streams and clock are turned by hand."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from headwater.algebra.stages.adapting import PUSHED, probes
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
from headwater.sql.parsing.parser import in_dialect
from headwater.storage.delta.types import arrow_schema
from headwater.storage.timeline import WEIGHT
from headwater.storage.view_rows import count_rows
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
        declared = resolve(parse_statements(self.workload.ddl()))
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

    def push(self) -> float:
        """Let rows arrive for some seconds and push; returns the seconds that the push took."""
        begun = self.clock.now()
        self.clock.advance(timedelta(seconds=PUSH_EVERY))
        for stream in self.workload.columns:
            self._arrive(stream, begun)
        self.pushes += 1
        self.clock.advance(timedelta(microseconds=1))
        self.executor.watermarks = dict.fromkeys(self.workplace.catalog.project.tables, self.clock.now())
        start = time.perf_counter()
        self.executor.push_now()
        return time.perf_counter() - start

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

    def results(self) -> int:
        timeline = self.workplace.timeline(VIEW)
        return count_rows(timeline, timeline.as_of(timeline.time()))

    def matches(self) -> int:
        """All of them, as DuckDB counts them."""
        view = self.workplace.catalog.project.views[VIEW]
        with duckdb.connect() as database:
            for stream in self.workload.columns:
                source = self.warehouse.source(stream)
                database.register(stream, source.read(source.as_of(source.time())))
            (count,) = database.execute(
                f"SELECT count(*) FROM ({in_dialect(view.sql, 'duckdb')})"
            ).fetchone() or (0,)
        return int(count)

    def stale(self) -> int:
        """Results of which a row was older than its tolerance when the last of its rows came."""
        streams = list(self.workload.columns)
        joined = self.workplace.timeline(VIEW)
        ages: dict[int, int] = {}
        pushed: dict[int, int] = {}
        for stream in streams:
            timeline = self.workplace.timeline(probes(VIEW, stream))
            rows = timeline.read(timeline.as_of(timeline.time()), ["id", "at", PUSHED])
            ages |= dict(zip(rows["id"].to_pylist(), rows["at"].cast(pa.int64()).to_pylist(), strict=True))
            pushed |= dict(
                zip(rows["id"].to_pylist(), rows[PUSHED].cast(pa.int64()).to_pylist(), strict=True)
            )
        names = [f"i{number}" for number in range(len(streams))]
        results = joined.read(joined.as_of(joined.time()), names)
        limit = round(self.workload.window * self.workload.tolerance * 1e6)
        by_column = [results[name].to_pylist() for name in names]
        return sum(
            max(pushed[row] for row in result) > min(ages[row] for row in result) + limit
            for result in zip(*by_column, strict=True)
        )

    def verified(self) -> bool:
        return bool(verify(self.workplace, self.workplace.catalog.kept[VIEW]).equal)

    def bytes_of_inputs(self) -> int:
        """What the recent rows of the inputs take on disk."""
        stages = [self.workplace.timeline(probes(VIEW, stream)) for stream in self.workload.columns]
        return sum(os.path.getsize(file.path) for stage in stages for file in stage.as_of(stage.time()).files)

    def close(self) -> None:
        self.executor.close()

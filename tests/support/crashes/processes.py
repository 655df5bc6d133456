"""The processes of a project, as they are after a start: two writers, and a run with the evaluator in Spark's place.

Each has a warehouse of its own, with what it has read of the logs so far; they meet in the files only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from headwater.capture.dead_letters import DEAD_LETTERS
from headwater.capture.intake.append import Appended, Appender
from headwater.capture.intake.token import Token
from headwater.capture.polling import ApiCapture
from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.spark_runner import SparkRunner
from headwater.engine.push.record import Records
from headwater.engine.run.auditor import Auditor
from headwater.engine.upkeep.compaction import Compactor
from headwater.engine.upkeep.damage import remove_damaged
from headwater.storage.timeline import Timeline
from headwater.storage.vacuum.in_use import InUse, in_use, storage_roots
from headwater.storage.vacuum.vacuum import Vacuum
from headwater.storage.warehouse import Warehouse
from support.without_spark import workplace

__all__ = ["Processes", "Run", "Writer", "look", "reopened"]

WRITERS = 2
READS = timedelta(hours=1)  # how long a reader may need what is no longer in use


class Writer:
    def __init__(self, catalog: Catalog, warehouse: Warehouse, clock: Clock) -> None:
        self.warehouse = warehouse
        self._appenders = {
            table.name: Appender(warehouse, table, clock, catalog.project.tables)
            for table in catalog.project.tables.values()
        }

    def append(self, table: str, records: Sequence[Mapping[str, Any]], token: Token | None) -> Appended:
        return self._appenders[table].append(records, token)


class Run:
    def __init__(self, catalog: Catalog, warehouse: Warehouse, clock: Clock) -> None:
        self.catalog, self.clock, self.warehouse = catalog, clock, warehouse
        records = Records(clock)
        self._runner = SparkRunner(workplace(warehouse, catalog), records)
        self._executor = Executor(catalog, self._runner, clock, records.failed)
        self._records, self._began_at = records, clock.now()
        self._captures: list[ApiCapture] = []

    @classmethod
    def after_a_crash(cls, catalog: Catalog, warehouse: Warehouse, clock: Clock) -> Run:
        """As a run starts: tables that a crash damaged are computed anew."""
        remove_damaged(catalog, warehouse)
        return cls(catalog, warehouse, clock)

    def push(self, views: Collection[str] | None = None) -> None:
        """Bring views as far as their sources are captured, and their plain tables with them."""
        self._capture()
        self._executor.push_now(views)

    def _capture(self) -> None:
        if not self._captures:
            tables = self.catalog.project.tables.values()
            self._captures = [ApiCapture(self.warehouse, table, self.clock) for table in tables]
        for capture in self._captures:
            for table in capture.tables:
                self._executor.watermarks[table] = capture.poll().watermark

    def audit(self) -> None:
        Auditor(self.catalog, self.warehouse, self.clock, self._began_at, self._records.drain).snapshot()

    def compact(self) -> None:
        Compactor(lambda: self.catalog, self.warehouse).compact()

    def vacuum(self) -> None:
        """Of the machine's time, as the files have it: what was there before the step is two hours old."""
        roots = storage_roots(self.catalog.project, self.warehouse)
        now = int(time.time() * 1e6)
        Vacuum(self.warehouse, roots, self._in_use, READS, now, whole_tables=True).run()

    @contextmanager
    def _in_use(self) -> Iterator[InUse]:
        yield in_use(self.warehouse, [self.catalog])

    def close(self) -> None:
        self._runner.close()


@dataclass(slots=True)
class Processes:
    """The processes of a project, each with a warehouse of its own from `opened`."""

    writers: list[Writer]
    run: Run

    @classmethod
    def start(cls, catalog: Catalog, clock: Clock, opened: Callable[[], Warehouse]) -> Processes:
        writers = [Writer(catalog, opened(), clock) for _ in range(WRITERS)]
        return cls(writers, Run(catalog, opened(), clock))

    def close(self) -> None:
        self.run.close()


def look(catalog: Catalog, warehouse: Warehouse) -> None:
    """Read all logs as they are now."""
    logs = [warehouse.source(table).log for table in catalog.project.tables]
    logs += [warehouse.stage(catalog.folder(stage.name)).log for _, stage in catalog.stages()]
    logs += [warehouse.published(view) for view in catalog.kept]
    for log in (*logs, *map(warehouse.system, ("pushes", "audit", DEAD_LETTERS))):
        log.snapshot()


def reopened(warehouse: Warehouse) -> Warehouse:
    """As another process has it that read the same logs at the same time: most of the time goes into reading."""
    copy = replace(warehouse, roots=dict(warehouse.roots))
    for path, table in warehouse._open.items():
        read = table.log if isinstance(table, Timeline) else table
        if isinstance(table, Timeline):
            log = copy._timeline(path, read.durable).log
        else:
            log = copy._log(path, read.durable)
        if (loaded := read._loaded) is not None:
            log._loaded = replace(
                loaded, _files=dict(loaded._files), _transactions=dict(loaded._transactions)
            )
    return copy

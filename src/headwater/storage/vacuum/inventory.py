"""What a warehouse holds and what it is for, table by table, as found on the disk.

    live       rows of the current version, up to the horizon
    history    changes after the horizon, which as-of reads can tell apart
    waiting    files that the current version does not have, and a reader may
    orphans    files that no version in the log knows: of failed pushes, of killed writers
    log, index what finds them

A table is `used`, or it is an old version of a view, or belongs to a view or a source that was deleted.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from headwater.errors import brief
from headwater.storage.delta.data_files import BEGINNING, DataFile
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.timeline import COMPACTED, TIME
from headwater.storage.vacuum.in_use import InUse
from headwater.storage.vacuum.table_files import UnusedFile, bytes_below, newest_change, table_files
from headwater.storage.warehouse import Warehouse

__all__ = ["KINDS", "Inventory", "TableStorage", "inventory", "tables_of"]

logger = logging.getLogger(__name__)

KINDS = {"sources": "source", "stages": "stage", "views": "view", "system": "system"}
LOGS = ("logs", "spark.log")


@dataclass(frozen=True, slots=True)
class TableStorage:
    """A table's folder; sizes in bytes."""

    name: str
    kind: str  # source, stage, view or system
    path: str
    used: bool
    changed_at: int  # when something was written there last; 0 if it is used
    files: int = 0
    rows: int = 0  # stored: a change is a row
    live_bytes: int = 0
    history_bytes: int = 0
    log_bytes: int = 0
    index_bytes: int = 0
    unused: tuple[UnusedFile, ...] = ()
    problem: str = ""

    @property
    def waiting_bytes(self) -> int:
        return sum(file.size for file in self.unused if not file.orphan)

    @property
    def orphan_bytes(self) -> int:
        return sum(file.size for file in self.unused if file.orphan)

    @property
    def total_bytes(self) -> int:
        stored = self.live_bytes + self.history_bytes + self.waiting_bytes + self.orphan_bytes
        return stored + self.log_bytes + self.index_bytes


@dataclass(frozen=True, slots=True)
class Inventory:
    tables: tuple[TableStorage, ...]
    staging_bytes: int
    logs_bytes: int
    other_bytes: int  # clocks, plans, marks

    @property
    def total_bytes(self) -> int:
        tables = sum(table.total_bytes for table in self.tables)
        return tables + self.staging_bytes + self.logs_bytes + self.other_bytes


def inventory(warehouse: Warehouse, roots: Sequence[str], used: InUse) -> Inventory:
    """Everything below the project's root and the sites' roots."""
    tables = tuple(tables_of(warehouse, roots, used))
    own = [*KINDS, "staging", "_sites", *LOGS]
    others = [os.path.join(warehouse.root, name) for name in _names(warehouse.root) if name not in own]
    return Inventory(
        tables,
        sum(bytes_below(Warehouse.staging(root)) for root in roots),
        sum(bytes_below(os.path.join(warehouse.root, name)) for name in LOGS),
        sum(bytes_below(path) for path in others),
    )


def tables_of(warehouse: Warehouse, roots: Iterable[str], used: InUse) -> Iterator[TableStorage]:
    for root in roots:
        for folder, kind in KINDS.items():
            for name in _names(os.path.join(root, folder)):
                path = os.path.join(root, folder, name)
                if os.path.isdir(path):
                    yield _table(warehouse.log_at(path), name, kind, used.uses(kind, name))


def _table(log: DeltaLog, name: str, kind: str, used: bool) -> TableStorage:
    """One that cannot be read is shown with what is wrong, and nothing of it counts as unused."""
    try:
        changed_at = 0 if used else newest_change(log.path)
        if not log.exists():
            return TableStorage(name, kind, log.path, used, changed_at, live_bytes=bytes_below(log.path))
        files = table_files(log)
        horizon = log.transaction(COMPACTED) or BEGINNING
    except Exception as error:
        logger.warning("what is stored in %s cannot be told", log.path, exc_info=True)
        return TableStorage(name, kind, log.path, used, 1 << 62, problem=brief(error))
    history = sum(file.size for file in files.snapshot.files if _time(file) > horizon)
    return TableStorage(
        name, kind, log.path, used, changed_at, len(files.snapshot.files), files.snapshot.rows,
        sum(file.size for file in files.snapshot.files) - history, history,
        files.log_bytes, files.index_bytes, files.unused,
    )  # fmt: skip


def _time(file: DataFile) -> int:
    return int(file.maximum.get(TIME) or BEGINNING)


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

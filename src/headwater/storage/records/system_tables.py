"""The upkeep of the tables in system/: summed up, merged day by day, dropped by age."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.clock import micros
from headwater.model import Retention
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.records.hours import sum_up
from headwater.storage.records.journal_files import drop_before, merge_days
from headwater.storage.warehouse import Warehouse

__all__ = ["keep_system_tables"]

RECORDED = (
    "audit",
    "pushes",
    "audit_hours",
    "push_hours",
    "process_cpu",
    "overload",
    "joins",
)  # written by the run alone
DEAD_LETTERS = "dead_letters"
FILES = "files"
TIME = "time"


def keep_system_tables(warehouse: Warehouse, retention: Retention, now: int) -> None:
    """Sum up, merge and drop what is due; cheap if nothing is. Only the run may call this."""
    sum_up(warehouse, now)
    for name in RECORDED:
        log = warehouse.system(name)
        drop_before(log, now - micros(retention.audit), now)
        merge_days(log, now)
    for log in _shared(warehouse, DEAD_LETTERS):
        drop_before(log, now - micros(retention.dead_letters), now, TIME)
        merge_days(log, now, TIME)
    for log in _shared(warehouse, FILES):
        merge_days(log, now, TIME)


def _shared(warehouse: Warehouse, name: str) -> Iterator[DeltaLog]:
    """The table, if there is one, while its writers of all processes wait."""
    if (log := warehouse.system(name)).exists():
        with warehouse.clock(f"${name}").turn():
            yield log

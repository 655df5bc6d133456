"""Where each table's changes come from and how far they have come: what `headwater capture` shows.

Nothing is connected: all of it stands in the warehouse.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from headwater.capture.ledger import Ledger
from headwater.clock import SystemClock
from headwater.model import Project, Table
from headwater.storage.warehouse import Warehouse

__all__ = ["Origin", "overview"]


@dataclass(frozen=True, slots=True)
class Origin:
    table: str
    provider: str
    source: str  # a folder, a database and table, or "" for tables that others feed
    time: int  # of the last change
    slot: str | None = None
    files: int | None = None


def overview(project: Project, warehouse: Warehouse) -> list[Origin]:
    return [_origin(project, warehouse, table) for table in project.tables.values()]


def _origin(project: Project, warehouse: Warehouse, table: Table) -> Origin:
    timeline = warehouse.source(table.name)
    time = timeline.time()
    match table.provider:
        case "files":
            folder = os.path.join(project.folder, table.options.get("path", ""))
            count = len(Ledger(warehouse, table.name, SystemClock()).taken())
            return Origin(table.name, table.provider, folder, time, files=count)
        case "postgres":
            return _postgres(project, warehouse, table, time)
        case _:
            return Origin(table.name, table.provider, "", time)


def _postgres(project: Project, warehouse: Warehouse, table: Table, time: int) -> Origin:
    from headwater.capture.postgres.declared import declare
    from headwater.capture.postgres.failures import database_of
    from headwater.capture.postgres.slot_name import SlotName

    declared = declare(table)
    database = database_of(table.options["uri"])
    slot = SlotName(warehouse.root, project.name, database).known()
    source = f"{database} {declared.schema}.{declared.name}"
    return Origin(table.name, table.provider, source, time, slot)

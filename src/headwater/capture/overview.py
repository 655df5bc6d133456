"""Where each table's changes come from and up to which time they were captured: what `headwater capture`
shows.

Nothing is connected: everything is read from the warehouse.  The names of a slot and its publication are
chosen here if no run has chosen them yet.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from headwater.capture.files.ledger import Ledger
from headwater.capture.postgres.slot_record import Record, SlotRecord
from headwater.capture.rejected import Rejected, rejected_rows
from headwater.clock import SystemClock, instant_text
from headwater.model import Project, Table
from headwater.storage.records.capture_health import CaptureHealth, WaitingFile, read_captures
from headwater.storage.warehouse import Warehouse

__all__ = ["Origin", "overview"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of one table's changes."""

    table: str
    provider: str
    source: str  # a folder, a database and table, or "" for tables fed through the API
    time: int  # of the last change
    slot: str | None = None
    files: int | None = None
    error: str = ""  # what kept the last run from capturing it
    detail: str = ""  # the error in the server's own words
    hint: str = ""  # what to do about it
    waiting: tuple[WaitingFile, ...] = ()  # files that could not be read, and are tried again
    publication: str | None = None
    created: bool = True  # whether a run has used slot and publication yet
    rejected: int = 0  # rows that wait as dead letters
    notes: tuple[str, ...] = ()  # what happened to the capture of its database, oldest first


def overview(project: Project, warehouse: Warehouse) -> list[Origin]:
    captures = read_captures(warehouse.root)
    rejected = rejected_rows(warehouse, project.tables)
    return [
        _with_health(
            _origin(project, warehouse, table),
            captures.get(table.name, CaptureHealth()),
            rejected.get(table.name, Rejected(table.name, 0)),
        )
        for table in project.tables.values()
    ]


def _with_health(origin: Origin, capture: CaptureHealth, rejected: Rejected) -> Origin:
    return replace(
        origin,
        error=capture.error,
        detail=capture.detail,
        hint=capture.hint,
        waiting=capture.waiting,
        rejected=rejected.rows,
    )


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


def _reserved(record: SlotRecord) -> Record:
    """The record of a slot, its name chosen: so somebody may create slot and publication beforehand."""
    try:
        return record.get()
    except PermissionError:  # a reader of the warehouse chooses no names
        return Record("")


def _postgres(project: Project, warehouse: Warehouse, table: Table, time: int) -> Origin:
    from headwater.capture.postgres.address import address_of
    from headwater.capture.postgres.declared import declare
    from headwater.capture.postgres.failures import database_of

    declared = declare(table)
    database = database_of(address_of(table))
    record = SlotRecord(warehouse.root, project.name, database)
    stored = _reserved(record)
    notes = tuple(f"{instant_text(note.at)} {note.code}: {note.text}" for note in record.notes())
    return Origin(
        table.name,
        table.provider,
        f"{database} {declared.full_name}",
        time,
        stored.slot or None,
        publication=stored.slot or None,
        created=stored.advanced is not None,
        notes=notes,
    )

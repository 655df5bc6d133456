"""The captures of a project: one for each table fed by an API or a folder, one for each PostgreSQL
database.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from headwater.capture.files.folder import FileCapture
from headwater.capture.files.options import check_options
from headwater.capture.intake.append import open_source
from headwater.capture.intake.stored_columns import OTHERWISE_STORED
from headwater.capture.known_options import check_known_options
from headwater.capture.polling import ApiCapture, Capture, Polled, RefusedCapture
from headwater.clock import Clock
from headwater.errors import HeadwaterError, InputError, did_you_mean
from headwater.model import Project, Table
from headwater.storage.delta.damage import DAMAGED, damaged_source
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.warehouse import Warehouse

__all__ = ["Capture", "Polled", "capture_of", "captured_again", "captures", "check_sources", "drop_postgres"]

logger = logging.getLogger(__name__)

_PROVIDERS = ("api", "files", "postgres", "stream")


def captures(project: Project, warehouse: Warehouse, clock: Clock) -> list[Capture]:
    """One capture per table, but one for all tables of a PostgreSQL database. Nothing is connected yet."""
    by_table = [
        capture_of(project, warehouse, table, clock)
        for table in project.tables.values()
        if table.provider != "postgres"
    ]
    return [*by_table, *_postgres_captures(project, warehouse, clock)]


def capture_of(project: Project, warehouse: Warehouse, table: Table, clock: Clock) -> Capture:
    """The capture of one table. One declared otherwise than it is stored, or damaged, stops no other."""
    try:
        match table.provider:
            case "files":
                return FileCapture(warehouse, table, clock, project.folder, project.tables)
            case "api" | "stream":
                return ApiCapture(warehouse, table, clock)
    except HeadwaterError as error:
        return _refused(warehouse, table, error)
    raise _unknown_provider(table)


def check_sources(project: Project) -> None:
    """Raise an InputError if the options of a table are wrong, before anything is captured or planned."""
    for table in project.tables.values():
        check_known_options(table)
        match table.provider:
            case "files":
                check_options(table)
            case "postgres":
                from headwater.capture.postgres.declared import declare

                declare(table)
            case provider if provider not in _PROVIDERS:
                raise _unknown_provider(table)


def _unknown_provider(table: Table) -> InputError:
    return InputError(
        "HW116", f'table "{table.name}" uses an unknown provider "{table.provider}"', place=table.place,
        hint=did_you_mean(table.provider, _PROVIDERS) or f"Use one of {', '.join(_PROVIDERS)}.",
    )  # fmt: skip


def captured_again(project: Project, warehouse: Warehouse, capture: Capture, clock: Clock) -> Capture:
    """A capture of the same tables, as the project declares them now."""
    tables = [project.tables[name] for name in capture.tables]
    if tables[0].provider != "postgres":
        return capture_of(project, warehouse, tables[0], clock)
    from headwater.capture.postgres.capture import PostgresCapture

    return PostgresCapture(warehouse, project.name, tables, clock)


def drop_postgres(project: Project, warehouse: Warehouse) -> list[str]:
    """Drop the slots and publications of the project in its databases; returns what was dropped.

    Nothing of what is declared or stored matters for that, so it works after a capture that failed.
    """
    from headwater.capture.postgres.address import address_of
    from headwater.capture.postgres.slot import drop_slot_of
    from headwater.capture.postgres.slot_record import SlotRecord

    dropped: list[str] = []
    for database, tables in _databases(project).items():
        record = SlotRecord(warehouse.root, project.name, database)
        dropped += drop_slot_of(record, address_of(tables[0]))
    return dropped


def _postgres_captures(project: Project, warehouse: Warehouse, clock: Clock) -> Iterator[Capture]:
    from headwater.capture.postgres.capture import PostgresCapture

    for tables in _databases(project).values():
        fitting: list[Table] = []
        for table in tables:
            try:
                open_source(warehouse, table)
                fitting.append(table)
            except HeadwaterError as error:
                yield _refused(warehouse, table, error)
        if fitting:
            yield PostgresCapture(warehouse, project.name, fitting, clock)


def _refused(warehouse: Warehouse, table: Table, error: HeadwaterError) -> RefusedCapture:
    """For a table that is declared otherwise than it is stored, or damaged; other errors are raised."""
    logger.warning("nothing is captured of %s: %s", table.name, error)
    match error.code:
        case code if code == DAMAGED:
            return RefusedCapture(table, damaged_source(table.name, error.detail or error.message), BEGINNING)
        case code if code == OTHERWISE_STORED:
            return RefusedCapture(table, error, warehouse.source(table.name).time())
    raise error


def _databases(project: Project) -> dict[str, list[Table]]:
    """The tables captured from PostgreSQL, by database."""
    from headwater.capture.postgres.address import address_of
    from headwater.capture.postgres.declared import declare
    from headwater.capture.postgres.failures import database_of

    databases: dict[str, list[Table]] = {}
    for table in project.tables.values():
        if table.provider == "postgres":
            declare(table)  # refuses wrong options
            databases.setdefault(database_of(address_of(table)), []).append(table)
    return databases

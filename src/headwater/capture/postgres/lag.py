"""How far slots are behind, and how far they may be.

    lag_bytes        the server's log that the capture has still to read
    retained_bytes   the server's log that is not deleted because of the slot: more, if transactions are open
    lag_seconds      since the moment up to which the tables are complete

A slot that nobody reads retains the server's log without limit.  `max_slot_lag` is looked at whenever a
capture begins or reconnects; while nothing runs only the server can limit its log, by
max_slot_wal_keep_size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import psycopg

from headwater.capture.postgres import server
from headwater.capture.postgres.address import address_of
from headwater.capture.postgres.failures import database_of, explained
from headwater.capture.postgres.slot_record import SlotRecord
from headwater.clock import Clock
from headwater.errors import HeadwaterError, InputError
from headwater.errors.redaction import HIDDEN
from headwater.model import Project, Table
from headwater.storage.records.slot_lag import SlotLag
from headwater.storage.warehouse import Warehouse
from headwater.units import SECOND, bytes_of

__all__ = ["max_slot_lag", "slot_lags"]

CONNECT_SECONDS = 3


def max_slot_lag(tables: Iterable[Table]) -> int | None:
    """The least `max_slot_lag` of the tables of one database, in bytes; None if there is no limit."""
    return min((_option(table) for table in tables if "max_slot_lag" in table.options), default=None)


def slot_lags(project: Project, warehouse: Warehouse, clock: Clock) -> tuple[SlotLag, ...]:
    """The slots of the project's databases, asked of their servers."""
    databases: dict[str, list[Table]] = {}
    unknown: list[SlotLag] = []
    for table in project.tables.values():
        if table.provider == "postgres" and HIDDEN not in table.options.get("uri", ""):
            try:
                databases.setdefault(database_of(address_of(table)), []).append(table)
            except HeadwaterError as error:  # a secret that is not there, for example
                unknown.append(
                    SlotLag("unknown", None, (table.name,), None, None, None, None, None, error.message)
                )
    lags = [_lag(project, warehouse, clock, database, tables) for database, tables in databases.items()]
    return (*lags, *unknown)


def _lag(
    project: Project, warehouse: Warehouse, clock: Clock, database: str, tables: Sequence[Table]
) -> SlotLag:
    record = SlotRecord(warehouse.root, project.name, database).read()
    names = tuple(sorted(table.name for table in tables))
    last = min((warehouse.clock(name).last() or 0 for name in names), default=0)
    seconds = (clock.now() - last) / SECOND if last else None
    limit = max_slot_lag(tables)
    if record is None:
        return SlotLag(database, None, names, None, None, seconds, limit, None)
    try:
        distance = _distance(address_of(tables[0]), record.slot)
    except HeadwaterError as error:
        return SlotLag(database, record.slot, names, None, None, seconds, limit, None, error.message)
    if distance is None and record.advanced is None:  # only its name has been chosen
        return SlotLag(database, None, names, None, None, seconds, limit, None)
    if distance is None:
        missing = "the slot does not exist; the next run takes a new snapshot"
        return SlotLag(database, record.slot, names, None, None, seconds, limit, None, missing)
    return SlotLag(database, record.slot, names, distance[0], distance[1], seconds, limit, distance[2])


def _distance(uri: str, slot: str) -> tuple[int, int, bool] | None:
    try:
        with server.connect(uri, CONNECT_SECONDS) as connection:
            return server.slot_distance(connection, slot)
    except psycopg.Error as error:
        raise explained(error, uri) from error


def _option(table: Table) -> int:
    text = table.options["max_slot_lag"]
    size = bytes_of(text)
    if not size:
        raise InputError(
            "HW953", f'table "{table.name}": max_slot_lag \'{text}\' is not a size', place=table.place,
            hint="Write for example OPTIONS (max_slot_lag '20 GB').",
        )  # fmt: skip
    return size

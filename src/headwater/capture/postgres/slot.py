"""The replication slot of a warehouse: found again or created, and which tables can go on from it.

A slot is given up, and all tables are compared with a new snapshot, if what lies between it and the
warehouse is lost or too much:

    gone       the slot or its publication does not exist, or has lost its log
    ahead      it was advanced past what the warehouse records: the warehouse was restored from a backup
    behind     the server's own log ends before what the warehouse has: the server was restored
    too long   it makes the server retain more of its log than `max_slot_lag` allows

A single table is compared if its log is older than the slot's record, if it left the stream or the project
for a while, or if columns were declared or altered since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from headwater.capture.postgres import server
from headwater.capture.postgres.checks import check_publication, check_table
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.failures import explained
from headwater.capture.postgres.group import Group
from headwater.capture.postgres.remote import Published, publication, remote_table, require_publishing
from headwater.capture.postgres.slot_record import Mark, Record, SlotRecord
from headwater.errors import InputError
from headwater.units import byte_text

__all__ = [
    "check_tables",
    "drop_slot_of",
    "have_slot",
    "publish_tables",
    "reason_to_renew",
    "tables_to_compare",
]

Tell = Callable[[str, str], None]  # (code, text): something that a user should know


@dataclass(frozen=True, slots=True)
class _Standing:
    """What is known of the slot and the tables before anything is changed."""

    record: Record
    position: int | None  # of the slot; None if it is gone or has lost its log
    captured: int  # how many tables have a position in it
    furthest: int  # the furthest of those positions
    unpublished: bool  # a captured table is not in the publication, or none is
    flushed: int  # where the server's log ends
    max_lag: int | None


def have_slot(
    connection: psycopg.Connection[Any], group: Group, record: SlotRecord, max_lag: int | None, tell: Tell
) -> tuple[str, dict[str, InputError]]:
    """Find or create the slot and its publication; returns its name, and the tables that it leaves out.

    Publication first: a slot older than its publication cannot be decoded.
    """
    system = server.system_of(connection)
    current = record.get()
    group.writer = _writer(current.slot, system)
    published = publication(connection, current.slot)
    standing = _standing(connection, group, current, published, max_lag)
    reason = reason_to_renew(standing)
    if reason is not None:
        if standing.captured:
            tell(*reason)
        server.drop_all(connection, current.slot)
        current = record.renew()
        group.writer = _writer(current.slot, system)
    refused = publish_tables(connection, group, current.slot)
    if refused.keys() >= group.remote.keys():
        raise next(iter(refused.values()))
    if reason is not None or standing.position is None:
        record.advance(server.create_slot(connection, current.slot), {})
        _tell_unlimited(connection, current.slot, tell)
    elif current.advanced is None:  # somebody created it by hand
        record.advance(standing.position, {})
    return current.slot, refused


def drop_slot_of(record: SlotRecord, uri: str) -> list[str]:
    """Drop a recorded slot and its publication; returns what was dropped, nothing if there is no record."""
    stored = record.read()
    if stored is None:
        return []
    try:
        with server.connect(uri) as connection:
            dropped = server.drop_all(connection, stored.slot)
    except psycopg.Error as error:
        raise explained(error, uri) from error
    record.forget()
    return dropped


def reason_to_renew(standing: _Standing) -> tuple[str, str] | None:
    """Why the slot must be given up, as (code, text); None if the tables can go on from it."""
    slot, position = standing.record.slot, standing.position
    anew = "all tables are compared with a new snapshot"
    if position is None:
        return (
            ("HW955", f"the slot {slot} is gone, or has lost its log: {anew}") if standing.captured else None
        )
    if standing.unpublished:
        return "HW955", f"the publication {slot} has lost tables: {anew}"
    if not standing.captured:
        return None
    if standing.record.advanced is None or position > standing.record.advanced:
        return (
            "HW955",
            f"the slot {slot} is ahead of the warehouse, which was restored or lost commits: {anew}",
        )
    if standing.furthest > standing.flushed:
        return "HW955", f"the server's log ends before what the warehouse has captured: {anew}"
    if standing.max_lag is not None and standing.flushed - position > standing.max_lag:
        return (
            "HW956",
            f"the slot {slot} made the server retain {byte_text(standing.flushed - position)} of its log, "
            f"max_slot_lag allows {byte_text(standing.max_lag)}; it was dropped: {anew}",
        )
    return None


def tables_to_compare(group: Group, record: Record, tell: Tell) -> set[str]:
    """The captured tables that cannot go on from their positions, and need a snapshot."""
    names = set(record.missed)
    for declared in group.tables:
        name, position = declared.table.name, group.logged_position(declared)
        if position is None or name in names:
            continue
        mark = record.marks.get(name)
        if mark is None or position < mark.position:
            tell("HW955", f'table "{name}" is behind the slot: it is compared with a new snapshot')
            names.add(name)
        elif columns := _changed_columns(group, declared, mark):
            tell(
                "HW950",
                f'table "{name}": {", ".join(columns)} was declared or altered; '
                "it is compared with a new snapshot",
            )
            names.add(name)
    return names


def _changed_columns(group: Group, declared: Declared, mark: Mark) -> list[str]:
    if declared.table.name not in group.remote:
        return []
    altered = [column for column, kind in group.types(declared).items() if mark.types.get(column) != kind]
    retyped = [
        column.name
        for column in declared.table.columns
        if mark.declared.get(column.name, column.type) != column.type
    ]
    return altered + retyped


def _standing(
    connection: psycopg.Connection[Any],
    group: Group,
    record: Record,
    published: Published | None,
    max_lag: int | None,
) -> _Standing:
    captured = [declared for declared in group.tables if group.logged_position(declared) is not None]
    missing = _missing(group, published)
    position = server.slot_position(connection, record.slot)
    return _Standing(
        record,
        position,
        len(captured),
        max((group.logged_position(declared) or 0 for declared in captured), default=0),
        any(declared in missing for declared in captured) or len(missing) == len(group.tables),
        server.flushed(connection),
        max_lag,
    )


def _missing(group: Group, published: Published | None) -> list[Declared]:
    return [declared for declared in group.tables if published is None or not published.holds(declared)]


def check_tables(
    connection: psycopg.Connection[Any], group: Group, tables: Sequence[Declared]
) -> dict[str, InputError]:
    """Ask the server about tables; returns those that cannot be captured as they are declared."""
    refused: dict[str, InputError] = {}
    for declared in tables:
        name = declared.table.name
        group.remote.pop(name, None)
        try:
            remote = remote_table(connection, declared)
            stored = bool(group.timeline(declared).snapshot().files)
            check_table(declared, remote, connection.info.server_version, stored)
        except InputError as error:
            refused[name] = error
        else:
            group.remote[name] = remote
    return refused


def publish_tables(connection: psycopg.Connection[Any], group: Group, slot: str) -> dict[str, InputError]:
    """Add the tables that the publication lacks; returns those of which it leaves something out."""
    missing = _missing(group, publication(connection, slot))
    wanted = [declared for declared in missing if declared.table.name in group.remote]
    if wanted:
        require_publishing(connection, slot, wanted)
        server.publish(connection, slot, wanted)
    published = publication(connection, slot)
    refused: dict[str, InputError] = {}
    for declared in group.tables:
        remote = group.remote.get(declared.table.name)
        if published is not None and remote is not None:
            try:
                check_publication(declared, remote, slot, published)
            except InputError as error:
                refused[declared.table.name] = error
    return refused


def _tell_unlimited(connection: psycopg.Connection[Any], slot: str, tell: Tell) -> None:
    if server.unlimited_log(connection):
        tell(
            "HW952",
            f"the server sets no limit to the log that the slot {slot} retains while nothing is captured; "
            "ALTER SYSTEM SET max_slot_wal_keep_size = '50GB' would, and SELECT pg_reload_conf()",
        )


def _writer(slot: str, system: str) -> str:
    return f"postgres:{slot}:{system}"

"""The statements that Headwater sends to a PostgreSQL server, each in one function.

Sessions write values in one unambiguous text format (ISO dates, UTC, hex bytea, shortest exact floats),
which is also what replication sends and COPY writes, so the two always agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.failures import database_of
from headwater.errors import InputError

__all__ = [
    "SNAPSHOT",
    "advance_slot",
    "connect",
    "create_slot",
    "drop_all",
    "drop_slot",
    "flushed",
    "publish",
    "require_logical",
    "slot_distance",
    "slot_position",
    "system_of",
    "unlimited_log",
]

_FORMATS: LiteralString = (
    "SET client_encoding = 'UTF8'; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; "
    "SET IntervalStyle = 'postgres'; SET extra_float_digits = 1; SET bytea_output = 'hex'; "
    "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0"
)
SNAPSHOT: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


def connect(uri: str, timeout: int = 10) -> psycopg.Connection[Any]:
    connection: psycopg.Connection[Any] = psycopg.connect(
        uri, autocommit=True, connect_timeout=timeout, application_name="headwater",
        keepalives_idle=10, keepalives_interval=5, keepalives_count=3,
    )  # fmt: skip
    connection.execute(_FORMATS)
    return connection


def require_logical(connection: psycopg.Connection[Any], uri: str) -> None:
    level = _scalar(connection, "SHOW wal_level")
    if level != "logical":
        raise InputError(
            "HW871",
            f"PostgreSQL at {database_of(uri)} does not write what replication needs: wal_level is {level}",
            hint="As a superuser: ALTER SYSTEM SET wal_level = 'logical', then restart the server. "
            "Where a provider runs it, this is a setting there: rds.logical_replication = 1 on Amazon RDS, "
            "cloudsql.logical_decoding = on at Google.",
        )
    may = _scalar(
        connection,
        "SELECT rolreplication OR rolsuper OR EXISTS (SELECT FROM pg_roles given "
        "WHERE given.rolname = 'rds_replication' AND pg_has_role(current_user, given.oid, 'member')) "
        "FROM pg_roles WHERE rolname = current_user",
    )
    if not may:
        user = _scalar(connection, "SELECT current_user")
        raise InputError(
            "HW876", f'the user "{user}" of {database_of(uri)} may not replicate',
            hint=f'ALTER ROLE "{user}" REPLICATION',
        )  # fmt: skip


def system_of(connection: psycopg.Connection[Any]) -> str:
    """Identifies the cluster; positions in another cluster are unrelated."""
    return str(_scalar(connection, "SELECT system_identifier FROM pg_control_system()"))


def flushed(connection: psycopg.Connection[Any]) -> int:
    """The position up to which a later peek is certain to see everything committed."""
    return int(_scalar(connection, "SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn"))


def unlimited_log(connection: psycopg.Connection[Any]) -> bool:
    """Whether a slot that nobody reads retains the server's log without limit."""
    size = _scalar(connection, "SELECT setting FROM pg_settings WHERE name = 'max_slot_wal_keep_size'")
    return size == "-1"


def publish(connection: psycopg.Connection[Any], publication: str, tables: Sequence[Declared]) -> None:
    """Add tables to the publication, created if need be. Tables are never removed from it: see capture.py."""
    names = sql.SQL(", ").join(sql.Identifier(declared.schema, declared.name) for declared in tables)
    exists = _scalar(connection, "SELECT count(*) FROM pg_publication WHERE pubname = %s", publication)
    statement = (
        sql.SQL("ALTER PUBLICATION {} ADD TABLE {}")
        if exists
        else sql.SQL("CREATE PUBLICATION {} FOR TABLE {} WITH (publish_via_partition_root = true)")
    )
    connection.execute(statement.format(sql.Identifier(publication), names))


def slot_position(connection: psycopg.Connection[Any], slot: str) -> int | None:
    """The position the slot has confirmed; None if the slot does not exist or has lost its WAL."""
    slot_row = connection.execute(
        "SELECT confirmed_flush_lsn - '0/0'::pg_lsn, wal_status FROM pg_replication_slots "
        "WHERE slot_name = %s",
        (slot,),
    ).fetchone()
    if slot_row is None or slot_row[1] == "lost":
        return None
    return int(slot_row[0])


def slot_distance(connection: psycopg.Connection[Any], slot: str) -> tuple[int, int, bool] | None:
    """How much log is behind the slot's position, how much it retains, and whether a session reads it."""
    row = connection.execute(
        "SELECT pg_current_wal_flush_lsn() - confirmed_flush_lsn, pg_current_wal_flush_lsn() - restart_lsn, "
        "active FROM pg_replication_slots WHERE slot_name = %s",
        (slot,),
    ).fetchone()
    if row is None or row[0] is None:
        return None
    return max(0, int(row[0])), max(0, int(row[1] or 0)), bool(row[2])


def create_slot(connection: psycopg.Connection[Any], slot: str) -> int:
    """Create the slot and return its position, once the transactions that are open now have ended."""
    drop_slot(connection, slot)  # a slot that has lost its WAL may still exist
    created = _scalar(
        connection,
        "SELECT lsn - '0/0'::pg_lsn FROM pg_create_logical_replication_slot(%s, 'pgoutput')",
        slot,
    )
    return int(created)


def advance_slot(connection: psycopg.Connection[Any], slot: str, position: int) -> None:
    connection.execute("SELECT pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s)", (slot, position))


def drop_slot(connection: psycopg.Connection[Any], slot: str) -> bool:
    """Drop the slot; False if there is none."""
    if not _scalar(connection, "SELECT count(*) FROM pg_replication_slots WHERE slot_name = %s", slot):
        return False
    connection.execute("SELECT pg_drop_replication_slot(%s)", (slot,))
    return True


def drop_all(connection: psycopg.Connection[Any], slot: str) -> list[str]:
    """Drop the slot and the publication of the same name; returns what was dropped."""
    dropped = [f"replication slot {slot}"] if drop_slot(connection, slot) else []
    if _scalar(connection, "SELECT count(*) FROM pg_publication WHERE pubname = %s", slot):
        connection.execute(sql.SQL("DROP PUBLICATION {}").format(sql.Identifier(slot)))
        dropped.append(f"publication {slot}")
    return dropped


def _scalar(connection: psycopg.Connection[Any], query: LiteralString, *parameters: Any) -> Any:
    row = connection.execute(query, parameters or None).fetchone()
    return None if row is None else row[0]

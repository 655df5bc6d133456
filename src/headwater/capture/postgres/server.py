"""What Headwater asks of a PostgreSQL server: the few statements, each in one place.

Sessions write values in one unambiguous text format (ISO dates, UTC, hex bytea, shortest exact floats), which
is what replication sends and COPY writes, so the two always agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from headwater.capture.postgres.declared import Declared, RemoteTable
from headwater.capture.postgres.failures import CaptureError, database_of
from headwater.errors import InputError

__all__ = [
    "SNAPSHOT",
    "advance_slot",
    "connect",
    "create_slot",
    "drop_all",
    "drop_slot",
    "exported_snapshot",
    "flushed",
    "missing_from_publication",
    "publish",
    "remote_table",
    "require_logical",
    "slot_position",
    "system_of",
]

_FORMATS: LiteralString = (
    "SET client_encoding = 'UTF8'; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; "
    "SET IntervalStyle = 'postgres'; SET extra_float_digits = 1; SET bytea_output = 'hex'; "
    "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0"
)
SNAPSHOT: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


def connect(uri: str) -> psycopg.Connection[Any]:
    connection: psycopg.Connection[Any] = psycopg.connect(
        uri, autocommit=True, connect_timeout=10, application_name="headwater",
        keepalives_idle=10, keepalives_interval=5, keepalives_count=3,
    )  # fmt: skip
    connection.execute(_FORMATS)
    return connection


def require_logical(connection: psycopg.Connection[Any], uri: str) -> None:
    level = _one(connection, "SHOW wal_level")
    if level != "logical":
        raise InputError(
            "HW871",
            f"PostgreSQL at {database_of(uri)} does not write what replication needs: wal_level is {level}",
            hint="ALTER SYSTEM SET wal_level = 'logical', then restart the server.",
        )
    may = _one(
        connection,
        "SELECT rolreplication OR rolsuper OR EXISTS (SELECT FROM pg_roles given "
        "WHERE given.rolname = 'rds_replication' AND pg_has_role(current_user, given.oid, 'member')) "
        "FROM pg_roles WHERE rolname = current_user",
    )
    if not may:
        user = _one(connection, "SELECT current_user")
        raise InputError(
            "HW876", f'the user "{user}" of {database_of(uri)} may not replicate',
            hint=f'ALTER ROLE "{user}" REPLICATION',
        )  # fmt: skip


def system_of(connection: psycopg.Connection[Any]) -> str:
    """Which cluster this is; another one starts its positions anew."""
    return str(_one(connection, "SELECT system_identifier FROM pg_control_system()"))


def flushed(connection: psycopg.Connection[Any]) -> int:
    """The position up to which everything committed is certain to be seen by a later peek."""
    return int(_one(connection, "SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn"))


def remote_table(connection: psycopg.Connection[Any], declared: Declared) -> RemoteTable:
    found = connection.execute(
        "SELECT c.oid, c.relreplident, c.relkind "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = %s",
        (declared.schema, declared.name),
    ).fetchone()
    if found is None or _char(found[2]) not in "rp":
        raise InputError(
            "HW872", f"there is no table {declared.schema}.{declared.name} in PostgreSQL",
            place=declared.table.place, hint="OPTIONS (table 'schema.name'); views cannot be captured.",
        )  # fmt: skip
    columns = connection.execute(
        "SELECT a.attname, t.typname, t.typcategory FROM pg_attribute a "
        "JOIN pg_type d ON d.oid = a.atttypid "
        "JOIN pg_type t ON t.oid = CASE WHEN d.typtype = 'd' THEN d.typbasetype ELSE d.oid END "
        "WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped",
        (found[0],),
    ).fetchall()
    key = connection.execute(
        "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid "
        "AND a.attnum = ANY(i.indkey) WHERE i.indrelid = %s "
        "AND CASE %s WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END",
        (found[0], _char(found[1])),
    ).fetchall()
    described = {name: (kind, _char(category)) for name, kind, category in columns}
    return RemoteTable(described, _char(found[1]), tuple(name for (name,) in key))


def missing_from_publication(
    connection: psycopg.Connection[Any], publication: str, tables: Sequence[Declared]
) -> list[Declared]:
    there = set(
        connection.execute(
            "SELECT schemaname::text, tablename::text FROM pg_publication_tables WHERE pubname = %s",
            (publication,),
        ).fetchall()
    )
    return [one for one in tables if (one.schema, one.name) not in there]


def publish(connection: psycopg.Connection[Any], publication: str, tables: Sequence[Declared]) -> None:
    """Add tables to the publication, made if it is not there. Tables are never taken out: see capture.py."""
    names = sql.SQL(", ").join(sql.Identifier(one.schema, one.name) for one in tables)
    exists = _one(connection, "SELECT count(*) FROM pg_publication WHERE pubname = %s", publication)
    statement = (
        sql.SQL("ALTER PUBLICATION {} ADD TABLE {}")
        if exists
        else sql.SQL("CREATE PUBLICATION {} FOR TABLE {} WITH (publish_via_partition_root = true)")
    )
    connection.execute(statement.format(sql.Identifier(publication), names))


def slot_position(connection: psycopg.Connection[Any], slot: str) -> int | None:
    """The position the slot has confirmed; None if there is no such slot, or it has lost its WAL."""
    found = connection.execute(
        "SELECT confirmed_flush_lsn - '0/0'::pg_lsn, wal_status FROM pg_replication_slots "
        "WHERE slot_name = %s",
        (slot,),
    ).fetchone()
    if found is None or found[1] == "lost":
        return None
    return int(found[0])


def create_slot(connection: psycopg.Connection[Any], slot: str) -> None:
    drop_slot(connection, slot)  # one that has lost its WAL may still be there
    connection.execute("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (slot,))


def advance_slot(connection: psycopg.Connection[Any], slot: str, position: int) -> None:
    connection.execute("SELECT pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s)", (slot, position))


def exported_snapshot(uri: str, name: str) -> tuple[psycopg.Connection[Any], int, str]:
    """A session that holds a snapshot open, its position, and its name for SET TRANSACTION SNAPSHOT.

    Of the transactions that write, exactly those with a commit position before it are in the snapshot.
    """
    holder = psycopg.connect(
        uri, autocommit=True, replication="database", cursor_factory=psycopg.ClientCursor, connect_timeout=10
    )
    try:
        found = holder.execute(
            sql.SQL("CREATE_REPLICATION_SLOT {} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'export')").format(
                sql.Identifier(name)
            )
        ).fetchone()
        if found is None:
            raise CaptureError("HW878", "PostgreSQL gave no snapshot")
        high, low = str(found[1]).split("/")
        return holder, int(high, 16) << 32 | int(low, 16), str(found[2])
    except BaseException:
        holder.close()
        raise


def drop_slot(connection: psycopg.Connection[Any], slot: str) -> bool:
    """Drop the slot; false if there is none."""
    if not _one(connection, "SELECT count(*) FROM pg_replication_slots WHERE slot_name = %s", slot):
        return False
    connection.execute("SELECT pg_drop_replication_slot(%s)", (slot,))
    return True


def drop_all(connection: psycopg.Connection[Any], slot: str) -> list[str]:
    """Drop the slot and the publication of that name; returns what was there."""
    dropped = [f"replication slot {slot}"] if drop_slot(connection, slot) else []
    if _one(connection, "SELECT count(*) FROM pg_publication WHERE pubname = %s", slot):
        connection.execute(sql.SQL("DROP PUBLICATION {}").format(sql.Identifier(slot)))
        dropped.append(f"publication {slot}")
    return dropped


def _one(connection: psycopg.Connection[Any], query: LiteralString, *parameters: Any) -> Any:
    row = connection.execute(query, parameters or None).fetchone()
    return None if row is None else row[0]


def _char(value: Any) -> str:
    """PostgreSQL's "char" type, which may arrive as bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)

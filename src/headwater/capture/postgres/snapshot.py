"""The rows of a table at one point of the replication stream, read with COPY inside an exported snapshot.

COPY's text format has one line per row and escapes what would disturb it, so rows are cut with `split` and
values unescaped only where a backslash stands.  Rows go to Parquet a stretch at a time, so memory stays
bounded by the stretch, not by the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pyarrow as pa
from psycopg import sql

from headwater.capture.batch import Rejection
from headwater.capture.codes import has_null
from headwater.capture.postgres.apply import typed_rows
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.group import Group
from headwater.capture.postgres.server import SNAPSHOT
from headwater.storage.delta_log import NewFile
from headwater.storage.timeline import WEIGHT
from headwater.storage.zset import consolidate

__all__ = ["copied_rows", "take_snapshot"]

STRETCH = 200_000  # rows
STRETCH_BYTES = 64 * 1024 * 1024

_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def copied_rows(
    connection: psycopg.Connection[Any], declared: Declared
) -> Iterator[tuple[pa.Table, list[Rejection]]]:
    """The table's rows in stretches, with those that the declaration cannot hold apart."""
    names = declared.remote_columns
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(
        sql.SQL(", ").join(map(sql.Identifier, names)), sql.Identifier(declared.schema, declared.name)
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for lines in _stretches(copy):
            yield _typed(declared, lines, names)


def _stretches(copy: Any) -> Iterator[list[bytes]]:
    rest, lines, size = b"", [], 0
    for block in copy:
        data = bytes(block)
        size += len(data)
        parts = (rest + data if rest else data).split(b"\n")
        rest = parts.pop()
        lines += parts
        if len(lines) >= STRETCH or size >= STRETCH_BYTES:
            yield lines
            lines, size = [], 0
    if lines:
        yield lines


def _typed(declared: Declared, lines: list[bytes], names: Sequence[str]) -> tuple[pa.Table, list[Rejection]]:
    columns = [list(column) for column in zip(*(line.split(b"\t") for line in lines), strict=True)]
    rows, reasons = typed_rows(declared, [_values(column) for column in columns], names)
    required = [column.name for column in declared.table.columns if not column.nullable]
    for row in has_null(rows, required).nonzero()[0].tolist():
        reasons.setdefault(row, "NULL in a column that is declared NOT NULL")
    if not reasons:
        return rows, []
    where = f"postgres:{declared.schema}.{declared.name}"
    letters = [
        Rejection(0, lines[row].decode(errors="replace"), reason, where) for row, reason in reasons.items()
    ]
    return rows.filter(pa.array([row not in reasons for row in range(len(rows))])), letters


def _values(column: list[bytes]) -> list[bytes | None]:
    if not any(b"\\" in value for value in column):
        return list(column)
    return [None if value == b"\\N" else _unescaped(value) for value in column]


def _unescaped(value: bytes) -> bytes:
    if b"\\" not in value:
        return value
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), value)


def take_snapshot(
    group: Group,
    connection: psycopg.Connection[Any],
    tables: Sequence[Declared],
    snapshot: str,
    position: int,
    time: int,
) -> None:
    """Read tables as of an exported snapshot and commit them at one time with its position."""
    connection.execute(SNAPSHOT)
    connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
    written = [(declared, _written(group, connection, declared, position, time)) for declared in tables]
    connection.execute("COMMIT")
    for declared, files in written:
        group.publish(declared, files, time, position)


def _written(
    group: Group, connection: psycopg.Connection[Any], declared: Declared, position: int, time: int
) -> list[NewFile]:
    timeline = group.timeline(declared)
    stretches = _weighted(group, declared, position, copied_rows(connection, declared))
    if timeline.snapshot().rows == 0:
        return [timeline.write(rows, time) for rows in stretches]
    # The table was captured before, by a slot that is gone: what differs is the change.
    before = group.current(declared).everything()
    minus = pa.array(-before.column(WEIGHT).to_numpy())
    before = before.set_column(before.schema.get_field_index(WEIGHT), before.schema.field(WEIGHT), minus)
    changes = consolidate(pa.concat_tables([before, *(rows.cast(before.schema) for rows in stretches)]))
    return [timeline.write(changes, time)] if len(changes) else []


def _weighted(
    group: Group,
    declared: Declared,
    position: int,
    stretches: Iterator[tuple[pa.Table, list[Rejection]]],
) -> Iterator[pa.Table]:
    weight = pa.field(WEIGHT, pa.int64(), nullable=False)
    lost: list[Rejection] = []
    for rows, rejected in stretches:
        lost += rejected
        yield rows.append_column(weight, pa.repeat(pa.scalar(1, pa.int64()), len(rows)))
    group.letters(declared, lost, position)

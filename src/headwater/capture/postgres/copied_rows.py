"""The rows of a PostgreSQL table, read with COPY in pieces of bounded size.

COPY's text format has one line per row and escapes whatever would break that, so rows are cut with `split`
and values unescaped only where there is a backslash.  The server sends rows as fast as they are taken, so
memory is bounded by the piece, not by the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pyarrow as pa
from psycopg import sql

from headwater.capture.intake.batch import Rejection
from headwater.capture.intake.codes import has_null
from headwater.capture.postgres.declared import Declared
from headwater.capture.postgres.stream.apply import typed_rows

__all__ = ["copied_rows"]

PIECE = 100_000  # rows
PIECE_BYTES = 32 * 1024 * 1024

_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def copied_rows(
    connection: psycopg.Connection[Any], declared: Declared
) -> Iterator[tuple[pa.Table, list[Rejection]]]:
    """The table's rows in pieces, each with the rows that the declaration cannot hold, rejected."""
    names = declared.remote_columns
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(
        sql.SQL(", ").join(map(sql.Identifier, names)), sql.Identifier(declared.schema, declared.name)
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for lines in _pieces(copy):
            yield _typed(declared, lines, names)


def _pieces(copy: Any) -> Iterator[list[bytes]]:
    rest, lines, size = b"", [], 0
    for block in copy:
        data = bytes(block)
        size += len(data)
        parts = (rest + data if rest else data).split(b"\n")
        rest = parts.pop()
        lines += parts
        if len(lines) >= PIECE or size >= PIECE_BYTES:
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
    rejected = [
        Rejection(0, lines[row].decode(errors="replace"), reason, where) for row, reason in reasons.items()
    ]
    return rows.filter(pa.array([row not in reasons for row in range(len(rows))])), rejected


def _values(column: list[bytes]) -> list[bytes | None]:
    if not any(b"\\" in value for value in column):
        return list(column)
    return [None if value == b"\\N" else _unescaped(value) for value in column]


def _unescaped(value: bytes) -> bytes:
    if b"\\" not in value:
        return value
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), value)

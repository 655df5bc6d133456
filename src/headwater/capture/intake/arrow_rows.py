"""Rows given as Arrow (from Python, Parquet files, Spark's foreachBatch) as a batch.

Types belong to the table here, not to single rows, so a column that cannot be cast to the declared type
without loss makes the whole table wrong input.  Texts, and floats where a decimal is declared, are read value
by value: one that does not fit rejects its own row, and the whole table only if none fits.
"""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from headwater.capture.intake.batch import Batch, LazyRecords, Record, row_schema, rows_batch
from headwater.capture.intake.texts import default_of, typed_texts
from headwater.capture.intake.values import canonical, typed_column
from headwater.errors import InputError
from headwater.errors.shared import no_such_column
from headwater.model import Column, Table
from headwater.sql.parsing.names import as_declared
from headwater.storage.as_python import as_python

__all__ = ["arrow_batch"]


def arrow_batch(table: Table, rows: pa.Table, file: str | None = None) -> Batch:
    """Each row is a plain row. Raises InputError if the columns do not fit the declared ones."""
    rows = rows.rename_columns(as_declared(rows.column_names, table.column_names))
    twice = [name for name, times in Counter(rows.column_names).items() if times > 1]
    if twice:
        hint = "Leave one out, or give it another name."
        raise InputError("HW852", f'there are two columns "{twice[0]}"', hint=hint)
    unknown = [name for name in rows.column_names if name not in table.column_names]
    if unknown:
        raise no_such_column(table.name, unknown[0], table.column_names)
    schema = row_schema(table)
    reasons: dict[int, str] = {}
    columns = [
        _arrow_column(rows, column, field.type, reasons)
        for field, column in zip(schema, table.columns, strict=True)
    ]
    new = pa.table(columns, schema=schema)

    def show(position: int) -> Record:
        return Record(position + 1, as_python(rows.slice(position, 1))[0], file=file)

    return rows_batch(table, new, LazyRecords(len(new), show), reasons)


def _arrow_column(rows: pa.Table, column: Column, kind: pa.DataType, reasons: dict[int, str]) -> pa.Array:
    if column.name not in rows.column_names:
        return pa.repeat(default_of(column), len(rows))
    given = _decoded(rows.column(column.name))
    try:
        typed, wrong = _cast(given, column, kind)
    except pa.ArrowException as error:
        raise _unfit(column, str(error)) from error
    if wrong and len(wrong) == len(given) - given.null_count:
        raise _unfit(column, next(iter(wrong.values())))
    for position, reason in wrong.items():
        reasons.setdefault(position, reason)
    return typed


def _cast(given: pa.ChunkedArray, column: Column, kind: pa.DataType) -> tuple[pa.Array, dict[int, str]]:
    """The column in its declared type, and reasons by position; ArrowException if it cannot be cast."""
    if not pa.types.is_string(kind) and _holds_texts(given.type):
        return typed_texts(column, _whole(given.cast(pa.string())))
    if pa.types.is_decimal(kind) and pa.types.is_floating(given.type):  # Arrow would round
        return typed_column(column, given.to_pylist())
    return canonical(_whole(given.cast(kind))), {}


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Without a dictionary, as categories have one; Arrow has no cast for all kinds of them."""
    if not pa.types.is_dictionary(column.type):
        return column
    kind = pa.string() if _holds_texts(column.type.value_type) else column.type.value_type
    chunks = [chunk.dictionary.cast(kind).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, kind)


def _holds_texts(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _unfit(column: Column, reason: str) -> InputError:
    return InputError(
        "HW852", f'column "{column.name}" does not fit: {reason}', detail=f"It is declared as {column.type}."
    )

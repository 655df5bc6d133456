"""Rows that are Arrow already (from Python, Parquet files, Spark's foreachBatch) as a batch.

Types are a property of the whole table here, not of single rows, so a column whose type cannot become the
declared one without loss is wrong input as a whole.
"""

from __future__ import annotations

import pyarrow as pa

from headwater.capture.batch import Batch, LazyRecords, Record, row_schema, rows_batch
from headwater.capture.values import canonical
from headwater.errors import InputError, did_you_mean
from headwater.model import Table

__all__ = ["arrow_batch"]


def arrow_batch(table: Table, rows: pa.Table, file: str | None = None) -> Batch:
    """Each row is a plain row. Raises InputError if the columns do not fit the declared ones."""
    unknown = [name for name in rows.column_names if name not in table.column_names]
    if unknown:
        raise InputError(
            "HW851", f'table "{table.name}" has no column "{unknown[0]}"',
            hint=did_you_mean(unknown[0], table.column_names),
        )  # fmt: skip
    schema = row_schema(table)
    columns = [_arrow_column(rows, field) for field in schema]
    new = pa.table(columns, schema=schema)

    def show(position: int) -> Record:
        return Record(position + 1, new.slice(position, 1).to_pylist()[0], file=file)

    return rows_batch(table, new, LazyRecords(len(new), show), {})


def _arrow_column(rows: pa.Table, field: pa.Field) -> pa.Array:
    if field.name not in rows.column_names:
        return pa.nulls(len(rows), field.type)
    try:
        column = rows.column(field.name).cast(field.type)
    except pa.ArrowException as error:
        raise InputError(
            "HW852", f'column "{field.name}" does not fit: {error}', detail=f"It is declared as {field.type}."
        ) from error
    whole = column.combine_chunks()
    return canonical(whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole)

"""A batch: records as columns. Operations, new rows, old rows, and what was rejected.

Records stay available beside the columns only to be shown if one is rejected; rows that came as columns
(Arrow, CSV) build a record only when it is asked for.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from headwater.model import Table
from headwater.storage.delta.types import arrow_type

__all__ = [
    "TOO_LATE",
    "Batch",
    "LazyRecords",
    "Operation",
    "Record",
    "Rejection",
    "identity",
    "joined",
    "no_rows",
    "plain_operation",
    "row_schema",
    "rows_batch",
    "without",
]

TOO_LATE = "too late"  # how the reason begins of a row that WATERMARK keeps out


class Operation(IntEnum):
    INSERT = 0
    UPSERT = 1
    UPDATE = 2
    DELETE = 3


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that was not accepted: `line` counts from 1, `text` is the record as it came."""

    line: int
    text: str
    reason: str
    file: str | None = None
    header: str | None = None  # of a line of CSV: the names of its fields
    count: int = 1  # how many rows it stands for

    @property
    def late(self) -> bool:
        """Whether nothing is wrong with it: it only comes too late (WATERMARK)."""
        return self.reason.startswith(f"{TOO_LATE}: ")


class Record(NamedTuple):
    """A record as it came: parsed, or with the reason why not. (A tuple, as there are many.)"""

    line: int
    value: Any
    text: str | None = None
    reason: str = ""
    file: str | None = None
    header: str | None = None

    def rejected(self, reason: str) -> Rejection:
        text = self.text if self.text is not None else json.dumps(self.value, default=_as_json)
        return Rejection(self.line, text, reason, self.file, self.header)


@dataclass(frozen=True, slots=True)
class Batch:
    """Records that fit the table's types.

    Columns have one entry per record, NULL where it has no such row.
    """

    operations: np.ndarray[Any, np.dtype[np.int8]]
    new: pa.Table
    old: pa.Table
    records: Sequence[Record]
    rejected: tuple[Rejection, ...]

    def __len__(self) -> int:
        return len(self.operations)


def identity(table: Table) -> tuple[str, ...]:
    """The columns that identify the row a record is about; empty if only all columns together do."""
    return table.row_key or table.key


def row_schema(table: Table) -> pa.Schema:
    """The table's columns, all nullable: an old row may consist of its key only."""
    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in table.columns])


def plain_operation(table: Table) -> Operation:
    """What a plain row means: an insert, unless the table says OPTIONS (mode 'upsert')."""
    return Operation.UPSERT if table.options.get("mode") == "upsert" else Operation.INSERT


class LazyRecords(Sequence[Record]):
    """Rows that came as columns, as records built only on demand."""

    def __init__(self, count: int, show: Callable[[int], Record]) -> None:
        self._count = count
        self._show = show

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, position: Any) -> Any:
        if position >= self._count:
            raise IndexError(position)
        return self._show(position)


def rows_batch(table: Table, new: pa.Table, records: Sequence[Record], reasons: dict[int, str]) -> Batch:
    """A batch of plain rows. Rows with a reason against them, or NULL in a required column, are rejected."""
    operations = np.full(len(new), plain_operation(table), np.int8)
    nothing = pa.table([pa.nulls(len(new), column.type) for column in new.schema], schema=new.schema)
    return without(table, Batch(operations, new, nothing, records, ()), reasons)


def without(table: Table, batch: Batch, reasons: dict[int, str]) -> Batch:
    """The batch without the records that have a reason against them; NULL in a required column is one."""
    _check_not_null(table, batch.operations, batch.new, reasons)
    if not reasons:
        return batch
    keep = np.ones(len(batch), bool)
    keep[list(reasons)] = False
    mask = pa.array(keep)
    wrong = [batch.records[position].rejected(reason) for position, reason in reasons.items()]
    return Batch(
        batch.operations[keep], batch.new.filter(mask), batch.old.filter(mask),
        [record for record, stays in zip(batch.records, keep.tolist(), strict=True) if stays],
        tuple(sorted((*batch.rejected, *wrong), key=lambda rejection: rejection.line)),
    )  # fmt: skip


def no_rows(table: Table, rejected: Sequence[Rejection]) -> Batch:
    """A batch of which everything was rejected."""
    empty = rows_batch(table, row_schema(table).empty_table(), (), {})
    return Batch(empty.operations, empty.new, empty.old, (), tuple(rejected))


def joined(batches: Sequence[Batch]) -> Batch:
    """The batches, one after the other, as a single batch."""
    if len(batches) == 1:
        return batches[0]
    starts = np.cumsum([0, *(len(batch) for batch in batches)])

    def show(position: int) -> Record:
        which = int(np.searchsorted(starts, position, side="right")) - 1
        return batches[which].records[position - int(starts[which])]

    return Batch(
        np.concatenate([batch.operations for batch in batches]),
        pa.concat_tables([batch.new for batch in batches]),
        pa.concat_tables([batch.old for batch in batches]),
        LazyRecords(int(starts[-1]), show),
        tuple(rejection for batch in batches for rejection in batch.rejected),
    )


def _as_json(value: Any) -> str:
    """A value that JSON has no form for, as a text that values.py reads back."""
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    return str(value)


def _check_not_null(
    table: Table, operations: np.ndarray[Any, np.dtype[np.int8]], new: pa.Table, reasons: dict[int, str]
) -> None:
    for column in table.columns:
        required = not column.nullable or column.name in table.key
        if not required or new.column(column.name).null_count == 0:
            continue
        missing = new.column(column.name).is_null().to_numpy() & (operations != Operation.DELETE)
        for position in np.flatnonzero(missing).tolist():
            reasons.setdefault(position, f'column "{column.name}" must not be NULL')

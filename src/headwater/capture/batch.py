"""A batch: records as columns. What is to be done, the new rows, the old rows, and what was rejected.

Records are kept beside the columns only to be shown if one is rejected; rows that came as columns (Arrow,
CSV) make a record when it is asked for, not before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from headwater.model import Table
from headwater.storage.types import arrow_type

__all__ = [
    "Batch",
    "LazyRecords",
    "Operation",
    "Record",
    "Rejection",
    "identity",
    "joined",
    "plain_operation",
    "row_schema",
    "rows_batch",
    "without",
]


class Operation(IntEnum):
    INSERT = 0
    UPSERT = 1
    UPDATE = 2
    DELETE = 3


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that was not accepted: `line` counts from one, `text` is the record as it came."""

    line: int
    text: str
    reason: str
    file: str | None = None


class Record(NamedTuple):
    """A record as it came: parsed, or with the reason why it could not be. (A tuple: there are many.)"""

    line: int
    value: Any
    text: str | None = None
    reason: str = ""
    file: str | None = None

    def rejected(self, reason: str) -> Rejection:
        text = self.text if self.text is not None else json.dumps(self.value, default=str)
        return Rejection(self.line, text, reason, self.file)


@dataclass(frozen=True, slots=True)
class Batch:
    """Records that fit the table's types. Columns have one entry per record, NULL where there is no row."""

    operations: np.ndarray[Any, np.dtype[np.int8]]
    new: pa.Table
    old: pa.Table
    records: Sequence[Record]
    rejected: tuple[Rejection, ...]

    def __len__(self) -> int:
        return len(self.operations)


def identity(table: Table) -> tuple[str, ...]:
    """The columns that say which row a record speaks of; empty if only the whole row does."""
    return table.update_key or table.key


def row_schema(table: Table) -> pa.Schema:
    """The table's columns, all nullable: a batch may hold half-filled old rows."""
    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in table.columns])


def plain_operation(table: Table) -> Operation:
    """What a plain row means: an insert, unless the table says OPTIONS (mode 'upsert')."""
    return Operation.UPSERT if table.options.get("mode") == "upsert" else Operation.INSERT


class LazyRecords(Sequence[Record]):
    """Rows that came as columns, as records made only when one is asked for."""

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
    """A batch of plain rows; those with a reason against them, or a NULL too many, are rejected."""
    operations = np.full(len(new), plain_operation(table), np.int8)
    nothing = pa.table([pa.nulls(len(new), column.type) for column in new.schema], schema=new.schema)
    return without(table, Batch(operations, new, nothing, records, ()), reasons)


def without(table: Table, batch: Batch, reasons: dict[int, str]) -> Batch:
    """The batch without the records that have a reason against them; a NULL too many is one."""
    _check_not_null(table, batch.operations, batch.new, reasons)
    if not reasons:
        return batch
    keep = np.ones(len(batch), bool)
    keep[list(reasons)] = False
    mask = pa.array(keep)
    wrong = [batch.records[position].rejected(reason) for position, reason in reasons.items()]
    return Batch(
        batch.operations[keep], batch.new.filter(mask), batch.old.filter(mask),
        [record for record, kept in zip(batch.records, keep.tolist(), strict=True) if kept],
        tuple(sorted((*batch.rejected, *wrong), key=lambda one: one.line)),
    )  # fmt: skip


def joined(batches: Sequence[Batch]) -> Batch:
    """One batch after the other."""
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
        tuple(one for batch in batches for one in batch.rejected),
    )


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

"""Records from outside as columns: what is to be done, the new rows, the old rows, and what is wrong.

A record is a plain row or an envelope:

    {"id": 1, "total": 9.99}                                   insert (upsert if the table says mode 'upsert')
    {"op": "insert" | "upsert", "row": {...}}
    {"op": "update", "row": {...new...}, "old": {...}}         old: its key; without it, the key of row
    {"op": "delete", "row": {...}}                             or "old"; the key is enough if there is one

A new row is always a whole row: a column that is missing is NULL, and rejected if the column is NOT NULL.
The old row needs the columns of the table's identity (update key, else primary key); a table without one
needs the whole old row.  A record that does not fit is rejected with a reason and no other suffers from it.

Cost: JSON is parsed once, then everything goes column by column (values.py); no object per row is made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from headwater.capture.values import canonical, typed_column
from headwater.errors import InputError, did_you_mean
from headwater.model import Table
from headwater.storage.types import arrow_type

__all__ = ["Batch", "Operation", "Record", "Rejection", "batch_of", "identity", "json_records", "row_schema"]


class Operation(IntEnum):
    INSERT = 0
    UPSERT = 1
    UPDATE = 2
    DELETE = 3


_OPERATIONS = {operation.name.lower(): operation for operation in Operation}
_ENVELOPE = frozenset({"op", "row", "old"})


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that was not accepted: `line` counts from one, `text` is the record as it came."""

    line: int
    text: str
    reason: str


class Record(NamedTuple):
    """A record as it came: parsed, or with the reason why it could not be. (A tuple: there are many.)"""

    line: int
    value: Any
    text: str | None = None
    reason: str = ""

    def shown(self) -> str:
        return self.text if self.text is not None else json.dumps(self.value, default=str)


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


def json_records(table: Table, lines: Iterable[bytes], strict: bool = False) -> Iterator[Record]:
    """Parse JSON lines; numbers stay exact where a column is a decimal. Blank lines are skipped."""
    exact = any(column.type.startswith("decimal") for column in table.columns)
    decode = json.JSONDecoder(parse_float=Decimal if exact else None).raw_decode
    for number, line in enumerate(lines, start=1):
        raw = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not raw.strip():
            continue
        try:
            text = raw.decode().strip()
            value, end = decode(text)
            if end != len(text):
                raise json.JSONDecodeError("Extra data", text, end)
            yield Record(number, value, text)
        except (ValueError, RecursionError) as error:
            if strict:
                raise InputError(
                    "HW850", f"line {number} is not JSON", detail=_json_reason(error),
                    hint="Correct the line; nothing of the file was ingested.",
                ) from error  # fmt: skip
            yield Record(
                number, None, raw.decode(errors="replace").strip(), f"not JSON: {_json_reason(error)}"
            )


def _json_reason(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return f"{error.msg} at column {error.colno}"
        case UnicodeDecodeError():
            return "the bytes are not UTF-8"
        case _:
            return str(error)


def batch_of(table: Table, records: Iterable[Record] | pa.Table) -> Batch:
    """Type the records. Of an Arrow table, each row is a plain row."""
    plain = Operation.UPSERT if table.options.get("mode") == "upsert" else Operation.INSERT
    if isinstance(records, pa.Table):
        return _of_arrow(table, records, plain)
    return _Gathering(table, plain).gather(records)


class _Gathering:
    """Records taken apart into operations, new rows and old rows."""

    def __init__(self, table: Table, plain: Operation) -> None:
        self.table = table
        self.plain = plain
        self.names = frozenset(table.column_names)
        self.identity = frozenset(identity(table))

    def gather(self, records: Iterable[Record]) -> Batch:
        kept: list[Record] = []
        taken: list[tuple[Operation, Mapping[str, Any], Mapping[str, Any]]] = []
        rejected: list[Rejection] = []
        names, plain, simple = self.names, self.plain, "op" not in self.names
        nothing: dict[str, Any] = {}
        for record in records:
            value = record.value
            if simple and type(value) is dict and value and value.keys() <= names:
                kept.append(record)
                taken.append((plain, value, nothing))
                continue
            reason = record.reason
            if not reason:
                found = self._take(value)
                if isinstance(found, tuple):
                    kept.append(record)
                    taken.append(found)
                    continue
                reason = found
            rejected.append(Rejection(record.line, record.shown(), reason))
        return self._typed(kept, taken, rejected)

    def _take(self, value: Any) -> tuple[Operation, Mapping[str, Any], Mapping[str, Any]] | str:
        if not isinstance(value, Mapping):
            return "not a JSON object"
        if not _is_envelope(value):
            return self._unknown(value) or (self.plain, value, {}) if value else "an empty object is no row"
        operation = _OPERATIONS.get(value["op"])
        if operation is None:
            return f'unknown op "{value["op"]}": use insert, upsert, update or delete'
        row, old = value.get("row") or {}, value.get("old") or {}
        if operation is Operation.DELETE:
            row, old = {}, old or row
        elif not row:
            return f'op "{value["op"]}" needs "row"'
        if reason := self._unknown(row) or self._unknown(old):
            return reason
        return self._with_old(operation, row, old)

    def _with_old(
        self, operation: Operation, row: Mapping[str, Any], old: Mapping[str, Any]
    ) -> tuple[Operation, Mapping[str, Any], Mapping[str, Any]] | str:
        if operation in (Operation.INSERT, Operation.UPSERT):
            return operation, row, {}
        if not self.identity:
            name = operation.name.lower()
            return (operation, row, old) if old else f'op "{name}" needs the whole old row: there is no key'
        old = old or row
        missing = self.identity - old.keys()
        return f'the old row lacks "{min(missing)}" of the key' if missing else (operation, row, old)

    def _unknown(self, row: Mapping[str, Any]) -> str:
        for name in row:
            if name not in self.names:
                hint = did_you_mean(str(name), self.names)
                return f'unknown column "{name}"' + (f", {hint}" if hint else "")
        return ""

    def _typed(
        self,
        records: list[Record],
        taken: list[tuple[Operation, Mapping[str, Any], Mapping[str, Any]]],
        rejected: list[Rejection],
    ) -> Batch:
        operations = np.fromiter((one[0] for one in taken), np.int8, len(taken))
        reasons: dict[int, str] = {}
        new = self._columns([one[1] for one in taken], reasons)
        olds = [one[2] for one in taken]
        old = self._columns(olds, reasons) if any(olds) else row_schema(self.table).empty_table()
        if len(old) != len(new):
            old = pa.table([pa.nulls(len(new), field.type) for field in new.schema], schema=new.schema)
        _check_not_null(self.table, operations, new, reasons)
        return _without(Batch(operations, new, old, records, tuple(rejected)), reasons)

    def _columns(self, rows: list[Mapping[str, Any]], reasons: dict[int, str]) -> pa.Table:
        arrays = []
        for column in self.table.columns:
            name = column.name
            array, wrong = typed_column(column, [row.get(name) for row in rows])
            arrays.append(array)
            for position, reason in wrong.items():
                reasons.setdefault(position, reason)
        return pa.table(arrays, schema=row_schema(self.table))


def _is_envelope(value: Mapping[str, Any]) -> bool:
    """No scalar column can hold an object, so a row is never mistaken for an envelope."""
    return (
        isinstance(value.get("op"), str)
        and value.keys() <= _ENVELOPE
        and (isinstance(value.get("row"), Mapping) or isinstance(value.get("old"), Mapping))
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


def _without(batch: Batch, reasons: Mapping[int, str]) -> Batch:
    """The batch without the records that have a reason against them."""
    if not reasons:
        return batch
    keep = np.ones(len(batch), bool)
    keep[list(reasons)] = False
    mask = pa.array(keep)
    wrong = [
        Rejection(batch.records[position].line, batch.records[position].shown(), reason)
        for position, reason in reasons.items()
    ]
    return Batch(
        batch.operations[keep], batch.new.filter(mask), batch.old.filter(mask),
        [record for record, kept in zip(batch.records, keep.tolist(), strict=True) if kept],
        tuple(sorted((*batch.rejected, *wrong), key=lambda one: one.line)),
    )  # fmt: skip


def _of_arrow(table: Table, rows: pa.Table, plain: Operation) -> Batch:
    """An Arrow table's own types must fit the declared ones without loss."""
    unknown = [name for name in rows.column_names if name not in table.column_names]
    if unknown:
        raise InputError(
            "HW851", f'table "{table.name}" has no column "{unknown[0]}"',
            hint=did_you_mean(unknown[0], table.column_names),
        )  # fmt: skip
    schema = row_schema(table)
    columns = [_arrow_column(rows, field) for field in schema]
    new = pa.table(columns, schema=schema)
    nothing = pa.table([pa.nulls(len(new), field.type) for field in schema], schema=schema)
    operations = np.full(len(new), plain, np.int8)
    reasons: dict[int, str] = {}
    _check_not_null(table, operations, new, reasons)
    return _without(Batch(operations, new, nothing, _ArrowRecords(new), ()), reasons)


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


class _ArrowRecords(Sequence[Record]):
    """Rows of an Arrow table as records, made only when one is asked for."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: Any) -> Any:
        return Record(position + 1, self._rows.slice(position, 1).to_pylist()[0])

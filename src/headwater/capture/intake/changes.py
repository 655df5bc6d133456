"""Records from outside as columns: operations, new rows, old rows, and what is wrong.

A record is a plain row or an envelope:

    {"id": 1, "total": 9.99}                                   insert (upsert if the table says mode 'upsert')
    {"op": "insert" | "upsert", "row": {...}}
    {"op": "update", "row": {...new...}, "old": {...}}         old: at least its key; default: the key of row
    {"op": "delete", "row": {...}}                             or "old"; the key is enough if there is one

A new row is always complete: a missing column is its DEFAULT or else NULL, and the record is rejected if that
column is NOT NULL.  The old row needs the columns of the table's identity (update key, else primary key); a
table without one needs the complete old row.  A record that does not fit is rejected with a reason; no other
record is affected.

Cost: JSON is parsed once, then everything is done column by column (values.py); no object per row is built.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.intake.batch import (
    Batch,
    Operation,
    Record,
    Rejection,
    plain_operation,
    row_schema,
    without,
)
from headwater.capture.intake.texts import default_of
from headwater.capture.intake.values import typed_column
from headwater.errors import InputError, did_you_mean
from headwater.model import Table
from headwater.sql.parsing.names import as_declared

__all__ = ["is_envelope", "json_records", "records_batch"]

_OPERATIONS = {operation.name.lower(): operation for operation in Operation}
_ENVELOPE = frozenset({"op", "row", "old"})
_Parts = tuple[Operation, Mapping[str, Any], Mapping[str, Any]]  # operation, new row, old row


def json_records(
    table: Table, lines: Iterable[bytes], strict: bool = False, file: str | None = None
) -> Iterator[Record]:
    """Parse JSON lines. Numbers stay exact if a column is a decimal; blank lines are skipped."""
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
            yield Record(number, value, text, "", file)
        except (ValueError, RecursionError) as error:
            if strict:
                raise InputError(
                    "HW850", f"line {number} is not JSON", detail=_json_reason(error),
                    hint="Correct the line; nothing of the file was ingested.",
                ) from error  # fmt: skip
            shown = raw.decode(errors="replace").strip()
            yield Record(number, None, shown, f"not JSON: {_json_reason(error)}", file)


def _json_reason(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return f"{error.msg} at column {error.colno}"
        case UnicodeDecodeError():
            return "the bytes are not UTF-8"
        case _:
            return str(error)


def records_batch(table: Table, records: Iterable[Record]) -> Batch:
    """The records as typed columns."""
    return _RecordReader(table).read(records)


class _RecordReader:
    """Splits records into operations, new rows and old rows."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.plain = plain_operation(table)
        self.names = frozenset(table.column_names)
        self.identity = frozenset(table.identity)

    def read(self, records: Iterable[Record]) -> Batch:
        accepted: list[Record] = []
        parts: list[_Parts] = []
        rejected: list[Rejection] = []
        names, plain, simple = self.names, self.plain, "op" not in self.names
        nothing: dict[str, Any] = {}
        for record in records:
            value = record.value
            if simple and type(value) is dict and value and value.keys() <= names:
                accepted.append(record)
                parts.append((plain, value, nothing))
                continue
            split = record.reason or self._split(value)
            if isinstance(split, str):
                rejected.append(record.rejected(split))
            else:
                accepted.append(record)
                parts.append(split)
        return self._typed(accepted, parts, rejected)

    def _split(self, value: Any) -> _Parts | str:
        """Operation, new row and old row of a record, or the reason why it is wrong."""
        if not isinstance(value, Mapping):
            return "not a JSON object"
        if not is_envelope(value):
            row = self._spelt(value)
            return self._unknown(row) or (self.plain, row, {}) if row else "an empty object is no row"
        operation = _OPERATIONS.get(value["op"])
        if operation is None:
            return f'unknown op "{value["op"]}": use insert, upsert, update or delete'
        row, old = self._spelt(value.get("row") or {}), self._spelt(value.get("old") or {})
        if operation is Operation.DELETE:
            row, old = {}, old or row
        elif not row:
            return f'op "{value["op"]}" needs "row"'
        if reason := self._unknown(row) or self._unknown(old):
            return reason
        return self._with_old(operation, row, old)

    def _with_old(self, operation: Operation, row: Mapping[str, Any], old: Mapping[str, Any]) -> _Parts | str:
        if operation in (Operation.INSERT, Operation.UPSERT):
            return operation, row, {}
        if not self.identity:
            name = operation.name.lower()
            return (operation, row, old) if old else f'op "{name}" needs the whole old row: there is no key'
        old = old or row
        missing = self.identity - old.keys()
        return f'the old row lacks "{min(missing)}" of the key' if missing else (operation, row, old)

    def _spelt(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """The row with its names as they are declared."""
        if row.keys() <= self.names:
            return row
        names = as_declared(map(str, row), self.table.column_names)
        return dict(zip(names, row.values(), strict=True))

    def _unknown(self, row: Mapping[str, Any]) -> str:
        for name in row:
            if name not in self.names:
                hint = did_you_mean(str(name), self.names)
                return f'unknown column "{name}"' + (f", {hint}" if hint else "")
        return ""

    def _typed(
        self,
        records: list[Record],
        parts: list[_Parts],
        rejected: list[Rejection],
    ) -> Batch:
        operations = np.fromiter((operation for operation, _, _ in parts), np.int8, len(parts))
        reasons: dict[int, str] = {}
        new = self._columns([row for _, row, _ in parts], reasons)
        olds = [old for _, _, old in parts]
        old = self._columns(olds, reasons) if any(olds) else row_schema(self.table).empty_table()
        if len(old) != len(new):
            old = pa.table([pa.nulls(len(new), field.type) for field in new.schema], schema=new.schema)
        return without(self.table, Batch(operations, new, old, records, tuple(rejected)), reasons)

    def _columns(self, rows: list[Mapping[str, Any]], reasons: dict[int, str]) -> pa.Table:
        arrays = []
        for column in self.table.columns:
            name, default = column.name, default_of(column).as_py()
            array, wrong = typed_column(column, [row.get(name, default) for row in rows])
            arrays.append(array)
            for position, reason in wrong.items():
                reasons.setdefault(position, reason)
        return pa.table(arrays, schema=row_schema(self.table))


def is_envelope(value: Mapping[str, Any]) -> bool:
    """Whether it is an envelope. No scalar column can hold an object, so a row is never mistaken for one."""
    return (
        isinstance(value.get("op"), str)
        and value.keys() <= _ENVELOPE
        and (isinstance(value.get("row"), Mapping) or isinstance(value.get("old"), Mapping))
    )

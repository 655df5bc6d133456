"""Pages of a view's rows: each begins after the last row of the one before, wherever that row is by then.

Rows have an order (their columns from left to right, NULL first), and a cursor says after which row to go on:
its values, and how many copies of it were given.  So pages neither repeat nor leave out a row that was there
all the time, whatever is inserted or deleted meanwhile; an offset would.

Sorting is done once for a state of a view; a page is then a binary search and a slice.  Columns that cannot
be compared (structs, lists, maps) are ordered by their text.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.errors import InputError
from headwater.serve.json_text import compact_json
from headwater.storage.as_python import column_as_python

__all__ = ["Page", "Sorted", "page", "sort_rows"]

Key = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Sorted:
    """The rows of a view in order, and beside them what they are ordered by."""

    rows: pa.Table
    keys: pa.Table

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return int(self.rows.nbytes + self.keys.nbytes)

    def key(self, position: int) -> Key:
        return tuple(_comparable(column[position].as_py()) for column in self.keys.columns)


@dataclass(frozen=True, slots=True)
class Page:
    rows: pa.Table
    next: str | None  # the cursor of the page after this one; None: there is none


def sort_rows(rows: pa.Table) -> Sorted:
    names = [str(at) for at in range(rows.num_columns)]
    keys = pa.table([_sortable(column) for column in rows.columns], names=names)
    if rows.num_rows < 2 or not rows.num_columns:
        return Sorted(rows, keys)
    table, ascending = _sorting(keys)
    order = pc.sort_indices(table, options=ascending)
    return Sorted(rows.take(order), keys.take(order))


def _sorting(keys: pa.Table) -> tuple[pa.Table, pc.SortOptions]:
    """What to sort, and how: before a column with NULLs comes whether it has a value, so they are first."""
    columns: list[pa.ChunkedArray] = []
    for column in keys.columns:
        columns += [pc.is_valid(column), column] if column.null_count else [column]
    names = [str(at) for at in range(len(columns))]
    ascending = pc.SortOptions(sort_keys=[(name, "ascending") for name in names])
    return pa.table(columns, names=names), ascending


def page(ordered: Sorted, limit: int, cursor: str | None = None) -> Page:
    """At most `limit` rows after the cursor. InputError if it is no cursor of these columns."""
    start = 0 if cursor is None else _position(ordered, cursor)
    end = min(start + limit, ordered.rows.num_rows)
    more = end < ordered.rows.num_rows and end > start
    return Page(ordered.rows.slice(start, end - start), _cursor(ordered, end - 1) if more else None)


def _cursor(ordered: Sorted, last: int) -> str:
    values = [column[last].as_py() for column in ordered.keys.columns]
    copies = last - _first(ordered, ordered.key(last)) + 1
    text = compact_json([_names(ordered), copies, values])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _position(ordered: Sorted, cursor: str) -> int:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        names, copies, values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if names != _names(ordered) or not isinstance(copies, int) or not 0 < copies < 1 << 60:
            raise ValueError("of other columns")
        key = tuple(
            _comparable(_read(value, column.type))
            for value, column in zip(values, ordered.keys.columns, strict=True)
        )
        first = _first(ordered, key)
        return min(first + copies, _first(ordered, key, after=True))
    except (ValueError, TypeError, RecursionError, InvalidOperation, binascii.Error):
        raise InputError("HW963", "the cursor cannot be used", hint="Begin again without a cursor.") from None


def _names(ordered: Sorted) -> list[str]:
    return list(ordered.rows.column_names)


def _first(ordered: Sorted, key: Key, after: bool = False) -> int:
    """The first row that is not before a key; with `after`, the first one after it."""
    low, high = 0, ordered.rows.num_rows
    while low < high:
        middle = (low + high) // 2
        there = ordered.key(middle)
        if there < key or (after and there == key):
            low = middle + 1
        else:
            high = middle
    return low


def _comparable(value: Any) -> tuple[Any, ...]:
    """A value as rows are ordered: NULL, then values, then NaN."""
    if value is None:
        return (0,)
    return (2,) if isinstance(value, float) and math.isnan(value) else (1, value)


def _read(value: Any, kind: pa.DataType) -> Any:
    """A value of a cursor as the column has it; ValueError or TypeError if it is none."""
    if value is None:
        return None
    for matches, read in _READERS:
        if matches(kind):
            return read(value)
    raise ValueError("not a type of a column that rows are ordered by")


def _checked(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"not of type {kind.__name__}")
        return value

    return read


_READERS: Sequence[tuple[Callable[[pa.DataType], bool], Callable[[Any], Any]]] = (
    (pa.types.is_boolean, _checked(bool)),
    (pa.types.is_integer, _checked(int)),
    (pa.types.is_floating, float),
    (pa.types.is_decimal, lambda value: Decimal(_checked(str)(value))),
    (pa.types.is_string, _checked(str)),
    (pa.types.is_binary, bytes.fromhex),
)


def _sortable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of a type that Arrow sorts and JSON can hold exactly."""
    kind = column.type
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        whole = pa.int32() if pa.types.is_date32(kind) or pa.types.is_time32(kind) else pa.int64()
        return column.cast(whole).cast(pa.int64())
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    if pa.types.is_large_string(kind) or pa.types.is_string(kind):
        return column.cast(pa.string())
    if any(matches(kind) for matches, _ in _READERS):
        return column
    texts = [None if value is None else compact_json(value) for value in column_as_python(column)]
    return pa.chunked_array([pa.array(texts, pa.string())])

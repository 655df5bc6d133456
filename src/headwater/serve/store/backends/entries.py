"""The entries of an index for one row: their keys as bytes, by the rules of bounds/plans/store.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from headwater.bounds.plans.evaluate import evaluate, is_true
from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.store import Interval, part_values
from headwater.serve.store.backends.keys import beyond, key_of, part_bytes
from headwater.serve.store.protocol import Row, StoredIndex, StoredTable

__all__ = ["entry_keys", "range_of", "row_key"]


def row_key(table: StoredTable) -> Callable[[Row], bytes]:
    """The key of a row in its table."""
    key = table.key
    return lambda row: key_of([row[name] for name in key])


def entry_keys(stored: StoredIndex, table: StoredTable, row: Row) -> Iterator[bytes]:
    """The keys under which an index holds a row: none, one, or one for each word of a text."""
    index = stored.index
    given = {"": row}
    if not all(is_true(evaluate(condition, given, {})) for condition in index.where):
        return
    end = key_of([row[name] for name in table.key])
    for values in part_values(tuple(part.expr for part in index.parts), dict(row)):
        yield key_of(values, index.parts) + end


def range_of(
    index: Index, prefix: tuple[Any, ...], interval: Interval | None, after: Any
) -> tuple[bytes, bytes]:
    """The keys of a scan, from the first to below the second; no second one (b"") is no limit."""
    start = key_of(prefix, index.parts)
    stop = beyond(start) if start else b""
    if len(prefix) >= len(index.parts):
        return start, stop
    part = index.parts[len(prefix)]

    def bytes_of(value: Any) -> bytes:
        return start + part_bytes(value, part.descending, part.nulls_first)

    low, high = start, stop
    if interval is not None:
        low, high = start + b"\x01", start + b"\x02"  # values, no NULLs
        first, last = interval.low, interval.high
        first_open, last_open = interval.low_open, interval.high_open
        if part.descending:
            first, last, first_open, last_open = last, first, last_open, first_open
        if first is not None:
            low = beyond(bytes_of(first)) if first_open else bytes_of(first)
        if last is not None:
            high = bytes_of(last) if last_open else beyond(bytes_of(last))
    if after is not ...:
        low = max(low, beyond(bytes_of(after)))
    return low, high

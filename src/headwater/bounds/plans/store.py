"""What an ordered key/value store must offer, and one that lives in memory.

A store keeps, for each table and each index, entries sorted by the index's parts.  NULL sorts before
everything in an ascending part unless the part says otherwise.  `MemoryStore` is the reference: a few lines,
slow to write, and strict: an index entry holds only what the index really carries, so a plan that reads a
column it did not pay for fails at once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import total_ordering
from typing import Any, NamedTuple, Protocol

from headwater.algebra.expressions.matching import words
from headwater.algebra.expressions.tree import Call, Column, Expr
from headwater.bounds.plans.evaluate import evaluate, is_true
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.query.catalog import Catalog

__all__ = ["ROWID", "Entry", "Interval", "MemoryStore", "RangeRead", "Store", "part_values", "sort_key"]

ROWID = "$rowid"  # the key of a table that declares none

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of values, never of NULL; None: open at that end."""

    low: Any = None
    low_open: bool = False
    high: Any = None
    high_open: bool = False

    def narrowed(self, kind: str, edge: Any) -> Interval:
        """The part of it that is also lt, lte, gt or gte (`kind`) the edge."""
        tight = kind in ("gt", "lt")
        if kind in ("gt", "gte"):
            closer = self.low is None or edge > self.low or (edge == self.low and tight)
            return replace(self, low=edge, low_open=tight) if closer else self
        closer = self.high is None or edge < self.high or (edge == self.high and tight)
        return replace(self, high=edge, high_open=tight) if closer else self

    def holds(self, value: Any) -> bool:
        if value is None:
            return False
        if self.low is not None and (value < self.low or (self.low_open and value == self.low)):
            return False
        return self.high is None or not (value > self.high or (self.high_open and value == self.high))


class RangeRead(NamedTuple):
    """Entries over an index whose first parts equal `prefix` and whose next is in `interval`, in order.

    `after`: only those whose next part comes after this value (a skip scan's step).  `table`: the table whose
    index is meant, where it has another name than the index's.
    """

    over: Index
    prefix: tuple[Any, ...] = ()
    interval: Interval | None = None
    reverse: bool = False
    limit: int | None = None
    after: Any = ...
    table: str = ""


class Store(Protocol):
    """Two questions, each answer one operation."""

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None: ...

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        """Several gets in one message; each counts as an operation."""
        ...

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        """The entries of a range, in order."""
        ...


@total_ordering
@dataclass(frozen=True, slots=True)
class _Down:
    """Turns an order round."""

    value: Any

    def __lt__(self, other: _Down) -> bool:
        return bool(other.value < self.value)


def sort_key(value: Any, descending: bool = False, nulls_first: bool = True) -> tuple[Any, ...]:
    """A key under which values and NULLs sort as an ORDER BY item says; NaN lies above every number."""
    if value is None:
        return (0,) if nulls_first else (4,)
    if value != value:  # NaN, which Python can compare with nothing
        return (1,) if descending else (3,)
    return (2, _Down(value) if descending else value)


@dataclass(slots=True)
class MemoryStore:
    catalog: Catalog
    rows: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = field(default_factory=dict)
    indexes: dict[Index, list[tuple[tuple[Any, ...], Entry]]] = field(default_factory=dict)

    @staticmethod
    def of(catalog: Catalog, data: Mapping[str, Iterable[Mapping[str, Any]]]) -> MemoryStore:
        store = MemoryStore(catalog)
        for table, rows in data.items():
            for row in rows:
                store.put(table, row)
        return store

    def put(self, table: str, row: Mapping[str, Any]) -> None:
        held = self.rows.setdefault(table, {})
        full = {**row, ROWID: row.get(ROWID, len(held))}
        held[self._key(table, full)] = full
        self._forget(table)

    def delete(self, table: str, row: Mapping[str, Any]) -> None:
        self.rows.get(table, {}).pop(self._key(table, row), None)
        self._forget(table)

    def _forget(self, table: str) -> None:
        """Indexes are built when first read after a change: simple, and right."""
        for index in [index for index in self.indexes if index.table == table]:
            del self.indexes[index]

    def _key(self, table: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(row[name] for name in self.catalog[table].key or (ROWID,))

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        return self.rows.get(table, {}).get(key)

    def multi_get(self, table: str, keys: Sequence[tuple[Any, ...]]) -> Sequence[Entry | None]:
        return [self.get(table, key) for key in keys]

    def scan(self, wanted: RangeRead) -> Sequence[Entry]:
        index, prefix, interval, reverse, limit, after, table = wanted
        entries = self._entries(index if not table else replace(index, table=table))
        first, length = _prefix_key(index, prefix), len(prefix)
        start = bisect_left(entries, first, key=lambda keyed: keyed[0][:length])
        end = bisect_right(entries, first, key=lambda keyed: keyed[0][:length])
        inside = [
            entry for _, entry in entries[start:end] if self._inside(index, entry, prefix, interval, after)
        ]
        if reverse:
            inside.reverse()
        return [entry["$entry"] for entry in inside[:limit]]

    def _inside(
        self, index: Index, entry: Entry, prefix: tuple[Any, ...], interval: Interval | None, after: Any
    ) -> bool:
        if len(prefix) >= len(index.parts):
            return True
        value = entry["$values"][len(prefix)]
        if after is not ...:
            part = index.parts[len(prefix)]
            if not _sort(part, value) > _sort(part, after):
                return False
        return interval is None or interval.holds(value)

    def _entries(self, index: Index) -> list[tuple[tuple[Any, ...], Entry]]:
        if index not in self.indexes:
            rows = self.rows.get(index.table, {}).values()
            entries = [entry for row in rows for entry in self._entries_of(index, row)]
            self.indexes[index] = sorted(entries, key=lambda keyed: keyed[0])
        return self.indexes[index]

    def _entries_of(self, index: Index, row: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], Entry]]:
        if not all(is_true(evaluate(condition, {"": row}, {})) for condition in index.where):
            return
        key = self.catalog[index.table].key or (ROWID,)
        held = {
            *key,
            *index.include,
            *(part.expr.name for part in index.parts if isinstance(part.expr, Column)),
        }
        entry = dict(row) if index.primary else {name: row[name] for name in held}
        for values in part_values(tuple(part.expr for part in index.parts), row):
            keys = [_sort(part, value) for part, value in zip(index.parts, values, strict=True)]
            keys += [sort_key(row[name]) for name in key]
            yield tuple(keys), {"$entry": entry, "$values": values}


def part_values(exprs: tuple[Expr, ...], row: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The parts' values: one combination, or one for each word of a TOKEN part."""
    if not exprs:
        yield ()
        return
    first = exprs[0]
    if isinstance(first, Call) and first.function == "token":
        options: Iterable[Any] = sorted(words(evaluate(first.arguments[0], {"": row}, {})))
    else:
        options = (evaluate(first, {"": row}, {}),)
    for option in options:
        for rest in part_values(exprs[1:], row):
            yield (option, *rest)


def _sort(part: IndexPart, value: Any) -> tuple[Any, ...]:
    return sort_key(value, part.descending, part.nulls_first)


def _prefix_key(index: Index, prefix: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_sort(part, value) for part, value in zip(index.parts, prefix, strict=False))

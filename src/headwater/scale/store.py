"""What an ordered key/value store must offer, and one that lives in memory.

A store keeps, for each table and each index, entries sorted by the index's parts.  NULL sorts before
everything in an ascending part unless the part says otherwise.  `MemoryStore` is the reference: a few lines,
slow to write, and strict: an index entry holds only what the index really carries, so a plan that reads a
column it did not pay for fails at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Protocol

from headwater.scale.catalog import Catalog
from headwater.scale.evaluate import evaluate, is_true, tokens
from headwater.scale.expr import Col, Expr, Fn
from headwater.scale.plan import Index, IndexPart

__all__ = ["ROWID", "Interval", "MemoryStore", "Store", "sort_key"]

ROWID = "$rowid"  # the key of a table that declares none

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of values, never of NULL; None: open at that end."""

    low: Any = None
    low_open: bool = False
    high: Any = None
    high_open: bool = False

    def holds(self, value: Any) -> bool:
        if value is None:
            return False
        if self.low is not None and (value < self.low or (self.low_open and value == self.low)):
            return False
        return self.high is None or not (value > self.high or (self.high_open and value == self.high))


class Store(Protocol):
    """Two questions, each one operation."""

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None: ...

    def scan(
        self,
        index: Index,
        prefix: tuple[Any, ...],
        interval: Interval | None = None,
        reverse: bool = False,
        limit: int | None = None,
        after: Any = ...,
    ) -> Sequence[Entry]:
        """Entries whose first parts equal `prefix` and whose next is in `interval`, in order.

        `after`: only those whose next part comes after this value (a skip scan's step).
        """
        ...


@total_ordering
@dataclass(frozen=True, slots=True)
class _Down:
    """Turns an order round."""

    value: Any

    def __lt__(self, other: _Down) -> bool:
        return bool(other.value < self.value)


def sort_key(value: Any, descending: bool = False, nulls_first: bool = True) -> tuple[Any, ...]:
    """A key under which values and NULLs sort as an ORDER BY item says."""
    if value is None:
        return (0,) if nulls_first else (2,)
    return (1, _Down(value) if descending else value)


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
        for index in [one for one in self.indexes if one.table == table]:
            del self.indexes[index]

    def _key(self, table: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(row[name] for name in self.catalog[table].key or (ROWID,))

    def get(self, table: str, key: tuple[Any, ...]) -> Entry | None:
        return self.rows.get(table, {}).get(key)

    def scan(
        self,
        index: Index,
        prefix: tuple[Any, ...],
        interval: Interval | None = None,
        reverse: bool = False,
        limit: int | None = None,
        after: Any = ...,
    ) -> Sequence[Entry]:
        entries = self._entries(index)
        start = bisect_left(entries, _prefix_key(index, prefix), key=lambda one: one[0][: len(prefix)])
        end = start
        while end < len(entries) and entries[end][0][: len(prefix)] == _prefix_key(index, prefix):
            end += 1
        found = [
            entry for _, entry in entries[start:end] if self._inside(index, entry, prefix, interval, after)
        ]
        if reverse:
            found.reverse()
        return [entry["$entry"] for entry in (found if limit is None else found[:limit])]

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
            made = [
                entry for row in self.rows.get(index.table, {}).values() for entry in self._make(index, row)
            ]
            self.indexes[index] = sorted(made, key=lambda one: one[0])
        return self.indexes[index]

    def _make(self, index: Index, row: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], Entry]]:
        if not all(is_true(evaluate(one, {"": row}, {})) for one in index.where):
            return
        key = self.catalog[index.table].key or (ROWID,)
        held = {*key, *index.include, *(part.expr.name for part in index.parts if isinstance(part.expr, Col))}
        entry = dict(row) if index.primary else {name: row[name] for name in held}
        for values in _values(tuple(part.expr for part in index.parts), row):
            keys = [_sort(part, value) for part, value in zip(index.parts, values, strict=True)]
            keys += [sort_key(row[name]) for name in key]
            yield tuple(keys), {"$entry": entry, "$values": values}


def _values(exprs: tuple[Expr, ...], row: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The parts' values: one combination, or one for each word of a TOKEN part."""
    if not exprs:
        yield ()
        return
    first = exprs[0]
    if isinstance(first, Fn) and first.name == "token":
        options: Iterable[Any] = sorted(tokens(evaluate(first.arguments[0], {"": row}, {})))
    else:
        options = (evaluate(first, {"": row}, {}),)
    for option in options:
        for rest in _values(exprs[1:], row):
            yield (option, *rest)


def _sort(part: IndexPart, value: Any) -> tuple[Any, ...]:
    return sort_key(value, part.descending, part.nulls_first)


def _prefix_key(index: Index, prefix: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_sort(part, value) for part, value in zip(index.parts, prefix, strict=False))

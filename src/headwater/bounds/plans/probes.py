"""Reading a store for one probe: the values its leading parts are bound to, the range, the entries.

Every answer of the store is counted here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from headwater.algebra.expressions.matching import like_prefix
from headwater.algebra.expressions.tree import Call, Expr, Parameter
from headwater.algebra.expressions.values import as_text
from headwater.bounds.plans.evaluate import Row, evaluate
from headwater.bounds.plans.plan import Each, Equal, OneOf, Probe
from headwater.bounds.plans.store import ROWID, Interval, RangeRead, Store
from headwater.bounds.query.catalog import Catalog

__all__ = ["BrokenAssumption", "StoreReader"]

Ranges = tuple[tuple[str, Expr], ...]
Values = tuple[Any, ...]


class BrokenAssumption(Exception):
    """A row contradicts what the plan was told: a reference without a target, a pattern that is no prefix."""


@dataclass(slots=True)
class StoreReader:
    """Asks the store and counts: `operations` are answers of the store, `read` the rows in them."""

    store: Store
    catalog: Catalog
    params: dict[str, Any]
    operations: int = 0
    read: int = 0

    def entries(self, probe: Probe, row: Row) -> Iterator[Mapping[str, Any]]:
        """The index entries, or the rows themselves, that a probe reads for one input row."""
        interval = self._interval(probe.ranges, row)
        if probe.ranges and interval is None:
            return
        limit = None if probe.limit is None else int(evaluate(probe.limit, row, self.params))
        for values in self._combinations(probe, row, ()):
            if probe.unique:
                yield from self._get(probe.index.table, values)
                continue
            self.operations += 1
            entries = self.store.scan(RangeRead(probe.index, values, interval, probe.reverse, limit))
            self.read += len(entries)
            yield from self._fetched(probe.index.table, entries) if probe.fetch else entries

    def _fetched(self, table: str, entries: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """The rows of index entries; each is one operation, and was counted as read with its entry."""
        self.operations += len(entries)
        for row in self.store.multi_get(table, [self._key(table, entry) for entry in entries]):
            if row is not None:
                yield row

    def _key(self, table: str, entry: Mapping[str, Any]) -> Values:
        return tuple(entry[name] for name in self.catalog[table].key or (ROWID,))

    def _get(self, table: str, key: Values) -> Iterator[Mapping[str, Any]]:
        self.operations += 1
        entry = self.store.get(table, key)
        if entry is not None:
            self.read += 1
            yield entry

    def _combinations(self, probe: Probe, row: Row, bound: Values) -> Iterator[Values]:
        """The values of the leading parts; a NULL equals nothing, so it ends the search."""
        if len(bound) == len(probe.bindings):
            yield bound
            return
        match probe.bindings[len(bound)]:
            case Equal(value):
                equal = evaluate(value, row, self.params)
                options: Iterable[Any] = (_as_stored(probe, len(bound), equal),)
            case OneOf(values, most):
                options = self._listed(values, most, row)
            case Each() as each:
                yield from self._skip(probe, row, bound, each)
                return
        for option in options:
            if option is not None:
                yield from self._combinations(probe, row, (*bound, option))

    def _listed(self, values: tuple[Expr, ...], most: int, row: Row) -> list[Any]:
        listed: list[Any] = []
        for expr in values:
            value = evaluate(expr, row, self.params)
            listed += value if isinstance(expr, Parameter) and isinstance(value, list | tuple) else [value]
        unique = list(dict.fromkeys(listed))
        if len(unique) > most:
            raise BrokenAssumption(f"a list holds {len(unique)} values, more than the declared {most}")
        return unique

    def _skip(self, probe: Probe, row: Row, bound: Values, each: Each) -> Iterator[Values]:
        """Each value of the next part in turn: one short range for every step."""
        interval = self._interval(each.ranges, row)
        if each.ranges and interval is None:
            return
        after: Any = ...
        for _ in count() if each.stop is None else range(int(evaluate(each.stop, row, self.params))):
            self.operations += 1
            entries = self.store.scan(RangeRead(probe.index, bound, interval, limit=1, after=after))
            if not entries:
                return
            self.read += 1
            after = evaluate(probe.index.parts[len(bound)].expr, {"": entries[0]}, {})
            yield from self._combinations(probe, row, (*bound, after))

    def _interval(self, ranges: Ranges, row: Row) -> Interval | None:
        """The intersection of all bounds; None for no bounds, or if one is NULL, which nothing satisfies."""
        if not ranges:
            return None
        interval = Interval()
        for op, expr in ranges:
            value = evaluate(expr, row, self.params)
            if op == "notnull":
                continue
            if value is None:
                return None
            for kind, edge in _edges(op, value):
                interval = interval.narrowed(kind, edge)
        return interval


def _as_stored(probe: Probe, position: int, value: Any) -> Any:
    """Words of an inverted index are kept in lower case."""
    part = probe.index.parts[position].expr
    token = isinstance(part, Call) and part.function == "token"
    return as_text(value).lower() if token and value is not None else value


def _edges(op: str, value: Any) -> list[tuple[str, Any]]:
    """A range as comparisons with its ends; a prefix is all texts from it to the last that starts with it."""
    if op != "prefix":
        return [(op, value)]
    start, is_prefix = like_prefix(as_text(value))
    if not is_prefix:
        raise BrokenAssumption(f"the pattern '{value}' is not a text followed by one %")
    return [("gte", start), ("lt", start + chr(0x10FFFF))] if start else []

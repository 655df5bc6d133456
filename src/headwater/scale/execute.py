"""Run a bounded plan on a store, counting what it asks.

Rows travel as mappings from alias to columns.  Counting is part of running: the result says how many
operations were used and how many rows the store returned, so a test (or a server) can hold them against the
plan's bound.  A plan that rests on an assumption checks it and stops when a row breaks it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.scale.block import Order
from headwater.scale.catalog import Catalog
from headwater.scale.evaluate import NotExecutable, Row, evaluate, is_true, like_prefix
from headwater.scale.expr import Aggregate, Expr, Lit, Param, SubQuery
from headwater.scale.plan import (
    Cut,
    Dedupe,
    Each,
    Equal,
    Extremes,
    Filter,
    Group,
    Nested,
    OneOf,
    Plan,
    Probe,
    Project,
    Sets,
    Setup,
    Start,
    Subplan,
)  # fmt: skip
from headwater.scale.store import ROWID, Interval, Store, sort_key

__all__ = ["BrokenAssumption", "Result", "execute"]


class BrokenAssumption(Exception):
    """A row contradicts what the plan was told: a reference without a target, a pattern that is no prefix."""


@dataclass(frozen=True, slots=True)
class Result:
    rows: tuple[dict[str, Any], ...]
    operations: int
    read: int


@dataclass(slots=True)
class _Run:
    store: Store
    catalog: Catalog
    params: dict[str, Any]
    operations: int = 0
    read: int = 0
    answers: dict[SubQuery, Any] = field(default_factory=dict)

    def rows(self, plan: Plan, outer: Row) -> Iterator[dict[str, Any]]:
        match plan:
            case Start(checks):
                if all(is_true(evaluate(one, outer, self.params)) for one in checks):
                    yield dict(outer)
            case Probe():
                yield from self._probe(plan, outer)
            case Filter(child, conditions, _, subplans):
                for row in self.rows(child, outer):
                    if all(is_true(self._value(one, row, subplans)) for one in conditions):
                        yield row
            case Nested():
                yield from self._nested(plan, outer)
            case Cut(child, order, limit, offset):
                yield from self._cut(list(self.rows(child, outer)), order, limit, offset)
            case Group():
                yield from self._group(plan, outer)
            case Project():
                yield from self._project(plan, outer)
            case Dedupe():
                yield from self._dedupe(plan, outer)
            case Sets():
                yield from self._sets(plan, outer)
            case Extremes(plans):
                found = {repr(one): self._first(inner, outer) for one, inner in plans}
                yield {**outer, "$group": found}
            case Setup(values, child):
                for name, inner in values:
                    self.params[name] = self._first(inner, outer)
                yield from self.rows(child, outer)

    def _value(self, expr: Expr, row: Row, subplans: tuple[Subplan, ...]) -> Any:
        if not subplans:
            return evaluate(expr, row, self.params)
        return evaluate(expr, row, self.params, lambda query, at: self._ask(query, at, subplans))

    def _ask(self, query: SubQuery, row: Row, subplans: tuple[Subplan, ...]) -> Any:
        one = next(sub for sub in subplans if sub.query == query)
        if not one.correlated and query in self.answers:
            rows = self.answers[query]
        else:
            rows = [tuple(found["$out"].values()) for found in self.rows(one.plan, row)]
            self.answers[query] = rows
        if one.probe:
            return bool(rows)
        if query.kind == "in" and query.operand is not None:
            member = [Lit(value[0], "") for value in rows]
            operand = evaluate(query.operand, row, self.params)
            return _member(operand, [one.value for one in member])
        if len(rows) > 1 and query.kind == "scalar":
            raise NotExecutable("a scalar subquery gave more than one row")
        return rows[0][0] if rows else None

    def _first(self, plan: Plan, outer: Row) -> Any:
        row = next(iter(self.rows(plan, outer)), None)
        return None if row is None else next(iter(row["$out"].values()))

    def _probe(self, plan: Probe, outer: Row) -> Iterator[dict[str, Any]]:
        for row in self.rows(plan.child, outer):
            found = False
            for entry in self._entries(plan, row):
                joined = {**row, plan.alias: entry}
                if all(is_true(evaluate(one, joined, self.params)) for one in plan.on):
                    found = True
                    yield joined
            if not found and plan.expects:
                raise BrokenAssumption(plan.expects)
            if not found and plan.optional:
                yield {**row, plan.alias: self._nulls(plan.index.table)}

    def _nulls(self, table: str) -> dict[str, Any]:
        return dict.fromkeys((*self.catalog[table].column_names, ROWID))

    def _entries(self, plan: Probe, row: Row) -> Iterator[Mapping[str, Any]]:
        interval = self._interval(plan.ranges, row)
        if plan.ranges and interval is None:
            return
        limit = None if plan.limit is None else int(evaluate(plan.limit, row, self.params))
        for values in self._combinations(plan, row, ()):
            if plan.unique:
                yield from self._get(plan.index.table, self._in_key_order(plan, values))
                continue
            self.operations += 1
            entries = self.store.scan(plan.index, values, interval, plan.reverse, limit)
            self.read += len(entries)
            for entry in entries:
                if plan.fetch:
                    yield from self._get(plan.index.table, self._key(plan.index.table, entry), again=True)
                else:
                    yield entry

    def _in_key_order(self, plan: Probe, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return values

    def _key(self, table: str, entry: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(entry[name] for name in self.catalog[table].key or (ROWID,))

    def _get(self, table: str, key: tuple[Any, ...], again: bool = False) -> Iterator[Mapping[str, Any]]:
        self.operations += 1
        entry = self.store.get(table, key)
        if entry is not None:
            self.read += not again
            yield entry

    def _combinations(self, plan: Probe, row: Row, done: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """The values of the leading parts; a NULL equals nothing, so it ends the search."""
        if len(done) == len(plan.bindings):
            yield done
            return
        match plan.bindings[len(done)]:
            case Equal(value):
                options: Iterable[Any] = (self._equal(plan, len(done), evaluate(value, row, self.params)),)
            case OneOf(values, most):
                options = self._listed(values, most, row)
            case Each(_, ranges):
                yield from self._skip(plan, row, done, ranges)
                return
        for option in options:
            if option is not None:
                yield from self._combinations(plan, row, (*done, option))

    def _equal(self, plan: Probe, position: int, value: Any) -> Any:
        """Words of an inverted index are kept in lower case."""
        token = getattr(plan.index.parts[position].expr, "name", "") == "token"
        return str(value).lower() if token and value is not None else value

    def _listed(self, values: tuple[Expr, ...], most: int, row: Row) -> list[Any]:
        found: list[Any] = []
        for one in values:
            value = evaluate(one, row, self.params)
            found += value if isinstance(one, Param) and isinstance(value, list | tuple) else [value]
        unique = list(dict.fromkeys(found))
        if len(unique) > most:
            raise BrokenAssumption(f"a list holds {len(unique)} values, more than the declared {most}")
        return unique

    def _skip(
        self, plan: Probe, row: Row, done: tuple[Any, ...], ranges: tuple[tuple[str, Expr], ...]
    ) -> Iterator[tuple[Any, ...]]:
        """Each value of the next part in turn: one short range for every step."""
        interval = self._interval(ranges, row)
        if ranges and interval is None:
            return
        after: Any = ...
        while True:
            self.operations += 1
            entries = self.store.scan(plan.index, done, interval, False, 1, after)
            if not entries:
                return
            self.read += 1
            after = evaluate(plan.index.parts[len(done)].expr, {"": entries[0]}, {})
            yield from self._combinations(plan, row, (*done, after))

    def _interval(self, ranges: tuple[tuple[str, Expr], ...], row: Row) -> Interval | None:
        """The intersection of all bounds; None for no bounds, or if one is NULL, which nothing satisfies."""
        if not ranges:
            return None
        low, low_open, high, high_open = None, False, None, False
        for op, expr in ranges:
            value = evaluate(expr, row, self.params)
            if op == "notnull":
                continue
            if value is None:
                return None
            if op == "prefix":
                start, plain = like_prefix(str(value))
                if not plain:
                    raise BrokenAssumption(f"the pattern '{value}' is not a text followed by one %")
                bounds = [("gte", start), ("lt", start + chr(0x10FFFF))] if start else []
            else:
                bounds = [(op, value)]
            for kind, edge in bounds:
                if kind in ("gt", "gte") and (low is None or edge > low or (edge == low and kind == "gt")):
                    low, low_open = edge, kind == "gt"
                if kind in ("lt", "lte") and (high is None or edge < high or (edge == high and kind == "lt")):
                    high, high_open = edge, kind == "lt"
        return Interval(low, low_open, high, high_open)

    def _nested(self, plan: Nested, outer: Row) -> Iterator[dict[str, Any]]:
        inner = [row["$out"] for row in self.rows(plan.plan, outer)]
        names = inner[0].keys() if inner else ()
        for row in self.rows(plan.child, outer):
            found = False
            for one in inner:
                joined = {**row, plan.alias: one}
                if all(is_true(evaluate(on, joined, self.params)) for on in plan.on):
                    found = True
                    yield joined
            if not found and plan.optional:
                yield {**row, plan.alias: _AllNull(dict.fromkeys(names))}

    def _cut(
        self, rows: list[dict[str, Any]], order: tuple[Order, ...], limit: Expr | None, offset: Expr | None
    ) -> Iterable[dict[str, Any]]:
        for item in reversed(order):
            rows.sort(
                key=lambda row, item=item: sort_key(  # type: ignore[misc]
                    evaluate(item.expr, row, self.params), item.descending, item.nulls_first
                )
            )
        start = 0 if offset is None else int(evaluate(offset, {}, self.params))
        stop = None if limit is None else start + int(evaluate(limit, {}, self.params))
        return rows[start:stop]

    def _group(self, plan: Group, outer: Row) -> Iterator[dict[str, Any]]:
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows(plan.child, outer):
            key = tuple(evaluate(one, row, self.params) for one in plan.group)
            groups.setdefault(key, []).append(row)
        if plan.always and not groups:
            groups[()] = []
        for rows in groups.values():
            values = {
                repr(one): self._aggregate(one, rows) for one in plan.aggregates if isinstance(one, Aggregate)
            }
            yield {**(rows[0] if rows else outer), "$group": values}

    def _aggregate(self, one: Aggregate, rows: list[dict[str, Any]]) -> Any:
        if not one.arguments:
            return len(rows)
        values = [evaluate(one.arguments[0], row, self.params) for row in rows]
        return aggregate(one.function, [value for value in values if value is not None], one.distinct)

    def _project(self, plan: Project, outer: Row) -> Iterator[dict[str, Any]]:
        seen: set[tuple[Any, ...]] = set()
        for row in self.rows(plan.child, outer):
            out = {one.name: self._value(one.expr, row, plan.subplans) for one in plan.outputs}
            if plan.distinct:
                key = tuple(out.values())
                if key in seen:
                    continue
                seen.add(key)
            yield {**(row if plan.keep else {}), "$out": out}

    def _dedupe(self, plan: Dedupe, outer: Row) -> Iterator[dict[str, Any]]:
        seen: set[tuple[Any, ...]] = set()
        for branch in plan.branches:
            for row in self.rows(branch, outer):
                key = tuple(row[alias][name] for alias, names in plan.keys for name in names)
                if key not in seen:
                    seen.add(key)
                    yield row

    def _sets(self, plan: Sets, outer: Row) -> Iterator[dict[str, Any]]:
        parts = [[tuple(row["$out"].values()) for row in self.rows(one, outer)] for one in plan.branches]
        match plan.kind:
            case "all":
                rows = [row for part in parts for row in part]
            case "distinct":
                rows = list(dict.fromkeys(row for part in parts for row in part))
            case "intersect":
                rows = [row for row in dict.fromkeys(parts[0]) if all(row in part for part in parts[1:])]
            case _:
                rows = [row for row in dict.fromkeys(parts[0]) if not any(row in part for part in parts[1:])]
        for row in rows:
            yield {"$out": dict(zip(plan.columns, row, strict=True))}


class _AllNull(dict[str, Any]):
    """A row of NULLs whose columns are not known, because no row was there to show them."""

    def __missing__(self, name: str) -> None:
        return None


def _member(value: Any, values: list[Any]) -> bool | None:
    if value is None:
        return None if values else False
    if any(one is not None and one == value for one in values):
        return True
    return None if any(one is None for one in values) else False


def aggregate(function: str, values: list[Any], distinct: bool) -> Any:
    """An aggregate over values that are not NULL."""
    if distinct:
        values = list(dict.fromkeys(values))
    if function == "count":
        return len(values)
    if not values:
        return None
    match function:
        case "sum":
            return sum(values)
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "avg":
            return sum(values) / len(values)
        case "variance" | "stddev":
            if len(values) < 2:
                return None
            mean = sum(values) / len(values)
            variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
            return variance if function == "variance" else math.sqrt(variance)
        case _:
            raise NotExecutable(f"the aggregate {function} is not known to the executor")


def execute(plan: Plan, store: Store, catalog: Catalog, params: Mapping[str, Any]) -> Result:
    """All rows of the plan, with the operations and rows it took."""
    run = _Run(store, catalog, dict(params))
    rows = tuple(row["$out"] for row in run.rows(plan, {}))
    return Result(rows, run.operations, run.read)

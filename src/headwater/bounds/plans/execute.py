"""Run a bounded plan on a store, counting what it asks.

Rows travel as mappings from alias to columns.  Counting is part of running: the result says how many
operations were used and how many rows the store returned, so a test (or a server) can hold them against the
plan's bound.  A plan that rests on an assumption checks it and stops when a row breaks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.algebra.expressions.aggregates import aggregate
from headwater.algebra.expressions.forms import is_member
from headwater.algebra.expressions.tree import AggregateCall, Expr, Subquery
from headwater.bounds.plans.evaluate import GROUP, Ask, Given, NotExecutable, Row, compiled, evaluate, is_true
from headwater.bounds.plans.plan import (
    OUT,
    Cut,
    Dedupe,
    Extremes,
    Filter,
    Group,
    Nested,
    Plan,
    Probe,
    Project,
    Sets,
    Setup,
    Start,
    Subplan,
)  # fmt: skip
from headwater.bounds.plans.probes import BrokenAssumption, StoreReader
from headwater.bounds.plans.store import ROWID, Store, sort_key
from headwater.bounds.query.block import RANK, Order
from headwater.bounds.query.catalog import Catalog
from headwater.errors import InputError

__all__ = ["BrokenAssumption", "Result", "execute"]

Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Result:
    rows: tuple[dict[str, Any], ...]
    operations: int
    read: int


def execute(
    plan: Plan, store: Store, catalog: Catalog, params: Mapping[str, Any], lenient: bool = False
) -> Result:
    """All rows of the plan, with the operations and rows it took.

    `lenient`: a reference without a target joins nothing, instead of stopping the plan.  That is right where
    no limit was taken before the join: in the middle of a delta, when the target is yet to come.
    """
    own = dict(params)  # values that the plan computes first are added to them
    run = _Run(StoreReader(store, catalog, own), catalog, own, lenient)
    rows = tuple(row[OUT] for row in run.rows(plan, {}))
    return Result(rows, run.reader.operations, run.reader.read)


@dataclass(slots=True)
class _Run:
    reader: StoreReader
    catalog: Catalog
    params: dict[str, Any]
    lenient: bool = False
    answers: dict[Subquery, list[tuple[Any, ...]]] = field(default_factory=dict)

    def rows(self, plan: Plan, outer: Row) -> Rows:
        match plan:
            case Start(checks):
                if self._all(checks, outer):
                    yield dict(outer)
            case Probe():
                yield from self._probe(plan, outer)
            case Filter(child, conditions, _, subplans):
                for row in self.rows(child, outer):
                    if all(is_true(self._value(condition, row, subplans)) for condition in conditions):
                        yield row
            case Nested():
                yield from self._nested(plan, outer)
            case Cut(child, order, limit, _, _, per) if per is not None:
                yield from self._tops(list(self.rows(child, outer)), order, limit, per)
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
                yield {**outer, GROUP: {call: self._first(inner, outer) for call, inner in plans}}
            case Setup(values, child):
                for name, inner in values:
                    self.params[name] = self._first(inner, outer)
                yield from self.rows(child, outer)

    def _all(self, conditions: Iterable[Expr], row: Row) -> bool:
        return all(is_true(evaluate(condition, row, self.params)) for condition in conditions)

    def _value(self, expr: Expr, row: Row, subplans: tuple[Subplan, ...]) -> Any:
        return evaluate(expr, row, self.params, self._ask(subplans))

    def _ask(self, subplans: tuple[Subplan, ...]) -> Ask | None:
        return (lambda query, row: self._answer(query, row, subplans)) if subplans else None

    def _answer(self, query: Subquery, row: Row, subplans: tuple[Subplan, ...]) -> Any:
        """The value of a subquery; one that does not depend on the row is run once."""
        subplan = next(candidate for candidate in subplans if candidate.query == query)
        if subplan.correlated or query not in self.answers:
            self.answers[query] = [tuple(inner[OUT].values()) for inner in self.rows(subplan.plan, row)]
        rows = self.answers[query]
        if subplan.probe:
            return bool(rows)
        if query.kind == "in" and query.operand is not None:
            operand = evaluate(query.operand, row, self.params)
            return is_member(operand, [values[0] for values in rows])
        if len(rows) > 1 and query.kind == "scalar":
            raise NotExecutable("a scalar subquery gave more than one row")
        return rows[0][0] if rows else None

    def _first(self, plan: Plan, outer: Row) -> Any:
        row = next(iter(self.rows(plan, outer)), None)
        return None if row is None else next(iter(row[OUT].values()))

    def _probe(self, plan: Probe, outer: Row) -> Rows:
        for row in self.rows(plan.child, outer):
            matched = False
            for entry in self.reader.entries(plan, row):
                joined = {**row, plan.alias: entry}
                if not plan.on or self._all(plan.on, joined):
                    matched = True
                    yield joined
            if not matched and plan.expects and not self.lenient:
                raise BrokenAssumption(plan.expects)
            if not matched and plan.optional:
                yield {**row, plan.alias: self._nulls(plan.index.table)}

    def _nulls(self, table: str) -> dict[str, Any]:
        return dict.fromkeys((*self.catalog[table].column_names, ROWID))

    def _nested(self, plan: Nested, outer: Row) -> Rows:
        inner = [] if plan.each else [row[OUT] for row in self.rows(plan.plan, outer)]
        for row in self.rows(plan.child, outer):
            if plan.each:
                inner = [partner[OUT] for partner in self.rows(plan.plan, row)]
            names = inner[0].keys() if inner else ()
            matched = False
            for partner in inner:
                joined = {**row, plan.alias: partner}
                if self._all(plan.on, joined):
                    matched = True
                    yield joined
            if not matched and plan.optional:
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
        if start < 0 or (stop is not None and stop < start):
            raise BrokenAssumption("its LIMIT or OFFSET is a number below zero")
        return rows[start:stop]

    def _tops(
        self, rows: list[dict[str, Any]], order: tuple[Order, ...], limit: Expr | None, per: tuple[Expr, ...]
    ) -> Rows:
        partitions: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in rows:
            key = tuple(evaluate(expr, row, self.params) for expr in per)
            partitions.setdefault(key, []).append(row)
        for partition in partitions.values():
            for place, row in enumerate(self._cut(partition, order, limit, None), 1):
                yield {**row, RANK.alias: {RANK.name: place}}

    def _group(self, plan: Group, outer: Row) -> Rows:
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows(plan.child, outer):
            key = tuple(evaluate(expr, row, self.params) for expr in plan.group)
            groups.setdefault(key, []).append(row)
        if plan.always and not groups:
            groups[()] = []
        for rows in groups.values():
            values = {call: self._aggregate(call, rows) for call in plan.aggregates}
            whole = dict(rows[0]) if rows else _NoRow(outer)
            whole[GROUP] = values
            yield whole

    def _aggregate(self, call: AggregateCall, rows: list[dict[str, Any]]) -> Any:
        values = [tuple(evaluate(expr, row, self.params) for expr in call.arguments) for row in rows]
        try:
            return aggregate(call, [(value, 1) for value in values])
        except InputError as error:
            raise NotExecutable(error.message) from error

    def _project(self, plan: Project, outer: Row) -> Rows:
        seen: set[tuple[Any, ...]] = set()
        ask, outputs = self._ask(plan.subplans), None
        for row in self.rows(plan.child, outer):
            if outputs is None:
                outputs = [(output.name, compiled(output.expr)) for output in plan.outputs]
            given = Given(row, self.params, ask)
            out = {name: value(given) for name, value in outputs}
            if plan.distinct:
                key = tuple(out.values())
                if key in seen:
                    continue
                seen.add(key)
            yield {**(row if plan.keep else {}), OUT: out}

    def _dedupe(self, plan: Dedupe, outer: Row) -> Rows:
        seen: set[tuple[Any, ...]] = set()
        for branch in plan.branches:
            for row in self.rows(branch, outer):
                key = tuple(row[alias][name] for alias, names in plan.keys for name in names)
                if key not in seen:
                    seen.add(key)
                    yield row

    def _sets(self, plan: Sets, outer: Row) -> Rows:
        first, *others = [
            [tuple(row[OUT].values()) for row in self.rows(branch, outer)] for branch in plan.branches
        ]
        match plan.kind:
            case "all":
                rows = [*first, *(row for part in others for row in part)]
            case "distinct":
                rows = list(dict.fromkeys([*first, *(row for part in others for row in part)]))
            case "intersect":
                rows = [row for row in dict.fromkeys(first) if all(row in part for part in others)]
            case _:
                rows = [row for row in dict.fromkeys(first) if not any(row in part for part in others)]
        for row in rows:
            yield {OUT: dict(zip(plan.columns, row, strict=True))}


class _AllNull(dict[str, Any]):
    """A row of NULLs whose columns are not known, because no row was there to show them."""

    def __missing__(self, name: str) -> None:
        return None


class _NoRow(dict[str, Any]):
    """The row of an aggregate over no rows: columns beside it (of MySQL and SQLite) are NULL."""

    def __missing__(self, alias: str) -> dict[str, Any]:
        return _AllNull()

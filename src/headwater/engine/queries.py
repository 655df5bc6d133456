"""From plan to query: one SELECT for a whole delta, however many terms it has.

Nothing runs here, except parts that a large plan uses again and again (algebra/once.py).  Equal sub-plans
become the same text, so Spark computes a broadcast delta once even where several terms use it.  Small
inputs (deltas, mostly) are broadcast; the big side of a join is read only in the key range of the delta, as
far as the Delta log can tell files apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from headwater.algebra.expressions import Expr, columns_of, conjunction, equal, spark_sql
from headwater.algebra.nodes import (
    Aggregate,
    AggregateCall,
    Filter,
    Join,
    JoinKind,
    Negate,
    OuterJoin,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Windows,
)
from headwater.algebra.types import is_exact
from headwater.engine import operators
from headwater.engine.estimates import BROADCAST_ROWS, Estimates, has_delta
from headwater.engine.opened import Opened
from headwater.engine.pruning import join_ranges, passed, restrict_ranges, scan_ranges
from headwater.engine.query import Query, union
from headwater.engine.relations import Relations
from headwater.storage.timeline import Range

__all__ = ["Queries"]


@dataclass(slots=True)
class Queries:
    """Builds the query of one push. `hints` off lets Spark choose every join by itself (after a failure)."""

    relations: Relations
    opened: Opened
    hints: bool = True
    first: frozenset[Plan] = frozenset()  # parts to compute before the rest (algebra/once.py)
    _made: dict[tuple[Plan, tuple[tuple[str, Range], ...]], Query] = field(default_factory=dict)

    @property
    def known(self) -> Estimates:
        return Estimates(self.relations)

    def query(self, plan: Plan, ranges: Mapping[str, Range] | None = None) -> Query:
        """The Z-set that a plan stands for. `ranges` (by column) may be used to read less."""
        computed = plan in self.first
        ranges = {name: one for name, one in (ranges or {}).items() if name in plan.columns and not computed}
        key = (plan, tuple(ranges.items()))
        if key not in self._made:
            built = self._build(plan, ranges)
            self._made[key] = self._compute(plan, built) if computed else built
        return self._made[key]

    def _compute(self, plan: Plan, query: Query) -> Query:
        """The query as a table; on the driver if it is small, so that Spark knows its size."""
        frame = self.opened.run(query)
        if self.known.small(plan):
            table = self.opened.spark.createDataFrame(frame.toArrow(), frame.schema)
        else:
            table = frame.localCheckpoint()
        return self.opened.frame(table)

    def _build(self, plan: Plan, ranges: Mapping[str, Range]) -> Query:
        match plan:
            case Scan():
                return self.relations.query(plan, self.opened, scan_ranges(self.relations, plan, ranges))
            case Filter(child, condition):
                return self.query(child, ranges).where(spark_sql(condition))
            case Project(child, items):
                return operators.project(self.query(child, passed(items, ranges)), items)
            case Windows(child):
                return operators.windows(self.query(child, ranges), plan)
            case Join():
                return self._join(plan, ranges)
            case OuterJoin():
                return self._outer_join(plan)
            case SemiJoin():
                return self._semi_join(plan, ranges)
            case Union(inputs):
                # What the log shows to be empty is not even planned: of a join on keys that grow with time
                # that is every term but one.
                some = [one for one in inputs if not self.known.empty(one, ranges)]
                return union([self.query(one, ranges) for one in some or inputs[:1]])
            case Aggregate():
                return self._aggregate(plan)
            case Negate(child):
                return operators.negate(self.query(child, ranges))
            case Restrict(child, keys, by):
                found = restrict_ranges(self.relations, keys, by)
                wanted = self.query(by)
                if self.hints and self.known.small(by):
                    wanted = wanted.sent_whole()
                return operators.restrict(self.query(child, dict(ranges) | found), keys, wanted, by.columns)
            case _:
                assert_never(plan)

    def _join(self, plan: Join, ranges: Mapping[str, Range]) -> Query:
        found = dict(ranges) | join_ranges(self.relations, plan)
        first, *others = plan.inputs
        whole, rows = self.query(first, found), self.known.rows(first, found)
        waiting = list(plan.conditions)
        known = set(first.columns)
        waiting, whole = self._apply(waiting, known, whole)
        for other in others:
            known |= set(other.columns)
            ready = tuple(one for one in waiting if columns_of(one) <= known)
            waiting = [one for one in waiting if one not in ready]
            right, others_rows = self.query(other, found), self.known.rows(other, found)
            if self.hints and min(rows, others_rows) <= BROADCAST_ROWS:
                if rows <= others_rows:
                    whole = whole.sent_whole()
                else:
                    right = right.sent_whole()
            whole = operators.inner_join(whole, right, conjunction(ready))
            rows = min(rows, others_rows)
        return whole

    @staticmethod
    def _apply(waiting: list[Expr], known: set[str], query: Query) -> tuple[list[Expr], Query]:
        """Conditions on the first input alone are filters."""
        for one in waiting:
            if columns_of(one) <= known:
                query = query.where(spark_sql(one))
        return [one for one in waiting if not columns_of(one) <= known], query

    def _outer_join(self, plan: OuterJoin) -> Query:
        left, right = self.query(plan.left), self.query(plan.right)
        condition = _condition(plan.keys, plan.residual)
        if plan.kind is JoinKind.LEFT and self.known.small(plan.left):
            right = self._partners(right, plan.keys, left)
        if plan.kind is JoinKind.RIGHT and self.known.small(plan.right):
            left = self._partners(left, tuple((b, a) for a, b in plan.keys), right)
        if plan.kind is not JoinKind.LEFT:
            left = self._consolidated(plan.left, left)
        if plan.kind is not JoinKind.RIGHT:
            right = self._consolidated(plan.right, right)
        return operators.outer_join(left, right, condition, plan.kind)

    def _semi_join(self, plan: SemiJoin, ranges: Mapping[str, Range]) -> Query:
        left, right = self.query(plan.left, ranges), self.query(plan.right)
        if self.known.small(plan.left):
            right = self._partners(right, plan.keys, left)
        right = self._consolidated(plan.right, right)
        return operators.semi_join(left, right, _condition(plan.keys, plan.residual), plan.anti)

    def _partners(self, query: Query, keys: tuple[tuple[Expr, Expr], ...], of: Query) -> Query:
        """Only the rows that a small other side can meet: consolidating them is then cheap too."""
        if not self.hints:
            return query
        names = [f"_key{index}" for index in range(len(keys))]
        by = of.select((name, spark_sql(key)) for (key, _), name in zip(keys, names, strict=True))
        return operators.restrict(query, [key for _, key in keys], by.sent_whole(), names)

    def _aggregate(self, plan: Aggregate) -> Query:
        query = self.query(plan.child)
        exact = all(
            operators.weighted(one) and (one.function == "count" or is_exact(one.type))
            for one in plan.aggregates
        )
        if plan.aggregates and exact:
            return self._sums(plan, query)
        if not plan.aggregates and has_delta(plan.child):
            # The keys that a delta touches, also those of rows that it takes away and gives back changed.
            return operators.aggregate_rows(query, plan.keys, ())
        if not self.known.positive(plan.child):
            needed = {name for _, expr in plan.keys for name in columns_of(expr)} | {
                name
                for one in plan.aggregates
                for expr in (*one.arguments, *([one.where] if one.where is not None else []))
                for name in columns_of(expr)
            }
            query = operators.consolidate(query.named([one for one in plan.child.columns if one in needed]))
        if not all(one.distinct or one.function in operators.DUPLICATE_BLIND for one in plan.aggregates):
            query = operators.expand(query)
        return operators.aggregate_rows(query, plan.keys, plan.aggregates)

    def _sums(self, plan: Aggregate, query: Query) -> Query:
        """Weighted sums. A group of a relation whose rows all cancel is gone; one of a delta is not."""
        result = operators.aggregate_weighted(query, plan.keys, plan.aggregates)
        if not plan.keys or has_delta(plan.child) or self.known.positive(plan.child):
            return result
        rows = AggregateCall("_rows", "count", (), "count(1)")
        counted = operators.aggregate_weighted(query, plan.keys, (*plan.aggregates, rows))
        return counted.named(result.columns, where="_rows <> 0")

    def _consolidated(self, plan: Plan, query: Query) -> Query:
        return query if self.known.positive(plan) else operators.consolidate(query)


def _condition(keys: tuple[tuple[Expr, Expr], ...], residual: Expr | None) -> Expr:
    parts = tuple(equal(left, right) for left, right in keys)
    whole = conjunction(parts if residual is None else (*parts, residual))
    assert whole is not None
    return whole

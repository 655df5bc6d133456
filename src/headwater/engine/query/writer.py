"""Writes the query of a plan: a single SELECT for an entire delta, however many terms it has.

Nothing runs here, except parts that a large plan uses many times (algebra/plans/once.py).  Equal sub-plans
become the same text, so Spark computes a broadcast delta once even if several terms use it.  Small inputs
(mostly deltas) are broadcast; the large side of a join is read only in the key range of the delta, as far as
the Delta log can tell files apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from headwater.algebra.expressions.tree import Expr, columns_of, conjunction, spark_sql
from headwater.algebra.expressions.types import is_exact
from headwater.algebra.moments.plans import node_moves
from headwater.algebra.plans.both_sides import both_sides
from headwater.algebra.plans.join_order import ordered
from headwater.algebra.plans.nodes import (
    Aggregate,
    AggregateCall,
    Explode,
    Filter,
    Join,
    JoinKind,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Windows,
)
from headwater.algebra.text.show import show_node
from headwater.engine.query import operators
from headwater.engine.query.computed_parts import ComputedParts
from headwater.engine.query.estimates import (
    BROADCAST_ROWS,
    Estimates,
    driven,
    has_delta,
    has_raw_changes,
)
from headwater.engine.query.filter_ranges import filter_ranges
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.over import over
from headwater.engine.query.pruning import (
    join_ranges,
    passed,
    restrict_ranges,
    scan_ranges,
    window_ranges,
)
from headwater.engine.query.query import Query, union
from headwater.engine.query.relations import Relations
from headwater.engine.query.windowed import aggregate_in_windows, windows, windows_wanted, worth_panes
from headwater.errors import InternalError
from headwater.storage.timeline import Range

__all__ = ["QueryWriter"]

FEW_KEYS = 20_000  # are always looked for


@dataclass(slots=True)
class QueryWriter:
    """Writes the query of one push.

    After a failure `hints` are left out, so that Spark picks every join by itself, and changes are `net`:
    what an expression would fail for does not reach it if it came and went.
    """

    relations: Relations
    inputs: Inputs
    hints: bool = True
    net: bool = False
    first: frozenset[Plan] = frozenset()  # parts to compute before the rest (algebra/plans/once.py)
    optional: frozenset[Plan] = frozenset()  # Restricts that may be left out where that costs less
    merged_above: frozenset[Plan] = frozenset()  # Aggregates of which a group may have several rows
    _written: dict[tuple[Plan, tuple[tuple[str, Range], ...]], Query] = field(default_factory=dict)
    _parts: ComputedParts = field(init=False)

    def __post_init__(self) -> None:
        self._parts = ComputedParts(self.inputs)

    @property
    def estimates(self) -> Estimates:
        return Estimates(self.relations)

    def query(self, plan: Plan, ranges: Mapping[str, Range] | None = None) -> Query:
        """The Z-set that a plan describes. `ranges` (by column) may be used to read less."""
        computed = plan in self.first
        ranges = {
            name: span for name, span in (ranges or {}).items() if name in plan.columns and not computed
        }
        key = (plan, tuple(ranges.items()))
        if key not in self._written:
            query = self._write(plan, ranges)
            self._written[key] = self._compute(plan, query) if computed else query
        return self._written[key]

    def _compute(self, plan: Plan, query: Query) -> Query:
        return self._parts.compute(plan, query, self.estimates.rows(plan))

    def _write(self, plan: Plan, ranges: Mapping[str, Range]) -> Query:
        if node_moves(plan):  # Spark's own now() would be that of the machine
            raise InternalError("HW919", f"the time of this plan is not bound: {show_node(plan)}")
        match plan:
            case Scan():
                return self._scan(plan, ranges)
            case Filter(child, condition):
                return self.query(child, filter_ranges(plan, ranges)).where(spark_sql(condition))
            case Project(child, items):
                return operators.project(self.query(child, passed(items, ranges)), items)
            case Windows(child):
                return windows(self.query(child, window_ranges(plan, ranges)), plan)
            case Explode(child):
                return operators.explode(self.query(child, ranges), plan)
            case Join():
                return self._join(plan, ranges)
            case OuterJoin():
                return self._outer_join(plan)
            case SemiJoin():
                return self._semi_join(plan, ranges)
            case Union(inputs):
                # Terms that the log shows to be empty are not even planned: of a join on keys that grow with
                # time, all but one.
                terms = [
                    child
                    for child in inputs
                    if not self.estimates.empty(child, ranges) and not self._asks_for_nothing(child)
                ]
                return self._union(terms or inputs[:1], ranges)
            case Aggregate():
                return self._aggregate(plan)
            case Over(child):
                rows = self._consolidated(child, self.query(child))
                return over(operators.expand(rows), plan)
            case Negate(child):
                return operators.negate(self.query(child, ranges))
            case Restrict(child, keys, by):
                narrowed = dict(ranges) | self._ranges(keys, by)
                if (asked := windows_wanted(plan, self.first)) is not None:
                    below = self.query(asked.child, window_ranges(asked, narrowed))
                    return self._wanted(plan, asked, below)
                rows = self.query(child, narrowed)
                return rows if self._spares_nothing(plan, narrowed) else self._restrict(plan, rows)
            case _:
                assert_never(plan)

    def _union(self, terms: Sequence[Plan], ranges: Mapping[str, Range]) -> Query:
        pairs, others = both_sides(terms)
        queries = [operators.both_sides(self.query(pair.merged), pair) for pair in pairs]
        return union([*queries, *(self.query(term, ranges) for term in others)])

    def nothing(self, part: Plan) -> bool:
        """Whether a part that is computed first has no rows."""
        self.query(part)
        return self._parts.nothing(part)

    def _asks_for_nothing(self, plan: Plan) -> bool:
        """Whether a plan is about keys that have been computed, and there are none."""
        match plan:
            case Restrict(by=by) if by in self.first:
                return self.nothing(by)
            case Aggregate(child, keys):
                return bool(keys) and self._asks_for_nothing(child)
            case Filter(child) | Project(child) | Windows(child) | Negate(child) | Restrict(child):
                return self._asks_for_nothing(child)
            case _:
                return False

    def _ranges(self, keys: Sequence[Expr], by: Plan) -> dict[str, Range]:
        """Ranges of columns that follow from the keys; exact ones if the keys have been computed."""
        if by in self.first:
            self.query(by)
        known = self._parts.ranges(keys, by)
        return restrict_ranges(self.relations, keys, by) if known is None else known

    def _spares_nothing(self, plan: Restrict, ranges: Mapping[str, Range]) -> bool:
        """Whether looking for the keys costs more than the rows that would be left out."""
        wanted, there = self.estimates.rows(plan.by), self.estimates.rows(plan.child, ranges)
        few = self.inputs.one_task and there <= FEW_KEYS
        return plan in self.optional and (few or (wanted > FEW_KEYS and 4 * wanted > there))

    def _wanted(self, plan: Restrict, asked: Windows, rows: Query) -> Query:
        wanted = self.query(plan.by).sent(self.inputs.one_task) if self.hints else self.query(plan.by)
        return operators.wanted_windows(rows, asked, plan.keys, wanted, plan.by.columns)

    def _scan(self, plan: Scan, ranges: Mapping[str, Range]) -> Query:
        changes = self.relations.query(plan, self.inputs, scan_ranges(self.relations, plan, ranges))
        return operators.net(changes) if self.net and not self.estimates.positive(plan) else changes

    def _join(self, plan: Join, ranges: Mapping[str, Range]) -> Query:
        ranges = dict(ranges) | join_ranges(self.relations, plan)
        # A join with a delta starts there and follows the conditions; one of relations must, too.
        first, *others = plan.inputs if driven(plan) else ordered(plan, [0]).inputs
        joined, rows = self.query(first, ranges), self.estimates.rows(first, ranges)
        columns = set(first.columns)
        waiting, joined = operators.filtered(joined, columns, plan.conditions)
        hints, small = self.hints and driven(plan), driven(first)
        for other in others:
            columns |= set(other.columns)
            ready = tuple(condition for condition in waiting if columns_of(condition) <= columns)
            waiting = [condition for condition in waiting if condition not in ready]
            right, right_rows = self.query(other, ranges), self.estimates.rows(other, ranges)
            if hints and min(rows, right_rows) <= BROADCAST_ROWS:
                if rows <= right_rows:
                    joined = joined.sent(self.inputs.one_task)
                else:
                    right = right.sent(self.inputs.one_task)
            joined = operators.inner_join(joined, right, conjunction(ready))
            small = small or driven(other)
            rows = min(rows, right_rows) if small else max(rows, right_rows)
        return joined if joined.columns == plan.columns else joined.named(plan.columns)

    def _outer_join(self, plan: OuterJoin) -> Query:
        left, right = self.query(plan.left), self.query(plan.right)
        condition = operators.join_condition(plan.keys, plan.residual)
        if plan.kind is JoinKind.LEFT and self._few(plan.left):
            right = self._partners(right, plan.keys, left)
        if plan.kind is JoinKind.RIGHT and self._few(plan.right):
            left = self._partners(left, tuple((b, a) for a, b in plan.keys), right)
        if plan.kind is not JoinKind.LEFT:
            left = self._consolidated(plan.left, left)
        if plan.kind is not JoinKind.RIGHT:
            right = self._consolidated(plan.right, right)
        if self.inputs.one_task and plan.kind is JoinKind.RIGHT:
            left = left.hashed()
        elif self.inputs.one_task:
            right = right.hashed()
        return operators.outer_join(left, right, condition, plan.kind)

    def _semi_join(self, plan: SemiJoin, ranges: Mapping[str, Range]) -> Query:
        left, right = self.query(plan.left, ranges), self.query(plan.right)
        if self._few(plan.left):
            right = self._partners(right, plan.keys, left)
        right = self._consolidated(plan.right, right)
        right = right.hashed() if self.inputs.one_task else right
        return operators.semi_join(left, right, operators.join_condition(plan.keys, plan.residual), plan.anti)

    def _few(self, plan: Plan) -> bool:
        """Whether looking for what so few rows can match costs less than reading all of it."""
        return driven(plan) and self.estimates.small(plan)

    def _partners(self, query: Query, keys: tuple[tuple[Expr, Expr], ...], of: Query) -> Query:
        """Only the rows that a small other side can match, which makes consolidating them cheap too."""
        if not self.hints:
            return query
        names = [f"_key{index}" for index in range(len(keys))]
        by = of.select((name, spark_sql(key)) for (key, _), name in zip(keys, names, strict=True))
        return operators.restrict(query, [key for _, key in keys], by.sent(self.inputs.one_task), names)

    def _aggregate(self, plan: Aggregate) -> Query:
        if plan.aggregates and all(map(operators.by_weights, plan.aggregates)):
            if has_delta(plan.child) and worth_panes(plan):
                return aggregate_in_windows(self._before_windows(plan), plan, plan in self.merged_above)
            return self._sums(plan, self._signed(plan))
        query = self.query(plan.child)
        if not plan.aggregates and has_delta(plan.child):
            # The keys that a delta touches, including those of rows that it removes and adds back changed.
            return operators.aggregate_rows(query, plan.keys, ())
        if not self.estimates.positive(plan.child):
            query = self._net(plan, query)
        if not all(call.distinct or call.function in operators.DUPLICATE_BLIND for call in plan.aggregates):
            query = operators.expand(query)
        return operators.aggregate_rows(query, plan.keys, plan.aggregates)

    def _signed(self, plan: Aggregate) -> Query:
        """The rows of an aggregate that takes them by their weights.

        What came and what went of a change are told apart row by row, so it must hold no row twice.
        """
        if any(call.function == "left" and not is_exact(call.type) for call in plan.aggregates):
            return operators.consolidate(self.query(plan.child))
        query = self.query(plan.child)
        return self._net(plan, query) if self._mixed(plan) else query

    def _mixed(self, plan: Aggregate) -> bool:
        """Whether what came and what went is told apart, and a row may have done both."""
        signed = any(map(operators.of_signs, plan.aggregates))
        return signed and has_raw_changes(plan.child) and not self.estimates.positive(plan.child)

    def _before_windows(self, plan: Aggregate) -> Query:
        """The rows of an aggregate of windows, before they are put there."""
        assert isinstance(plan.child, Windows)
        rows = self.query(plan.child.child, window_ranges(plan.child, {}))
        return operators.consolidate(rows) if self._mixed(plan) else rows

    def _net(self, plan: Aggregate, query: Query) -> Query:
        """The rows that are aggregated, without those that came and went."""
        in_windows = self._net_in_windows(plan.child, {})
        if in_windows is not None:
            return in_windows
        needed = operators.columns_needed(plan)
        return operators.consolidate(query.named([name for name in plan.child.columns if name in needed]))

    def _net_in_windows(self, plan: Plan, ranges: Mapping[str, Range]) -> Query | None:
        """The same for rows in windows, found before they are put there: they are fewer then."""
        match plan:
            case Windows(child):
                net = operators.consolidate(self.query(child, window_ranges(plan, ranges)))
                return windows(net, plan)
            case Filter(child, condition):
                rows = self._net_in_windows(child, filter_ranges(plan, ranges))
                return None if rows is None else rows.where(spark_sql(condition))
            case Restrict(child, keys, by):
                narrowed = dict(ranges) | self._ranges(keys, by)
                if (asked := windows_wanted(plan, self.first)) is not None:
                    net = operators.consolidate(self.query(asked.child, window_ranges(asked, narrowed)))
                    return self._wanted(plan, asked, net)
                rows = self._net_in_windows(child, narrowed)
                return None if rows is None else self._restrict(plan, rows)
            case _:
                return None

    def _restrict(self, plan: Restrict, rows: Query) -> Query:
        wanted = self._keys(plan.by)
        if self.hints and self.estimates.small(plan.by):
            wanted = wanted.sent(self.inputs.one_task)
        return operators.restrict(rows, plan.keys, wanted, plan.by.columns)

    def _keys(self, by: Plan) -> Query:
        """The keys that are looked for. Of few it does not matter how often each is there."""
        keys = isinstance(by, Aggregate) and by.keys and not by.aggregates and by not in self.first
        if isinstance(by, Aggregate) and keys and self.estimates.rows(by) <= FEW_KEYS:
            return operators.project(self.query(by.child), by.keys)
        return self.query(by)

    def _sums(self, plan: Aggregate, query: Query) -> Query:
        """Weighted sums. A group whose rows all cancel disappears from a relation, but not from a delta."""
        if plan in self.merged_above:
            return operators.weighted_rows(query, plan.keys, plan.aggregates)
        many = not has_delta(plan.child)
        result = operators.aggregate_weighted(query, plan.keys, plan.aggregates, many)
        if not plan.keys or not many or self.estimates.positive(plan.child):
            return result
        rows = AggregateCall("_rows", "count", (), "count(1)")
        counted = operators.aggregate_weighted(query, plan.keys, (*plan.aggregates, rows), many)
        return counted.named(result.columns, where="_rows <> 0")

    def _consolidated(self, plan: Plan, query: Query) -> Query:
        return query if self.estimates.positive(plan) else operators.consolidate(query)

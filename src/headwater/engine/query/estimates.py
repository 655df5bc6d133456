"""What the Delta log says about a plan before Spark runs it: whether it has rows, how many, of which sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from headwater.algebra.plans.join_order import equality_leads_to, ordered
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Version,
    Windows,
)
from headwater.algebra.plans.walks import children, nodes
from headwater.engine.query.filter_ranges import filter_ranges
from headwater.engine.query.pruning import join_ranges, passed, restrict_ranges, scan_ranges, window_ranges
from headwater.engine.query.relations import Relations
from headwater.storage.timeline import Range

__all__ = ["BROADCAST_ROWS", "Estimates", "driven", "has_delta", "has_raw_changes"]

BROADCAST_ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class Estimates:
    """Estimates of plans over the relations of one push."""

    relations: Relations

    def empty(self, plan: Plan, ranges: Mapping[str, Range] | None = None) -> bool:
        """Whether a plan certainly has no rows, according to the log."""
        ranges = {name: span for name, span in (ranges or {}).items() if name in plan.columns}
        match plan:
            case Scan():
                return self.relations.part(plan, scan_ranges(self.relations, plan, ranges)).empty
            case Filter(child):
                return self.empty(child, filter_ranges(plan, ranges))
            case Negate(child) | Explode(child):
                return self.empty(child, ranges)
            case Windows(child):
                return self.empty(child, window_ranges(plan, ranges))
            case Over(child):
                return self.empty(child)
            case Project(child, items):
                return self.empty(child, passed(items, ranges))
            case Join(inputs):
                narrowed = dict(ranges) | join_ranges(self.relations, plan)
                return any(self.empty(child, narrowed) for child in inputs)
            case Union(inputs):
                return all(self.empty(child, ranges) for child in inputs)
            case Restrict(child, keys, by):
                return self.empty(by) or self.empty(
                    child, dict(ranges) | restrict_ranges(self.relations, keys, by)
                )
            case SemiJoin(left, anti=False):
                return self.empty(left, ranges) or self.empty(plan.right)
            case SemiJoin(left):
                return self.empty(left, ranges)
            case OuterJoin(left, right):
                return self.empty(left) and self.empty(right)
            case Aggregate(child, keys):
                return bool(keys) and self.empty(child)
            case _:
                assert_never(plan)

    def without_empty(self, plan: Plan) -> Plan | None:
        """The plan without the terms that certainly have no rows; None if it has none at all.

        Of a join on keys that grow with time, all terms but one are dropped.
        """
        match plan:
            case Union(inputs):
                terms = tuple(term for child in inputs if (term := self.without_empty(child)) is not None)
                return replace(plan, inputs=terms) if len(terms) > 1 else terms[0] if terms else None
            case Project(child) | Filter(child) | Negate(child):
                below = self.without_empty(child)
                return None if below is None else replace(plan, child=below)
            case _:
                return None if self.empty(plan) else plan

    def small(self, plan: Plan) -> bool:
        """Whether a plan certainly or probably has few rows, as what a small delta drives does."""
        return self.rows(plan) <= BROADCAST_ROWS

    def rows(self, plan: Plan, ranges: Mapping[str, Range] | None = None) -> int:
        """About how many rows a plan has, according to the log."""
        ranges = {name: span for name, span in (ranges or {}).items() if name in plan.columns}
        match plan:
            case Scan():
                return self.relations.part(plan, scan_ranges(self.relations, plan, ranges)).rows
            case Filter(child):
                return self.rows(child, filter_ranges(plan, ranges))
            case Aggregate(child) | Negate(child) | Explode(child):
                return self.rows(child, ranges)
            case Windows(child):
                return plan.overlap * self.rows(child, window_ranges(plan, ranges))
            case Over(child):
                return self.rows(child)
            case Project(child, items):
                return self.rows(child, passed(items, ranges))
            case Join(inputs):
                narrowed = dict(ranges) | join_ranges(self.relations, plan)
                return joined_rows(plan, [self.rows(child, narrowed) for child in inputs])
            case Union(inputs):
                return sum(self.rows(child, ranges) for child in inputs)
            case OuterJoin(left, right):
                return max(self.rows(left), self.rows(right))
            case SemiJoin(left):
                return self.rows(left, ranges)
            case Restrict(child, _, by):
                return min(self.rows(child, ranges), self.rows(by))
            case _:
                assert_never(plan)

    def scanned(self, plan: Plan, ranges: Mapping[str, Range] | None = None) -> int:
        """At most how many rows are handled for a plan: as often as it reads them or puts them into windows.

        Pairs that must be tried one by one, because no equality leads to partners, count as well.
        """
        ranges = {name: span for name, span in (ranges or {}).items() if name in plan.columns}
        match plan:
            case Scan():
                return self.rows(plan, ranges)
            case Filter(child):
                return self.scanned(child, filter_ranges(plan, ranges))
            case Windows(child):
                return plan.overlap * self.scanned(child, window_ranges(plan, ranges))
            case Project(child, items):
                return self.scanned(child, passed(items, ranges))
            case Join():
                narrowed = dict(ranges) | join_ranges(self.relations, plan)
                joined = plan if driven(plan) else ordered(plan, [0])
                tried = _tried(joined, [self.rows(child, narrowed) for child in joined.inputs])
                return tried + sum(self.scanned(child, narrowed) for child in joined.inputs)
            case Restrict(child, keys, by):
                narrowed = dict(ranges) | restrict_ranges(self.relations, keys, by)
                return self.scanned(child, narrowed) + self.scanned(by)
            case SemiJoin(left, right, keys) | OuterJoin(left, right, _, keys):
                tried = 0 if keys else self.rows(left) * self.rows(right)
                return tried + self.scanned(left) + self.scanned(right)
            case Union() | Negate() | Explode() | Aggregate():
                return sum(self.scanned(child, ranges) for child in children(plan))
            case Over(child):
                return self.scanned(child)
            case _:
                assert_never(plan)

    def positive(self, plan: Plan) -> bool:
        """Whether all weights are certainly positive, so that no two rows cancel."""
        match plan:
            case Scan():
                return plan in self.relations.netted or self.relations.part(plan).inserts_only
            case Negate():
                return False
            case Filter(child) | Project(child) | Windows(child) | Explode(child):
                return self.positive(child)
            case Aggregate() | Over():
                return not has_delta(plan.child)
            case Join(inputs) | Union(inputs):
                return all(self.positive(child) for child in inputs)
            case OuterJoin(left, right):
                return self.positive(left) and self.positive(right)
            case SemiJoin(left):
                return self.positive(left)
            case Restrict(child):
                return self.positive(child)
            case _:
                assert_never(plan)


def _tried(join: Join, rows: Sequence[int]) -> int:
    """Pairs of rows of inputs that no equality connects with those before them."""
    so_far, tried = rows[0], 0
    for at in range(1, len(rows)):
        if equality_leads_to(join, at):
            so_far = max(so_far, rows[at])
        else:
            so_far *= rows[at]
            tried += so_far
    return tried


def joined_rows(plan: Plan, sides: Sequence[int]) -> int:
    """A join with a delta has about as many rows as that; one of relations alone those of its largest."""
    return min(sides) if driven(plan) else max(sides)


def driven(plan: Plan) -> bool:
    """Whether a delta decides how many rows a plan has: then few rows are expected, and few they are.

    Of relations alone, only Spark finds out how many rows a join has: what is broadcast is left to it.
    """
    return any(isinstance(node, Scan) and node.version is Version.DELTA for node in nodes(plan))


def has_delta(plan: Plan) -> bool:
    """Whether a plan computes changes rather than a relation."""
    match plan:
        case Scan(version=version):
            return version is Version.DELTA
        case Negate():
            return True
        case Filter(child) | Project(child) | Windows(child) | Aggregate(child) | Restrict(child):
            return has_delta(child)
        case Over(child) | Explode(child):
            return has_delta(child)
        case Join(inputs) | Union(inputs):
            return any(has_delta(child) for child in inputs)
        case OuterJoin(left, right) | SemiJoin(left, right):
            return has_delta(left) or has_delta(right)
        case _:
            assert_never(plan)


def has_raw_changes(plan: Plan) -> bool:
    """Whether changes reach this plan that no aggregate has grouped."""
    match plan:
        case Scan(version=version):
            return version is Version.DELTA
        case Aggregate():
            return False
        case _:
            return any(map(has_raw_changes, children(plan)))

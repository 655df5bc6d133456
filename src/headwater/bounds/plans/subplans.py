"""A bounded plan with what it needs, and filters whose subqueries have bounded plans of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.facts import aliases_of
from headwater.algebra.expressions.tree import Expr, Subquery, call, walk
from headwater.bounds.plans.plan import Bound, Filter, Index, Plan, Subplan
from headwater.bounds.query.block import Query, Select, query_of
from headwater.bounds.query.settings import Settings

__all__ = ["BoundedPlan", "Planner", "filtered", "subqueries_of", "with_subplans"]


@dataclass(frozen=True, slots=True)
class BoundedPlan:
    """A plan with its bound, the indexes it needs and what it assumes."""

    plan: Plan
    bound: Bound
    indexes: frozenset[Index] = frozenset()
    assumes: frozenset[str] = frozenset()

    @property
    def cost(self) -> tuple[int, int, int, int]:
        width = sum(len(index.parts) + len(index.include) + 2 * len(index.where) for index in self.indexes)
        return (self.bound.operations, self.bound.read, len(self.assumes), width)

    def needing(self, parts: Iterable[BoundedPlan]) -> BoundedPlan:
        """The plan with the needs of other plans that run beside or below it."""
        indexes, assumes = self.indexes, self.assumes
        for part in parts:
            indexes, assumes = indexes | part.indexes, assumes | part.assumes
        return replace(self, indexes=indexes, assumes=assumes)


Planner = Callable[[Query, Settings], BoundedPlan | None]


def subqueries_of(expr: Expr) -> list[Subquery]:
    return [part for part in walk(expr) if isinstance(part, Subquery)]


def filtered(
    bounded: BoundedPlan, conditions: tuple[Expr, ...], settings: Settings, plan_query: Planner
) -> BoundedPlan | None:
    """A filter, with a bounded plan for each subquery in its conditions; None if one has no bound."""
    planned = with_subplans(bounded, conditions, settings, plan_query, probe=True)
    if planned is None:
        return None
    below, subplans = planned
    return replace(below, plan=Filter(below.plan, conditions, below.bound, subplans))


def with_subplans(
    bounded: BoundedPlan, exprs: Iterable[Expr], settings: Settings, plan_query: Planner, probe: bool
) -> tuple[BoundedPlan, tuple[Subplan, ...]] | None:
    """The plan with the cost of the subqueries in some expressions, and a plan for each of those.

    `probe`: a subquery that is a whole condition may be answered by a probe for its operand.
    """
    subplans: list[Subplan] = []
    for expr in exprs:
        for query in subqueries_of(expr):
            planned = _subplan(query, settings, plan_query, probe=probe and query == expr)
            if planned is None:
                return None
            subplan, inner = planned
            subplans.append(subplan)
            before = bounded.bound
            times = before.rows if subplan.correlated else 1
            operations = before.operations + times * inner.bound.operations
            bound = Bound(operations, before.read + times * inner.bound.read, before.rows)
            bounded = replace(bounded, bound=bound).needing([inner])
    return bounded, tuple(subplans)


def _subplan(
    query: Subquery, settings: Settings, plan_query: Planner, probe: bool
) -> tuple[Subplan, BoundedPlan] | None:
    """How one subquery is answered: IN as a probe for the operand where that is enough."""
    block = query_of(query)
    given = settings.given | {column.alias for column in query.outer}
    if query.kind == "exists" and isinstance(block, Select) and block.limit is None:
        block = replace(block, limit=number(1), order=())
    if probe and isinstance(block, Select) and _may_narrow(block) and query.operand is not None:
        given |= aliases_of(query.operand)
        same = call("eq", block.outputs[0].expr, query.operand)
        narrowed = replace(block, where=(*block.where, same), limit=number(1), order=())
        inner = plan_query(narrowed, replace(settings, given=given))
        if inner is not None:
            return Subplan(query, inner.plan, True, True), inner
    inner = plan_query(block, replace(settings, given=given))
    if inner is None:
        return None
    return Subplan(query, inner.plan, bool(query.outer), query.kind == "exists"), inner


def _may_narrow(block: Select) -> bool:
    """May a condition on what it shows be added to its WHERE? Not if other rows have a say in that."""
    cuts = block.limit is not None or block.offset is not None or block.top is not None
    return block.group is None and not (cuts or block.distinct or block.windowed)

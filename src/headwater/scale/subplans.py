"""A bounded plan with what it needs, and filters whose subqueries have bounded plans of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from headwater.scale.block import Query, Select
from headwater.scale.expr import Expr, Lit, SubQuery, aliases_of, call, walk
from headwater.scale.plan import Bound, Filter, Index, Plan, Subplan
from headwater.scale.settings import Settings

__all__ = ["Found", "Planner", "filtered", "subplan", "subqueries_of"]


@dataclass(frozen=True, slots=True)
class Found:
    """A bounded plan and what it needs."""

    plan: Plan
    bound: Bound
    indexes: frozenset[Index] = frozenset()
    assumes: frozenset[str] = frozenset()

    @property
    def cost(self) -> tuple[int, int, int, int]:
        width = sum(len(index.parts) + len(index.include) + 2 * len(index.where) for index in self.indexes)
        return (self.bound.operations, self.bound.read, len(self.assumes), width)


Planner = Callable[[Query, Settings], Found | None]


def subqueries_of(expr: Expr) -> list[SubQuery]:
    return [part for part in walk(expr) if isinstance(part, SubQuery)]


def filtered(
    found: Found, conditions: tuple[Expr, ...], settings: Settings, plan_query: Planner
) -> Found | None:
    """A filter, with a bounded plan for each subquery in its conditions; None if one has no bound."""
    subplans: list[Subplan] = []
    bound = found.bound
    indexes, assumes = found.indexes, found.assumes
    for condition in conditions:
        for query in subqueries_of(condition):
            planned = subplan(query, settings, plan_query, probe=query == condition)
            if planned is None:
                return None
            one, inner = planned
            times = bound.rows if one.correlated else 1
            bound = Bound(
                bound.operations + times * inner.bound.operations,
                bound.read + times * inner.bound.read,
                bound.rows,
            )
            indexes, assumes = indexes | inner.indexes, assumes | inner.assumes
            subplans.append(one)
    plan = Filter(found.plan, conditions, bound, tuple(subplans))
    return Found(plan, bound, indexes, assumes)


def subplan(
    query: SubQuery, settings: Settings, plan_query: Planner, probe: bool
) -> tuple[Subplan, Found] | None:
    """How one subquery is answered: IN as a probe for the operand where that is enough."""
    block = query.query
    given = settings.given | {col.alias for col in query.outer}
    if query.kind == "exists" and isinstance(block, Select) and block.limit is None:
        block = replace(block, limit=Lit(1, "1"), order=())
    plain = isinstance(block, Select) and block.group is None and block.limit is None and not block.distinct
    if probe and plain and isinstance(block, Select) and query.operand is not None:
        given |= aliases_of(query.operand)
        same = call("eq", block.outputs[0].expr, query.operand)
        narrowed = replace(block, where=(*block.where, same), limit=Lit(1, "1"), order=())
        inner = plan_query(narrowed, replace(settings, given=given))
        if inner is not None:
            return Subplan(query, inner.plan, True, True), inner
    inner = plan_query(block, replace(settings, given=given))
    if inner is None:
        return None
    return Subplan(query, inner.plan, bool(query.outer), query.kind == "exists"), inner

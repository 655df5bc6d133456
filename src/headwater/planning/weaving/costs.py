"""What weaving costs, in rows per second; windows and plain groups by one model.

    rate      changes per second of the relation, after the filters that all views have
    edges     fragments that end in a second; none without windows
    groups    values of the keys of all views together
    period    seconds between two pushes

    apart     rate x windows               each row goes into every window that it lies in
    parts     min(rate, (edges + 1 / period) x groups)       rows of the shared stage that a second touches
    woven     rate + parts x overlap + a stage's own cost

This is the paper's `rate + edge rate x overlap`, with two additions: a fragment holds a row for each group,
and a fragment that is not over is touched by every push.  The overlap is the sum over the views.  A stage
costs something even if nothing happens (planning/cost/operators.py); here that is turned into rows.
What a plan shows are the paper's operations, for as many groups as there are, without the second addition
(`operations`), and dollars, which rest on the actions of pushes (planning/stages).

What a push does is less: the parts of a slide lie in the same windows, so they are added up before they go
into those (engine/query/windowed.py).  So a fragment more costs each view a row, not one in each window; by
that it is decided whether two trees are worth more than one.

    panes       sum over the views of (slides + 1 / period) x overlap x groups
    handled     rate + parts x views + min(parts x overlap, panes)
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import prod

from headwater.algebra.expressions.tree import Call, Column, Expr, columns_of
from headwater.algebra.plans.nodes import Aggregate
from headwater.algebra.weaving.edges import Edges
from headwater.algebra.weaving.ending import since
from headwater.algebra.weaving.shared_parts import parts_plan
from headwater.algebra.weaving.woven import filters_of
from headwater.planning.cost.operators import Operators
from headwater.planning.facts.facts import PASSING, Facts
from headwater.planning.graph.graph import EdgeKind
from headwater.planning.weaving.candidates import Candidate
from headwater.planning.weaving.needs import Needs, needs_of
from headwater.planning.windows.edges import edge_set
from headwater.planning.windows.residues import term
from headwater.units import SECOND

__all__ = ["Rates", "edge_rate", "groups_of", "passing_rate"]

ASSUMED_VALUES = 100.0  # of a column of which nothing is known
SLACK = 0.5  # of the freshness: about how long a usual push waits
# Estimated from profiles of `bench weave --execute`: what a tree costs in a push whatever happens (Spark
# plans, compiles and schedules its queries), and what it costs to merge a part into a window.
TREE_CPU_SECONDS = 0.5
MERGE_CPU_SECONDS = 1e-6


def edge_rate(edges: Edges) -> float:
    """Fragments that end in a second."""
    return edge_set(frozenset(term(*edge) for edge in edges)).density * SECOND if edges else 0.0


def groups_of(keys: Collection[Expr], facts: Facts) -> float:
    """How many different groups some keys make together."""
    return max(1.0, min(facts.rows, prod(_values(key, facts) for key in keys)))


def _values(key: Expr, facts: Facts) -> float:
    match key:
        case Column(name):
            return facts.distinct.get(name.rsplit(".", 1)[-1], ASSUMED_VALUES)
        case Call("eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "and" | "or" | "not" | "in" | "is_null"):
            return 2.0
        case _:
            return prod(_values(Column(name), facts) for name in columns_of(key))


def passing_rate(plan: Aggregate, facts: Facts) -> float:
    """The changes per second that reach the shared stage."""
    chosen = any(since(part) is None for part in filters_of(plan.child))  # new rows are not old
    return facts.rate * (PASSING if chosen else 1.0)


@dataclass(frozen=True, slots=True)
class Rates:
    """What the costs of trees over one relation at one site rest on."""

    facts: Facts
    operators: Operators
    always: bool = False  # weave whatever a stage costs by itself

    def apart(self, candidate: Candidate) -> float:
        """Rows per second of a view by itself."""
        share = PASSING if candidate.grouping.filters else 1.0
        return self.facts.rate * share * candidate.overlap

    def operations(self, plan: Aggregate, edges: Edges, overlap: int) -> float:
        """The paper's cost of a tree: rate + edge rate x overlap, for as many groups as it has."""
        return passing_rate(plan, self.facts) + edge_rate(edges) * self._groups(plan) * overlap

    def operations_alone(self, candidate: Candidate) -> float:
        """The same of a view that is a tree of its own."""
        needs = needs_of((candidate,))
        plan = parts_plan(needs.groupings.values(), needs.edges, needs.oldest)
        return self.operations(plan, needs.edges, candidate.overlap)

    def touched(self, plan: Aggregate, edges: Edges, period: float) -> float:
        """Rows of a shared stage that a second touches."""
        rate = passing_rate(plan, self.facts)
        return min(rate, (edge_rate(edges) + 1.0 / period) * self._groups(plan))

    def _groups(self, plan: Aggregate) -> float:
        keys = [expr for _, expr in plan.keys if not (isinstance(expr, Call) and expr.function == "fragment")]
        return groups_of(keys, self.facts)

    def woven(self, plan: Aggregate, edges: Edges, needs: Needs) -> float:
        """Rows per second of a shared stage and of its views over it."""
        period = self.period(needs)
        rows = passing_rate(plan, self.facts) + self.touched(plan, edges, period) * needs.overlap
        return rows if self.always else rows + self.stage_rows / period

    def handled(self, plan: Aggregate, edges: Edges, needs: Needs) -> float:
        """Rows per second that a push of a tree handles, with what its stages cost in themselves."""
        period = self.period(needs)
        parts = self.touched(plan, edges, period)
        panes = (float(needs.panes) + needs.overlap / period) * self._groups(plan)
        rows = passing_rate(plan, self.facts) + parts * needs.views + min(parts * needs.overlap, panes)
        return rows + TREE_CPU_SECONDS / MERGE_CPU_SECONDS / period

    @staticmethod
    def period(needs: Needs) -> float:
        return max(1e-3, SLACK * needs.freshness)

    @property
    def stage_rows(self) -> float:
        """A stage's fixed cost in a push, as the rows that could be aggregated in that time."""
        models = self.operators.models
        aggregate, applied = models[EdgeKind.AGGREGATE], models[EdgeKind.APPLY]
        return (aggregate.fixed + applied.fixed) / max(aggregate.per_tuple, 1e-9)

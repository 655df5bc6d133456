"""Parts that a plan uses again and again are computed first, if the plan is large."""

from __future__ import annotations

from headwater.algebra.expressions.build import column_items
from headwater.algebra.expressions.tree import Column, equal
from headwater.algebra.plans.nodes import Filter, Join, Negate, Plan, Project, Scan, Union
from headwater.algebra.plans.once import LARGE_TREE, compute_first, tree_size
from headwater.algebra.plans.walks import nodes, share

LEFT, RIGHT = Scan("a", "a", ("k",)), Scan("b", "b", ("k",))
JOINED = Join((LEFT, RIGHT), (equal(Column("a.k"), Column("b.k")),))


def doubled(plan: Plan, times: int) -> Plan:
    """A plan of a few nodes whose tree doubles every time."""
    for _ in range(times):
        plan = Union((plan, plan))
    return share(plan)


def test_a_small_plan_is_planned_as_it_is() -> None:
    assert tree_size(doubled(JOINED, 2)) == 15
    assert compute_first(doubled(JOINED, 2)) == frozenset()


def test_a_tree_that_doubles_is_cut_at_its_shared_parts() -> None:
    plan = doubled(JOINED, 10)
    assert len(list(nodes(plan))) == 13
    assert tree_size(plan) > 1000 * 3
    first = compute_first(plan)
    assert JOINED in first
    assert LEFT not in first  # reading a relation twice is no work
    assert plan not in first
    assert max(tree_size(node, first) for node in nodes(plan)) <= 4
    assert tree_size(plan, first) < LARGE_TREE


def test_both_sides_of_a_plan_are_planned_with_it_once() -> None:
    merged, other = share(doubled(JOINED, 2)), Join((RIGHT, LEFT), JOINED.conditions)
    old, new = (Project(Filter(merged, Column(name)), column_items(("a.k",))) for name in ("b.k", "a.k"))
    both = share(Union((Negate(old), new)))
    assert tree_size(both) == 1 + tree_size(merged)
    assert merged not in compute_first(share(Union((both, doubled(other, 5)))))

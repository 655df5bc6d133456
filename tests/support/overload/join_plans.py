"""Random plans for property tests: any tree shape, Table 3's ranges and beyond."""

from __future__ import annotations

from hypothesis import strategies as st

from headwater.overload.joins import JoinPlan, State
from headwater.overload.joins.model.tree import Join, Leaf, Node, joins, name, nodes, ordered_leaves

LETTERS = "ABCDEFGHIJKLMNOPQRST"


@st.composite
def trees(draw: st.DrawFn, least: int = 2, most: int = 8) -> Node:
    """A random binary tree over the first letters."""
    forest: list[Node] = [Leaf(letter) for letter in LETTERS[: draw(st.integers(least, most))]]
    while len(forest) > 1:
        first = forest.pop(draw(st.integers(0, len(forest) - 1)))
        second = forest.pop(draw(st.integers(0, len(forest) - 1)))
        forest.append(Join(first, second))
    return forest[0]


@st.composite
def plans(draw: st.DrawFn, least: int = 2, most: int = 6, uncapped: bool = True) -> JoinPlan:
    """A random plan; each half-way join yields between a tenth and ten tuples for each probe."""
    tree = draw(trees(least, most))
    states = {}
    for join in joins(tree):
        for child in (join.left, join.right):
            size = draw(st.integers(50, 2000))
            states[name(child)] = State(float(size), draw(st.floats(0.1, 10.0)) / size)
    rate = st.integers(50, 1200).map(float)
    rates = {
        stream: draw(st.one_of(st.none(), rate) if uncapped else rate) for stream in ordered_leaves(tree)
    }
    assert len(states) == sum(1 for _ in nodes(tree)) - 1
    return JoinPlan(tree, rates, states)


@st.composite
def refreshes(draw: st.DrawFn, plan: JoinPlan) -> dict[str, float]:
    """Refresh rates for some of the susceptible states."""
    return {state: draw(st.floats(0.01, 500.0)) for state in plan.susceptible if draw(st.booleans())}

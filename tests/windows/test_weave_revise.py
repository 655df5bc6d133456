"""A plan kept through changes: nothing moves that need not, and the costs stay those of the plan."""

from __future__ import annotations

import pytest

from headwater.bench.weave.workloads import Setting, generate
from headwater.errors import InputError
from headwater.planning.windows import (
    Objective,
    Query,
    Weave,
    add_query,
    change_rate,
    level_loads,
    plan,
    remove_query,
    tree_of,
)


@pytest.fixture(scope="module")
def running() -> Weave:
    return plan(generate(Setting(80, 4, 20.0, 25, 0, 20, False), 2))


def names(made: Weave) -> set[str]:
    return {query.id for tree in made.trees() for query in tree.queries}


def consistent(made: Weave) -> bool:
    return all(
        node.cost == pytest.approx(sum(made.cost.of(tree_of(tree.queries)) for tree in node.trees))
        for node in made.nodes
    )


@pytest.mark.parametrize("objective", list(Objective))
def test_adding_moves_nothing_and_takes_the_best_place(running: Weave, objective: Objective) -> None:
    new = Query("new", 21, 6)
    revision = add_query(running, new, objective)
    assert names(revision.plan) == names(running) | {"new"}
    assert revision.moved_share == 0
    assert consistent(revision.plan)
    best = min(_everywhere(running, new), key=lambda made: made.total_cost)
    if objective is Objective.TOTAL:
        assert revision.plan.total_cost == pytest.approx(best.total_cost)
    else:
        lowest = min(made.max_load for made in _everywhere(running, new))
        assert revision.plan.max_load == pytest.approx(lowest)


def _everywhere(made: Weave, new: Query) -> list[Weave]:
    from headwater.planning.windows.revise import _with_trees

    plans = []
    for at_node, node in enumerate(made.nodes):
        for at in range(len(node.trees) + 1):
            trees = list(node.trees)
            if at == len(trees):
                trees.append(tree_of((new,)))
            else:
                trees[at] = tree_of((*trees[at].queries, new))
            plans.append(_with_trees(made, {at_node: trees}))
    return plans


def test_removing_what_was_added_gives_the_old_cost(running: Weave) -> None:
    revision = remove_query(add_query(running, Query("new", 21, 6)).plan, "new")
    assert revision.plan.total_cost == pytest.approx(running.total_cost)
    assert revision.moved_share == 0
    assert names(revision.plan) == names(running)


def test_removing_all_queries_ends_all_trees(running: Weave) -> None:
    left = running
    for name in sorted(names(running)):
        left = remove_query(left, name).plan
    assert left.total_cost == 0
    assert not list(left.trees())


def test_a_new_rate_keeps_every_query_on_its_node(running: Weave) -> None:
    for rate in (0.0, 1.0, 500.0):
        revision = change_rate(running, rate)
        assert revision.plan.node_of() == running.node_of()
        assert consistent(revision.plan)
        assert revision.plan.cost.rate == rate
        kept = sum(revision.plan.cost.of(tree) for tree in running.trees())
        assert revision.plan.total_cost <= kept * (1 + 1e-12)
    assert change_rate(running, 20.0).moved_share == 0
    assert change_rate(running, 0.0).moved_share > 0


def test_levelling_moves_no_more_than_it_may(running: Weave) -> None:
    crowded = running
    for number in range(12):
        crowded = add_query(crowded, Query(f"new{number}", 60, 2), Objective.TOTAL).plan
    for allowed in (0.0, 0.05, 0.5):
        revision = level_loads(crowded, allowed)
        assert revision.moved_share <= allowed
        assert revision.plan.max_load <= crowded.max_load
        assert names(revision.plan) == names(crowded)
        assert len(revision.moved) == round(revision.moved_share * len(names(crowded)))
    assert level_loads(crowded, 0.5).plan.max_load < crowded.max_load


def test_wrong_changes_are_refused(running: Weave) -> None:
    with pytest.raises(InputError, match="q1"):
        add_query(running, Query("q1", 4, 2))
    with pytest.raises(InputError, match="nobody"):
        remove_query(running, "nobody")
    for rate in (-1.0, float("nan")):
        with pytest.raises(InputError, match="rate"):
            change_rate(running, rate)

"""view(old) + delta == view(new), on random views and changes; and a broken rule does not pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from headwater.algebra.delta import rules as delta_rules
from headwater.algebra.delta.derive import delta, unrestricted
from headwater.algebra.delta.extremes import losses
from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.tree import call
from headwater.algebra.passes import PASSES, optimize
from headwater.algebra.plans.check import faults
from headwater.algebra.plans.nodes import Filter, Negate, Plan, Project, Restrict, Scan, Union, Version
from headwater.algebra.plans.walks import nodes, rewrite_up
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import StageKind
from headwater.algebra.text.show import parse, show
from headwater.bench.laws import keeping
from headwater.bench.laws.keeping import Difference, check_world
from headwater.bench.laws.running import describe, try_seeds
from headwater.bench.laws.shrink import shrink
from headwater.bench.laws.worlds import World, random_world
from headwater.errors import HeadwaterError
from support.cases import scaled

WORLDS, PARTS = 1_300, 10  # a world holds two cases at least on average: 2,600 (view, changes) pairs


def delta_plans(world: World) -> list[Plan]:
    """The delta plans of all stages of a world, when everything may have changed."""
    plans: list[Plan] = []
    changed = set(world.sources)
    for name, view in world.views.items():
        kept = split(name, view.plan, view.plan.columns, view.types, tuple(world.sources))
        for stage in kept.stages:
            plan = delta(stage, frozenset(changed))
            plans += [] if plan is None else [plan]
            changed.add(stage.name)
    return plans


@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_a_view_kept_by_deltas_is_the_view_computed_anew(part: int) -> None:
    number = WORLDS // PARTS
    outcome = try_seeds(part * number, number)
    if outcome.failures:
        pytest.fail(
            "\n\n".join(f"{failure.message}\n{describe(failure.seed)}" for failure in outcome.failures[:3])
        )
    assert outcome.cases >= 2 * number


def test_the_random_worlds_reach_every_node_kind_and_stage() -> None:
    kinds: set[str] = set()
    stages: set[StageKind] = set()
    for seed in range(150):
        world = random_world(seed)
        kinds |= {type(node).__name__ for plan in delta_plans(world) for node in nodes(plan)}
        for name, view in world.views.items():
            stages |= {s.kind for s in split(name, view.plan, view.plan.columns, view.types, ()).stages}
    assert kinds == {
        "Scan", "Filter", "Project", "Windows", "Join", "OuterJoin", "SemiJoin", "Union", "Aggregate",
        "Negate", "Restrict", "Over", "Explode",
    }  # fmt: skip
    assert stages == {StageKind.ROWS, StageKind.LINEAR, StageKind.GROUPS}


def keep_first_term(plan: Plan) -> Plan:
    return rewrite_up(plan, lambda node: node.inputs[0] if isinstance(node, Union) else node)


def forget_to_negate(plan: Plan) -> Plan:
    return rewrite_up(plan, lambda node: node.child if isinstance(node, Negate) else node)


def read_new_for_old(plan: Plan) -> Plan:
    def step(node: Plan) -> Plan:
        old = isinstance(node, Scan) and node.version is Version.OLD
        return replace(node, version=Version.NEW) if old else node  # type: ignore[call-arg]

    return rewrite_up(plan, step)


def restrict_nothing(plan: Plan) -> Plan:
    """Only which groups lost an extreme must be said: the others are not aggregated anew."""
    return rewrite_up(
        plan, lambda node: node.child if isinstance(node, Restrict) and not losses(node.by) else node
    )


def restrict_everything(plan: Plan) -> Plan:
    nothing = call("is_null", number(1))
    return rewrite_up(plan, lambda node: Filter(node.child, nothing) if isinstance(node, Restrict) else node)


def fails(world: World, change: Callable[[Plan], Plan]) -> bool:
    try:
        check_world(world, lambda plan: change(optimize(plan)))
    except (Difference, HeadwaterError):
        return True
    return False


@pytest.mark.parametrize(
    "mutation", [keep_first_term, forget_to_negate, read_new_for_old, restrict_everything]
)
def test_a_broken_rule_is_found(mutation) -> None:
    assert sum(fails(random_world(seed), mutation) for seed in range(60)) > 5


def test_a_restrict_only_saves_work() -> None:
    """Without any Restrict the rules still hold: whole relations are then taken away and put back."""
    assert not any(fails(random_world(seed), restrict_nothing) for seed in range(150))


def test_all_rows_may_be_compared_instead_of_those_that_a_change_touches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is planned where all relations have few rows."""
    monkeypatch.setattr(keeping, "delta", partial(delta, seeks=False))
    for seed in range(scaled(300)):
        check_world(random_world(seed), lambda plan: unrestricted(optimize(plan)))


def test_keys_that_cancel_out_are_still_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Project in place of the Distinct of touched keys loses updates that keep the key."""
    monkeypatch.setattr(delta_rules, "touched_keys", lambda change, keys: Project(change, keys or ()))
    assert try_seeds(0, 100).failures


def test_a_failing_world_is_made_small() -> None:
    seed = next(seed for seed in range(100) if fails(random_world(seed), forget_to_negate))
    small = shrink(random_world(seed), lambda world: fails(world, forget_to_negate))
    assert fails(small, forget_to_negate)
    assert len(small.batches) == 1
    assert sum(map(len, small.start.values())) <= sum(map(len, random_world(seed).start.values()))


def test_plans_keep_their_columns_and_read_back_from_text() -> None:
    for seed in range(120):
        for plan in delta_plans(random_world(seed)):
            better = optimize(plan)
            assert faults(plan) == faults(better) == []
            assert parse(show(plan, types=True)) == plan
            assert parse(show(better, types=True)) == better


@pytest.mark.parametrize("pass_", dict.fromkeys(PASSES), ids=lambda pass_: pass_.__name__)
def test_a_pass_run_twice_changes_nothing_more(pass_) -> None:
    for seed in range(150):
        for plan in delta_plans(random_world(seed)):
            once = pass_(plan)
            assert pass_(once) == once, f"seed {seed}"

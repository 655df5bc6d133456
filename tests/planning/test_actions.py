"""What goes together in one action, and what does not."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import (
    MOST_HELD,
    MOST_STAGES,
    SMALL_ROWS,
    Mode,
    Step,
    actions,
)

quick = settings(max_examples=300, deadline=None, derandomize=True, database=None)


@dataclass(frozen=True)
class Planned:
    name: str
    reads: tuple[str, ...] = ()
    mode: Mode = Mode.INCREMENTAL
    spark: str = "local"
    changed: int = 10
    result: int = 10
    likeness: Hashable = None

    @property
    def effort(self) -> Effort:
        return Effort(self.changed, 0, self.result)


@dataclass
class AsGiven:
    """Sizes that are known beforehand; remembers what was asked."""

    asked: list[tuple[str, ...]] = field(default_factory=list)

    def works(self, level: Sequence[Planned], held: Mapping[str, int]) -> list[Planned]:
        self.asked.append(tuple(work.name for work in level))
        return list(level)

    def hold(self, works: Sequence[Planned]) -> dict[str, int]:
        return {work.name: work.result for work in works if work.mode is Mode.INCREMENTAL}


def listed(levels: Sequence[Sequence[Planned]], share: bool = True) -> list[list[list[tuple[str, ...]]]]:
    """Step by step, lane by lane, the stages of each action."""
    return [
        [[action.stages for action in lane] for lane in step.lanes]
        for step in actions(levels, AsGiven(), share)
    ]


def test_small_levels_of_one_spark_are_one_action() -> None:
    levels = [[Planned("a"), Planned("b")], [Planned("c", ("a", "b"))], [Planned("d", ("c",))]]
    assert listed(levels) == [[[("a", "b", "c", "d")]]]


def test_without_sharing_every_level_is_a_step() -> None:
    levels = [[Planned("a"), Planned("b")], [Planned("c", ("a",))]]
    assert listed(levels, share=False) == [[[("a", "b")]], [[("c",)]]]


def test_rows_that_later_levels_read_must_fit_into_memory() -> None:
    many = Planned("a", result=MOST_HELD + 1)
    assert listed([[many], [Planned("b", ("a",))]]) == [[[("a",)]], [[("b",)]]]
    # Nobody reads them: they need not be held.
    assert listed([[many], [Planned("b", ("t",))]]) == [[[("a", "b")]]]


def test_first_computations_that_are_alike_are_one_action() -> None:
    first = [
        Planned(name, mode=Mode.INITIAL, likeness=likeness)
        for name, likeness in (("a", "x"), ("b", None), ("c", "x"), ("d", "y"), ("e", None))
    ]
    assert listed([[*first, Planned("f")]]) == [[[("f",), ("a", "c"), ("b",), ("d",), ("e",)]]]


def test_a_large_delta_and_a_recompute_are_actions_of_their_own() -> None:
    large, anew = Planned("large", changed=SMALL_ROWS + 1), Planned("anew", mode=Mode.FULL)
    assert listed([[Planned("a"), large, anew, Planned("b")]]) == [[[("a", "b"), ("large",), ("anew",)]]]
    assert listed([[large], [Planned("b", ("large",))]]) == [[[("large",)]], [[("b",)]]]


def test_the_inputs_of_adapted_joins_are_one_action() -> None:
    inputs = [Planned("v$x", mode=Mode.PROBE), Planned("v$y", mode=Mode.PROBE), Planned("other")]
    # What is beside them does not wait for the joins, which under overload take as long as they may.
    assert listed([inputs, [Planned("v", ("v$x", "v$y"))]]) == [[[("other",), ("v$x", "v$y")]], [[("v",)]]]


def test_sparks_work_side_by_side_and_wait_for_each_other_between_levels() -> None:
    here, there = Planned("a"), Planned("b", spark="sc://there")
    later = Planned("c", ("a", "b"))
    assert listed([[here, there], [later]]) == [[[("a",)], [("b",)]], [[("c",)]]]


def test_copies_come_first_unless_what_they_copy_is_yet_to_be_computed() -> None:
    source = Planned("t@there", ("t",), Mode.COPY, "sc://there")
    assert listed([[source, Planned("a")], [Planned("b", ("a",))]]) == [[[("t@there",)]], [[("a", "b")]]]
    shared = Planned("a@there", ("a",), Mode.COPY, "sc://there")
    assert listed([[Planned("a")], [shared]]) == [[[("a",)]], [[("a@there",)]]]


def test_a_stage_whose_time_only_moves_on_is_no_reason_for_an_action() -> None:
    idle = Planned("idle", mode=Mode.EMPTY, spark="sc://there")
    steps = list(actions([[idle], [Planned("a", ("idle",))]], AsGiven()))
    assert [action.stages for step in steps for lane in step.lanes for action in lane] == [(), ("a",)]
    assert [
        work.name for step in steps for lane in step.lanes for action in lane for work in action.works
    ] == [
        "idle",
        "a",
    ]


def test_an_action_of_several_levels_has_a_limit() -> None:
    first = [Planned(f"a{number}") for number in range(MOST_STAGES)]
    assert len(listed([first, [Planned("b", ("a0",))]])) == 2
    assert len(listed([first[1:], [Planned("b", ("a1",))]])) == 1


def test_steps_are_asked_for_one_by_one() -> None:
    """Later levels are sized only after earlier steps have been taken: a run has run them by then."""
    sizes = AsGiven()
    levels = [[Planned("a", mode=Mode.FULL)], [Planned("b", ("a",))], [Planned("c", ("b",), Mode.FULL)]]
    steps = actions(levels, sizes)
    next(steps)
    assert ("c",) not in sizes.asked
    assert [list(step.lanes)[0][0].stages for step in steps] == [("b",), ("c",)]
    assert sizes.asked.count(("b",)) == 2  # first as part of a's action, then by itself


@st.composite
def pushes(draw: st.DrawFn) -> list[list[Planned]]:
    levels: list[list[Planned]] = []
    for depth in range(draw(st.integers(1, 4))):
        earlier = [work.name for level in levels for work in level]
        level = []
        for number in range(draw(st.integers(1, 4))):
            below = draw(st.lists(st.sampled_from(earlier), max_size=3, unique=True)) if earlier else []
            mode = draw(st.sampled_from(list(Mode)))
            spark = draw(st.sampled_from(["local", "sc://a"]))
            rows = draw(st.sampled_from([1, 60_000, SMALL_ROWS + 1]))
            level.append(Planned(f"s{depth}_{number}", (*below, "t"), mode, spark, rows, rows))
        levels.append(level)
    return levels


@pytest.mark.slow
@quick
@given(pushes(), st.booleans())
def test_whatever_is_pushed(levels: list[list[Planned]], share: bool) -> None:
    """Every stage once; nothing before what it reads, unless both are in one action; one Spark an action."""
    steps: list[Step[Planned]] = list(actions(levels, AsGiven(), share))
    place: dict[str, tuple[int, int]] = {}
    for number, step in enumerate(steps):
        for lane, actions_of_lane in enumerate(step.lanes):
            for action in actions_of_lane:
                assert len({work.spark for work in action.works}) == 1
                working = [work for work in action.works if work.mode is not Mode.EMPTY]
                if len(working) > 1:
                    probing = all(work.mode is Mode.PROBE for work in working)
                    assert probing or all(
                        work.mode is Mode.INCREMENTAL and work.changed <= SMALL_ROWS for work in working
                    )
                for work in action.works:
                    assert work.name not in place
                    place[work.name] = number, lane
    works = {work.name: work for level in levels for work in level}
    assert place.keys() == works.keys()
    for work in works.values():
        for read in (name for name in work.reads if name in works):
            step, lane = place[read]
            together = place[work.name] == (step, lane) and works[read].mode is not Mode.COPY
            idle = Mode.EMPTY in (works[read].mode, work.mode)
            assert step < place[work.name][0] or together or idle or works[read].result == 0

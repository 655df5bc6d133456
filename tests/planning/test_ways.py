"""By its delta or recomputed as a whole: what a view's refreshes took decides, without flapping."""

from __future__ import annotations

from datetime import timedelta

from headwater.algebra.stages.as_a_whole import as_a_whole
from headwater.algebra.stages.stage import Kept
from headwater.catalog import keep
from headwater.model import Column, RefreshPolicy, SqlText, View
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.learning.ways import (
    FADING,
    KNOWN,
    TRIES,
    Refresh,
    Ways,
    choose_way,
    usual_recompute,
)
from headwater.planning.cost.predictor import Done, Lesson, Predictor
from headwater.planning.stages.actions import Mode

FACTS = {"facts": (Column("id", "bigint"), Column("k", "bigint"), Column("n", "bigint"))}
TOP = "SELECT k, sum(n) AS s FROM facts GROUP BY k ORDER BY s DESC, k LIMIT 3"


def top() -> Kept:
    return keep(View("top", SqlText(TOP), timedelta(minutes=1)), FACTS)


def refreshed(pushes: int, delta: float, whole: float, says: float = 1.0) -> list[bool]:
    """Which refreshes were recomputes, if the ways cost so much and the operators say the same of both."""
    ways, taken = Ways(), []
    for _ in range(pushes):
        full = choose_way(ways, says, says, emptied=False).full
        ways = ways.learn(full, says, whole if full else delta)
        taken.append(full)
    return taken


def test_a_recompute_that_was_never_measured_is_tried_once_the_delta_is_known() -> None:
    taken = refreshed(20, delta=1.0, whole=3.0)
    assert taken[:KNOWN] == [False] * KNOWN
    assert taken[KNOWN]
    assert not any(taken[KNOWN + TRIES :])


def test_what_is_clearly_cheaper_is_taken_and_kept() -> None:
    assert all(refreshed(40, delta=3.0, whole=1.0)[KNOWN:])


def test_what_is_about_as_cheap_is_left_as_it_is() -> None:
    """Neither way is taken for a gain of a tenth; whichever was tried last stays for a long time."""
    taken = refreshed(40, delta=1.0, whole=0.9)
    assert sum(one != other for one, other in zip(taken, taken[1:], strict=False)) <= 4


def test_a_wrong_belief_is_corrected() -> None:
    """The delta was slow while something else loaded the machine; in the end it is tried again."""
    ways = Ways()
    for _ in range(KNOWN):
        ways = ways.learn(False, 1.0, 4.0)
    turns = 0
    while choose_way(ways, 1.0, 1.0, emptied=False).full or not ways.recomputed:
        ways, turns = ways.learn(True, 1.0, 1.0), turns + 1
        assert turns < 300
    assert turns > 50


def test_trials_of_what_costs_more_are_bounded() -> None:
    """In a thousand refreshes, what trials cost beyond the cheaper way is less than a tenth of all."""
    taken = refreshed(1_000, delta=1.0, whole=2.5)
    assert sum(taken) * 1.5 < 100


def test_what_costs_many_times_as_much_is_not_tried_again() -> None:
    assert sum(refreshed(2_000, delta=0.1, whole=2.0, says=0.1)) == 1


def test_a_recompute_that_would_take_much_of_the_promise_is_not_tried() -> None:
    ways = Ways()
    for _ in range(KNOWN):
        ways = ways.learn(False, 1.0, 1.0)
    assert choose_way(ways, 1.0, 1.0, False, promise=60.0).full
    assert not choose_way(ways, 1.0, 1.0, False, promise=4.0).full


def test_what_recomputes_of_other_views_took_counts_for_one_that_was_never_measured() -> None:
    """The operators say twice as much as recomputes take: one that seems too dear is tried all the same."""
    known = Ways()
    for _ in range(TRIES):
        known = known.learn(True, 1.0, 0.4)
    ways = Ways()
    for _ in range(KNOWN):
        ways = ways.learn(False, 1.0, 1.0)
    assert usual_recompute([known]) == 1.0  # one view says little
    assert usual_recompute([known, known, ways]) == 0.4
    assert not choose_way(ways, 1.0, 2.0, False).full
    assert choose_way(ways, 1.0, 2.0, False, usual=0.4).full
    assert not choose_way(ways.learn(True, 2.0, 2.0).learn(False, 1.0, 1.0), 1.0, 2.0, False, usual=0.4).full


def test_hidden_stages_are_computed_anew_for_a_large_gain_only() -> None:
    ways = Ways().learn(False, 1.0, 0.75)
    for _ in range(TRIES):
        ways = ways.learn(True, 1.0, 1.0)
    assert not choose_way(ways, 1.0, 1.0, emptied=False).full
    assert choose_way(ways, 1.0, 1.0, emptied=True).full


def test_few_changes_bring_the_delta_back() -> None:
    ways = Ways().learn(False, 1.0, 2.0)
    for _ in range(TRIES):
        ways = ways.learn(True, 1.0, 1.0)
    assert choose_way(ways, 1.0, 1.0, emptied=True).full
    assert not choose_way(ways, 0.1, 1.0, emptied=True).full


def test_before_anything_was_measured_the_operators_decide() -> None:
    assert choose_way(Ways(), 10.0, 4.0, emptied=False).full
    assert not choose_way(Ways(), 10.0, 6.0, emptied=False).full
    slow = Ways().learn(False, 10.0, 100.0)
    assert not choose_way(slow, 10.0, 6.0, emptied=False).full, "one slow push says little"


def test_publishing_counts() -> None:
    ways = Ways()
    for _ in range(KNOWN):
        ways = ways.learn(False, 1.0, 1.0).published(2.0)
    ways = ways.learn(True, 1.0, 1.5).published(0.1).learn(True, 1.0, 1.5)
    assert ways.delta.expected(1.0, 1.6) == (1.0 + 2.0) * FADING**2
    assert choose_way(ways, 1.0, 1.0, emptied=False).full


def test_a_view_as_a_whole_reads_what_its_stages_read() -> None:
    kept = top()
    whole = as_a_whole(kept)
    assert len(kept.stages) == 2
    assert whole is not None
    assert (whole.name, whole.reads, whole.columns) == ("top", ("facts",), kept.stages[-1].columns)


def test_lessons_teach_what_the_ways_of_a_view_take() -> None:
    kept = top()
    predictor = Predictor().for_stages(kept.stages, lambda _: "default")
    assert (whole := as_a_whole(kept)) is not None
    refresh = Refresh(kept, whole, {"facts": 100}, {"facts": 1_000_000, "top": 3, "top$1": 1_000})
    by_delta = {stage.name: Done(Mode.INCREMENTAL, Effort(100, 1_000, 100), 0.5) for stage in kept.stages}
    anew = {"top": Done(Mode.FULL, Effort(100, 1_000_000, 3), 0.3)}
    for _ in range(KNOWN):
        predictor = predictor.learn(Lesson(by_delta, 3.0))
    assert predictor.choose_way(refresh).full
    predictor = predictor.learn_all([Lesson(anew, 0.5)] * TRIES)
    assert predictor.recomputed_as_a_whole("top")
    choice = predictor.choose_way(refresh)
    assert choice.full
    assert "core-seconds" in choice.reason
    stage, effort = kept.stages[0], Effort(100, 1_000, 100)
    assert predictor.recomputes(stage, effort, effort, RefreshPolicy.AUTO)


def test_other_recomputes_teach_nothing_about_ways() -> None:
    kept = top()
    predictor = Predictor().for_stages(kept.stages, lambda _: "default")
    assert not predictor.learn(Lesson({"top": Done(Mode.FULL, Effort(0, 1_000, 3), 0.3)}, 0.5)).ways
    assert not predictor.learn(Lesson({"top": Done(Mode.INITIAL, Effort(0, 1_000, 3), 0.3)}, 0.5)).ways

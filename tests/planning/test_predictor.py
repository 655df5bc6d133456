"""How long an action takes: as the operators say, then as lessons teach; the same before and after."""

from __future__ import annotations

import random

import pytest

from headwater.algebra.expressions.tree import Column, equal
from headwater.algebra.plans.nodes import Aggregate, Join, Scan
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.model import RefreshPolicy
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.operators import OPERATORS
from headwater.planning.cost.predictor import WARMING, Correction, Done, Lesson, Predictor
from headwater.planning.cost.stage_seconds import Seconds, shape_of
from headwater.planning.stages.actions import Mode

USERS, TWEETS = Scan("users", "u", ("uid",)), Scan("tweets", "t", ("uid",))
JOIN = Join((USERS, TWEETS), (equal(Column("u.uid"), Column("t.uid")),))
JOINED = Stage("joined", StageKind.ROWS, ("uid",), JOIN, ("users", "tweets"))
COUNTED = Stage(
    "counted", StageKind.LINEAR, ("uid",), Aggregate(TWEETS, (("uid", Column("t.uid")),), ()), ("tweets",)
)
SQL = Stage("sql", StageKind.SQL, ("uid",), None, ("tweets",), "SELECT 1")
STAGES = (JOINED, COUNTED, SQL)
PREDICTOR = Predictor().for_stages(STAGES, lambda _: "default")


def by_delta(*stages: str, changed: int = 1_000, result: int = 1_000) -> dict[str, Done]:
    return {stage: Done(Mode.INCREMENTAL, Effort(changed, 10_000, result)) for stage in stages}


def expected(predictor: Predictor, works: dict[str, Done]) -> float:
    return predictor.forecast(works).expected.total_seconds()


def test_a_fixed_cost_is_paid_once_an_action() -> None:
    together = expected(PREDICTOR, by_delta("joined", "counted"))
    apart = expected(PREDICTOR, by_delta("joined")) + expected(PREDICTOR, by_delta("counted"))
    assert apart - together == pytest.approx(OPERATORS.action)


def test_shapes_count_what_a_delta_consists_of() -> None:
    assert (shape_of(JOINED).joins, shape_of(COUNTED).aggregates, shape_of(SQL).lookups) == (1, 1, 1)


def test_nothing_to_do_takes_no_time_and_a_copy_no_spark() -> None:
    assert expected(PREDICTOR, {"joined": Done(Mode.EMPTY, Effort(0, 0, 0))}) == 0
    assert expected(PREDICTOR, {"joined": Done(Mode.COPY, Effort(1_000, 0, 1_000))}) < OPERATORS.action


def test_lessons_correct_what_the_operators_say() -> None:
    """After ten pushes within a fifth, though the machine is three times slower and rows cost the double."""
    chance = random.Random(1)
    predictor = PREDICTOR
    for _ in range(10):
        works = by_delta("joined", "counted", changed=(rows := chance.randrange(100, 200_000)), result=rows)
        said = Seconds(0.0, 0.0)
        for stage, done in works.items():
            said = said.plus(PREDICTOR.operators_say(stage, done.mode, done.effort))
        took = 3 * (OPERATORS.action + said.fixed) + 2 * said.rows
        predictor = predictor.learn(Lesson(works, took * chance.uniform(0.95, 1.05)))
    for rows in (100, 50_000, 150_000):
        works = by_delta("joined", "counted", changed=rows, result=rows)
        parts = PREDICTOR.parts(works)
        fixed = parts.action + sum(
            PREDICTOR.operators_say(s, d.mode, d.effort).fixed for s, d in works.items()
        )
        rest = sum(PREDICTOR.operators_say(s, d.mode, d.effort).rows for s, d in works.items())
        assert expected(predictor, works) == pytest.approx(3 * fixed + 2 * rest, rel=0.2)


def test_a_set_of_stages_that_was_never_run_starts_from_what_all_taught() -> None:
    slow = PREDICTOR.learn_all([Lesson(by_delta("joined"), 5.0)] * 10)
    assert expected(slow, by_delta("counted")) > 3 * expected(PREDICTOR, by_delta("counted"))


def test_lessons_read_back_at_once_teach_what_they_taught_one_by_one() -> None:
    lessons = [
        Lesson(by_delta("joined", changed=n * 1_000, result=n * 1_000), 1.0 + n / 10) for n in range(1, 9)
    ]
    one_by_one = PREDICTOR
    for lesson in lessons:
        one_by_one = one_by_one.learn(lesson)
    at_once = PREDICTOR.learn_all(lessons)
    assert at_once.usual == one_by_one.usual
    assert at_once.yields == one_by_one.yields


def test_an_estimate_from_few_lessons_is_taken_with_caution() -> None:
    correction = Correction()
    caution = []
    for _ in range(20):
        correction = correction.learn(Seconds(1.0, 0.5), 4.0)
        forecast = correction.forecast(Seconds(1.0, 0.5))
        caution.append(forecast.cautious / forecast.expected)
    assert caution[0] >= 2
    assert caution == sorted(caution, reverse=True)
    assert caution[-1] < 1.2


def test_a_spark_that_has_just_started_is_slow_and_its_lessons_are_judged_as_such() -> None:
    works = by_delta("joined")
    cold = PREDICTOR.forecast(works, before=0).expected.total_seconds()
    assert cold == pytest.approx(WARMING[0] * expected(PREDICTOR, works))
    taught = PREDICTOR.learn(Lesson(works, cold, before=0))
    assert expected(taught, works) == pytest.approx(expected(PREDICTOR, works))


def test_a_stage_has_habits() -> None:
    few = {"joined": Done(Mode.INCREMENTAL, Effort(500_000, 70, 5_000))}
    taught = PREDICTOR.learn(Lesson(few, 1.0))
    assert taught.usually("joined", Effort(100_000, 9_000_000, 100_000)) == Effort(100_000, 70, 1_000)


def test_stages_that_are_no_longer_known_teach_nothing() -> None:
    assert PREDICTOR.learn(Lesson(by_delta("gone"), 9.0)) == PREDICTOR


def test_the_cost_of_an_action_is_split_as_the_operators_say() -> None:
    works = by_delta("joined") | by_delta("counted", changed=200_000, result=200_000)
    shares = PREDICTOR.parts(works).shares()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["counted"] > shares["joined"] > 0


def test_delta_or_recompute() -> None:
    small, large = Effort(10, 1_000_000, 10), Effort(0, 1_000_000, 1_000_000)
    assert not PREDICTOR.choose(JOINED, small, large, RefreshPolicy.AUTO).full
    many = Effort(2_000_000, 1_000_000, 2_000_000)
    assert PREDICTOR.choose(JOINED, many, Effort(0, 1_000, 1_000), RefreshPolicy.AUTO).full
    assert not PREDICTOR.choose(JOINED, many, Effort(0, 1_000, 1_000), RefreshPolicy.INCREMENTAL).full
    assert PREDICTOR.choose(SQL, small, large, RefreshPolicy.AUTO).full


def test_what_all_actions_taught_follows_the_newest_whichever_stages_they_had() -> None:
    slow = [Lesson(by_delta("joined"), 9.0)] * 45
    fast = [Lesson(by_delta("counted"), 0.3)] * 60
    mixed = [Lesson(by_delta("counted"), 0.3), *slow, *fast]
    assert expected(PREDICTOR.learn_all(mixed), by_delta("counted", "joined")) < 2.0


def test_a_copy_is_as_fast_on_a_cold_spark() -> None:
    copy = {"joined": Done(Mode.COPY, Effort(1_000, 0, 1_000))}
    assert PREDICTOR.forecast(copy, before=0) == PREDICTOR.forecast(copy, before=99)


def test_plans_are_compared_with_the_factors_of_all_actions() -> None:
    """The action that runs was slow while others loaded the machine; those that it replaces were never run."""
    together = by_delta("joined", "counted")
    slow = PREDICTOR
    for _ in range(10):
        slow = slow.learn(Lesson(by_delta("joined"), 0.5)).learn(Lesson(together, 50.0))

    def seconds(works: dict[str, Done], as_usual: bool) -> float:
        parts = slow.parts(works, as_usual)
        return parts.action + sum(parts.stages.values())

    apart = [by_delta("joined"), by_delta("counted")]
    assert seconds(together, False) > sum(seconds(works, False) for works in apart)
    assert seconds(together, True) < sum(seconds(works, True) for works in apart)

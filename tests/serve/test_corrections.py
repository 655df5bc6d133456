"""What pushes taught: how their seconds and CPU compare with the plan, and what that does to the next plan."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from headwater.serve.corrections import Corrections, Pushes, corrected, corrections
from headwater.sharing.costs import critical_path
from headwater.sharing.facts import Facts
from headwater.sharing.global_plan import plan_all
from headwater.sharing.relations import Input, Relation, Sharing
from headwater.sharing.situation import Situation

SECOND = 1_000_000
START = 1_000 * SECOND
VIEW = Sharing(
    "v", Relation((Input("a", "a"), Input("b", "b")), (("a.k", "b.k"),)), freshness=timedelta(seconds=30)
)
SITUATION = Situation(facts={"a": Facts(1e5, 100.0), "b": Facts(1e5, 10.0)})
PLAN = plan_all([VIEW], SITUATION)


def push(number: int, seconds: float, stage: str = "v", **more: Any) -> dict[str, Any]:
    """A push that carries ten seconds of changes."""
    until = START + 10 * SECOND * number
    return {
        "at": until + int(seconds * SECOND), "view": stage, "stage": stage, "mode": "incremental", "error": "",
        "after": until - 10 * SECOND, "until": until, "seconds": seconds, "cpu_seconds": seconds / 2,
        "site": "", "serves": "", "action": f"{stage} {number}",
    } | more  # fmt: skip


def found(*rows: dict[str, Any]) -> Corrections:
    cores = {site: load.cores for site, load in PLAN.shares.resources.loads.items()}
    return corrections(Pushes(rows), PLAN.graph, {"v": "default"}, SITUATION, cores)


def test_a_view_whose_pushes_take_twice_as_long_halves_the_speed_of_its_site() -> None:
    predicted = critical_path(PLAN.graph, "v", 10.0, SITUATION).seconds
    result = found(*(push(number, 2 * predicted) for number in range(8)))
    assert result.views == {"v": pytest.approx(2.0)}
    assert result.pushes == {"v": 8}
    better = corrected(SITUATION, result)
    assert better.operators.speeds == {"default": pytest.approx(0.5)}
    assert critical_path(PLAN.graph, "v", 10.0, better).seconds == pytest.approx(2 * predicted)


def test_the_price_follows_the_cpu_that_was_used() -> None:
    """Busy twice as much as planned: the plan costs twice as much, however long its pushes took."""
    planned = PLAN.shares.resources.loads["default"].cores
    rows = [push(number, 0.5, cpu_seconds=20 * planned) for number in range(1, 61)]
    result = found(*rows)
    assert result.cpu == {"default": pytest.approx(2.0, rel=0.05)}
    dearer = plan_all([VIEW], corrected(SITUATION, result))
    # Pushes are rarer or more frequent as they get longer or shorter: not exactly twice.
    assert dearer.resources == pytest.approx(2 * PLAN.resources, rel=0.1)


def test_actions_below_count_and_one_action_counts_once() -> None:
    """Two stages of the view in one action take its time once; what it shares with others lies below."""
    rows = [
        row
        for number in range(4)
        for row in (
            push(number, 1.0, "shared", serves="v,w"),
            push(number, 3.0, "v"),
            push(number, 3.0, "v$1", view="v", action=f"v {number}"),
            push(number, 9.0, "w"),
        )
    ]
    assert [seconds for _, seconds in Pushes(tuple(rows)).of("v")] == [4.0] * 4


@pytest.mark.parametrize("rows", [(), (push(1, 99.0),), (push(1, 99.0), push(2, 99.0))])
def test_few_pushes_say_nothing(rows: tuple[dict[str, Any], ...]) -> None:
    assert found(*rows) == Corrections()
    assert corrected(SITUATION, Corrections()) == SITUATION


def test_no_ratio_is_believed_beyond_all_measure() -> None:
    result = found(*(push(number, 1e6) for number in range(5)))
    assert result.views["v"] == 8.0
    assert corrected(SITUATION, result).sites["default"].prices.core_hour > Decimal(0)

"""How probes are divided among the inputs of an adapted join, and which part of the matches that finds."""

from __future__ import annotations

import pytest

from headwater.overload.joins.adaptation.allowances import (
    Arrivals,
    assumed,
    at_rates,
    probes_needed,
    share_of_matches,
)
from headwater.overload.joins.adaptation.allowances import allowances as allowances_of
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.policies.by_name import POLICIES


def plan_of(arrived: Arrivals, seconds: float, window: float, found: float) -> JoinPlan:
    return assumed({stream: rows / seconds for stream, rows in arrived.items()}, window, found)


def allowances(
    arrived: Arrivals, seconds: float, window: float, found: float, probes: float, policy: str
) -> dict[str, int]:
    return allowances_of(plan_of(arrived, seconds, window, found), arrived, seconds, probes, policy)


def test_rows_of_a_slow_stream_are_worth_more() -> None:
    arrived = {"fast": 10_000, "slow": 1_000}
    assert allowances(arrived, 10, 60, 2.0, 1_000, "optimal") == {"fast": 0, "slow": 1_000}
    granted = allowances(arrived, 10, 60, 2.0, 4_000, "optimal")
    assert granted == {"fast": 3_000, "slow": 1_000}
    assert share_of_matches(arrived, granted) == pytest.approx((0.3 + 1) / 2)


def test_enough_probes_let_every_row_probe() -> None:
    arrived = {"x": 300, "y": 20, "z": 1_000}
    needed = probes_needed(plan_of(arrived, 5, 60, 3.0), 5)
    assert needed > sum(arrived.values())  # what is found at the first join looks for the third input
    assert allowances(arrived, 5, 60, 3.0, needed, "optimal") == arrived
    assert allowances(arrived, 5, 60, 3.0, needed - 200, "optimal") != arrived
    assert allowances(arrived, 5, 60, 3.0, 10**9, "optimal") == arrived
    assert share_of_matches(arrived, arrived) == 1.0


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("probes", [0, 1, 700, 10**6])
def test_no_policy_spends_more_than_there_is(policy: str, probes: float) -> None:
    arrived = {"x": 3_000, "y": 20, "z": 100, "w": 0}
    granted = allowances(arrived, 4, 30, 0.5, probes, policy)
    assert granted.keys() == arrived.keys()
    assert all(0 <= granted[stream] <= arrived[stream] for stream in arrived)
    assert sum(granted.values()) <= probes + len(arrived)  # they are rounded


def test_optimal_finds_no_less_than_any_other_policy() -> None:
    arrived = {"x": 3_000, "y": 200, "z": 1_000}
    shares = {
        policy: share_of_matches(arrived, allowances(arrived, 4, 30, 0.5, 900, policy)) for policy in POLICIES
    }
    assert shares["optimal"] >= max(shares.values()) - 0.01


def test_a_probe_finds_as_many_results_as_was_seen() -> None:
    """On average over the paths, whatever the sizes of the states."""
    plan = assumed({"x": 50.0, "y": 5.0, "z": 9.0}, 60, 4.0)
    assert sum(path.cardinalities[-1] for path in plan.paths) / 3 == pytest.approx(4.0)


def test_the_same_selectivities_find_more_at_higher_rates() -> None:
    plan = assumed({"x": 50.0, "y": 5.0, "z": 9.0}, 60, 4.0)
    faster = at_rates(plan, {"x": 50.0, "y": 10.0, "z": 9.0}, 60)
    assert [after.cardinalities[-1] / before.cardinalities[-1] for before, after in zip(plan.paths, faster.paths, strict=True)] == [
        pytest.approx(2.0), pytest.approx(1.0), pytest.approx(2.0),
    ]  # fmt: skip


def test_a_share_that_was_counted_weighs_streams_by_what_their_rows_find() -> None:
    arrived, probed = {"x": 100, "y": 10}, {"x": 0, "y": 10}
    assert share_of_matches(arrived, probed) == pytest.approx(0.5)
    assert share_of_matches(arrived, probed, {"x": 1.0, "y": 30.0}) == pytest.approx(0.75)
    assert share_of_matches(arrived, probed, {"x": 0.0, "y": 0.0}) == pytest.approx(0.5)  # nothing to count

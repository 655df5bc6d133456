"""Admission: Table 1, promises that are too short, plans between the cheapest and the fastest, capacity."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import table1
from test_search import RANDOM, cases

from headwater.model import Site
from headwater.sharing.admission import Admission, admit, smallest_freshness
from headwater.sharing.costs import Load, critical_path, longest, window
from headwater.sharing.exhaustive import all_plans
from headwater.sharing.facts import Facts
from headwater.sharing.graph import EdgeKind
from headwater.sharing.operators import OPERATORS, OperatorModel
from headwater.sharing.relations import Input, Relation, Sharing
from headwater.sharing.search import frontier
from headwater.sharing.situation import Situation

SITUATION = table1.situation()


def promised(sharing: Sharing, seconds: float) -> Sharing:
    return replace(sharing, freshness=timedelta(seconds=seconds))


@pytest.mark.parametrize("sharing", table1.sharings(45.0), ids=lambda one: one.view)
def test_all_of_table_1_are_admitted_at_45_seconds(sharing: Sharing) -> None:
    found = admit(sharing, SITUATION)
    assert (found.admitted, found.chosen) == (True, "DPD")
    assert found.critical_path.seconds < 45
    assert not found.tight
    assert found.smallest is not None
    assert found.smallest.total_seconds() < 4
    assert 0 < found.dollars_per_hour < 0.1
    assert "the cheapest plan takes" in found.reason


@pytest.mark.parametrize("sharing", table1.sharings(0.01), ids=lambda one: one.view)
def test_none_of_table_1_is_admitted_at_10_milliseconds_and_the_path_says_why(sharing: Sharing) -> None:
    found = admit(sharing, SITUATION)
    assert (found.admitted, found.chosen) == (False, "")
    assert found.critical_path.seconds > 0.01
    assert found.critical_path == found.fastest.critical_path
    edges = found.critical_path.edges
    assert edges[0].kind is EdgeKind.CAPTURE
    assert all(one.target in two.sources for one, two in zip(edges, edges[1:], strict=False))
    assert edges[-1].target.relation == sharing.result
    assert sum(step.seconds for step in found.critical_path.steps) == pytest.approx(
        found.critical_path.seconds
    )
    assert len(found.path_text) == len(edges) - 1 + 1  # the capture has no line, the sum has one
    assert "even the fastest plan takes" in found.reason
    assert f"{found.smallest.total_seconds():g} s" in found.reason if found.smallest else False


def test_the_smallest_freshness_is_admitted_and_a_smaller_one_is_not() -> None:
    for sharing in table1.sharings()[::4]:
        smallest = smallest_freshness(sharing, SITUATION)
        assert smallest is not None
        assert admit(replace(sharing, freshness=smallest), SITUATION).admitted
        assert not admit(
            replace(sharing, freshness=smallest - timedelta(milliseconds=20)), SITUATION
        ).admitted


def test_a_path_is_printed_edge_by_edge() -> None:
    found = admit(table1.sharings(0.01)[5], SITUATION)  # tweets * curloc at m2, curloc at m5
    assert found.path_text == (
        "   0.002 s  copy d(curloc) @ m5 -> d(curloc) @ m2  (1 changes)",
        "   1.650 s  join d(curloc) @ m2, tweets @ m2 -> d(curloc * tweets by curloc) @ m2  (1 changes, 7,000,001 scanned)",
        "   0.080 s  union d(curloc * tweets by curloc) @ m2, d(curloc * tweets by tweets) @ m2 -> d(curloc * tweets) @ m2  (2 changes)",
        "   0.002 s  apply d(curloc * tweets) @ m2 -> curloc * tweets @ m2  (2 changes)",
        "   1.734 s  in all",
    )


def between() -> tuple[Sharing, Situation]:
    """S4, with a promise that its cheapest plan breaks and a plan between cheapest and fastest keeps."""
    sharing = table1.sharings()[3]
    copies = {EdgeKind.COPY: OperatorModel(0.1, 1e-6), EdgeKind.APPLY: OperatorModel(0.1, 3e-6)}
    slow = replace(SITUATION, operators=OPERATORS.with_models(copies))
    paths = sorted(one.critical_path.seconds for one in frontier(promised(sharing, 3.0), slow))
    assert len(paths) >= 3
    return promised(sharing, (paths[-1] + paths[-2]) / 2), slow


def test_a_plan_between_is_taken_when_the_cheapest_is_too_slow() -> None:
    sharing, situation = between()
    found = admit(sharing, situation)
    assert found.admitted
    assert found.chosen == "between"
    assert found.cheapest.critical_path.seconds > sharing.freshness.total_seconds()
    assert found.critical_path.seconds <= sharing.freshness.total_seconds()
    assert found.cheapest.dollars < found.dollars_per_hour < found.fastest.dollars
    assert "the cheapest plan would take" in found.reason
    assert "the fastest would cost" in found.reason


@settings(RANDOM, max_examples=12)
@given(cases(), st.floats(0.0, 1.2))
def test_the_plan_taken_is_about_the_cheapest_that_keeps_the_promise(
    case: tuple[Sharing, Situation], where: float
) -> None:
    sharing, situation = case
    sharing = promised(sharing, 4.0)
    plans = frontier(sharing, situation)
    slow, fast = plans[0].critical_path.seconds, plans[-1].critical_path.seconds
    sharing = promised(sharing, max(0.05, fast + where * (slow - fast)))
    found = admit(sharing, situation)
    keeping = [
        one.price.per_second
        for one in all_plans(sharing, situation)
        if one.critical_path.seconds <= sharing.freshness.total_seconds()
    ]
    assert found.admitted == bool(keeping)
    if keeping:
        assert min(keeping) * (1 - 1e-9) <= found.planned.price.per_second <= 1.1 * min(keeping)


def test_faster_changes_need_a_longer_promise_until_none_is_enough() -> None:
    sharing = table1.sharings()[4]
    smallest = [smallest_freshness(sharing, table1.situation(rate)) for rate in (100.0, 10_000.0, 40_000.0)]
    assert smallest[0] is not None
    assert smallest[1] is not None
    assert smallest[2] is not None
    assert smallest[0] < smallest[1] < smallest[2]
    flooded = table1.situation(10_000_000.0)
    found = admit(sharing, flooded)
    assert not found.admitted
    assert found.smallest is None
    assert "changes come faster than they can be handled" in found.reason


def test_no_room_is_a_reason() -> None:
    small = replace(SITUATION, sites={name: Site(name, cores=0.01) for name in table1.SITES})
    sharing = table1.sharings()[4]
    found = admit(sharing, small)
    assert not found.admitted
    assert found.reason.startswith("there is no room for it: site m")
    assert "cores and has 0.01" in found.reason
    roomy = replace(SITUATION, sites={name: Site(name, cores=2.0) for name in table1.SITES})
    assert admit(sharing, roomy).admitted
    everything = {name: Load(2.0, 0.0) for name in table1.SITES}
    assert not admit(sharing, roomy, everything).admitted


def test_a_full_site_is_avoided() -> None:
    sharing = replace(table1.sharings()[5], site="m3")  # tweets at m2, curloc at m5

    def joins(found: Admission) -> set[str]:
        return {edge.target.site for edge in found.graph.edges if edge.kind is EdgeKind.JOIN}

    roomy = replace(SITUATION, sites={name: Site(name, cores=4.0) for name in table1.SITES})
    used = joins(admit(sharing, roomy))
    full = {name: Load(3.99) for name in used if name != "m3"}
    assert full
    found = admit(sharing, roomy, full)
    assert found.admitted
    assert not joins(found) & set(full)


def test_a_tight_promise_is_said_to_be_tight() -> None:
    sharing = table1.sharings()[4]
    smallest = smallest_freshness(sharing, SITUATION)
    assert smallest is not None
    assert admit(replace(sharing, freshness=smallest * 1.1), SITUATION).tight
    assert not admit(replace(sharing, freshness=smallest * 4), SITUATION).tight


def test_the_path_is_that_of_the_longest_push() -> None:
    found = admit(table1.sharings()[0], SITUATION)
    seconds = window(timedelta(seconds=45))
    assert seconds == 36.0
    assert critical_path(found.graph, "S1", seconds, SITUATION) == found.critical_path
    assert longest(found.graph, 1.0, SITUATION).seconds < found.critical_path.seconds


def test_a_view_that_reads_a_slow_view_needs_more_time() -> None:
    sharing = Sharing("W", Relation((Input("V", "V"),)), "m2", timedelta(seconds=5))
    situation = Situation({name: Site(name) for name in ("m1", "m2")}, {"V": Facts(1e4, 10.0)}, {"V": "m1"})
    assert admit(sharing, situation).admitted
    late = replace(situation, delays={"V": 6.0})
    found = admit(sharing, late)
    assert not found.admitted
    assert found.path_text[0] == "   6.000 s  until the view that is read is fresh"

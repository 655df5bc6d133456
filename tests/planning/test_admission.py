"""Admission: Table 1, promises that are too short, plans between the cheapest and the fastest, capacity."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model import Site
from headwater.planning.cost.costs import Load, critical_path, longest, window
from headwater.planning.cost.operators import OPERATORS, OperatorModel
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import EdgeKind
from headwater.planning.relations.relations import Input, Relation, Sharing
from headwater.planning.search.admission import Admission, admit, smallest_freshness
from headwater.planning.search.exhaustive import all_plans
from headwater.planning.search.search import frontier
from support.cases import law
from support.planning import table1
from support.planning.search_cases import cases

SITUATION = table1.situation()


def promised(sharing: Sharing, seconds: float) -> Sharing:
    return replace(sharing, freshness=timedelta(seconds=seconds))


@pytest.mark.parametrize("sharing", table1.sharings(45.0), ids=lambda sharing: sharing.view)
def test_all_of_table_1_are_admitted_at_45_seconds(sharing: Sharing) -> None:
    admission = admit(sharing, SITUATION)
    assert (admission.admitted, admission.chosen) == (True, "DPD")
    assert admission.critical_path.seconds < 45
    assert not admission.tight
    smallest = smallest_freshness(sharing, SITUATION)
    assert smallest is not None
    assert smallest.total_seconds() < 4
    assert 0 < admission.dollars_per_hour < 0.1
    assert "the cheapest plan takes" in admission.reason


@pytest.mark.parametrize("sharing", table1.sharings(0.01), ids=lambda sharing: sharing.view)
def test_none_of_table_1_is_admitted_at_10_milliseconds_and_the_path_says_why(sharing: Sharing) -> None:
    admission = admit(sharing, SITUATION)
    assert (admission.admitted, admission.chosen) == (False, "")
    assert admission.critical_path.seconds > 0.01
    assert admission.critical_path == admission.fastest.critical_path
    edges = admission.critical_path.edges
    assert edges[0].kind is EdgeKind.CAPTURE
    assert all(first.target in second.sources for first, second in zip(edges, edges[1:], strict=False))
    assert edges[-1].target.relation == sharing.result
    assert sum(step.seconds for step in admission.critical_path.steps) == pytest.approx(
        admission.critical_path.seconds
    )
    assert len(admission.critical_path.text) == len(edges) - 1 + 1  # the capture has no line, the sum has one
    assert "even the fastest plan takes" in admission.reason
    assert f"{admission.smallest.total_seconds():g} s" in admission.reason if admission.smallest else False


def test_the_smallest_freshness_is_admitted_and_a_smaller_one_is_not() -> None:
    for sharing in table1.sharings()[::4]:
        smallest = smallest_freshness(sharing, SITUATION)
        assert smallest is not None
        assert admit(replace(sharing, freshness=smallest), SITUATION).admitted
        assert not admit(
            replace(sharing, freshness=smallest - timedelta(milliseconds=20)), SITUATION
        ).admitted


def test_a_path_is_printed_edge_by_edge() -> None:
    admission = admit(table1.sharings(0.01)[5], SITUATION)  # tweets * curloc at m2, curloc at m5
    assert admission.critical_path.text == (
        "   0.002 s  copy d(curloc) @ m5 -> d(curloc) @ m2  (1 changes)",
        "   1.440 s  join d(curloc) @ m2, tweets @ m2 -> d(curloc * tweets by curloc) @ m2  (1 changes, 7,000,001 scanned)",
        "   0.020 s  union d(curloc * tweets by curloc) @ m2, d(curloc * tweets by tweets) @ m2 -> d(curloc * tweets) @ m2  (2 changes)",
        "   0.002 s  apply d(curloc * tweets) @ m2 -> curloc * tweets @ m2  (2 changes)",
        "   1.464 s  in all",
    )


def between() -> tuple[Sharing, Situation]:
    """S4, with a promise that its cheapest plan breaks and a plan between cheapest and fastest keeps."""
    sharing = table1.sharings()[3]
    copies = {EdgeKind.COPY: OperatorModel(0.1, 1e-6), EdgeKind.APPLY: OperatorModel(0.1, 3e-6)}
    slow = replace(SITUATION, operators=OPERATORS.with_models(copies))
    paths = sorted(plan.critical_path.seconds for plan in frontier(promised(sharing, 3.0), slow))
    assert len(paths) >= 3
    return promised(sharing, (paths[-1] + paths[-2]) / 2), slow


def test_a_plan_between_is_taken_when_the_cheapest_is_too_slow() -> None:
    sharing, situation = between()
    admission = admit(sharing, situation)
    assert admission.admitted
    assert admission.chosen == "between"
    assert admission.cheapest.critical_path.seconds > sharing.freshness.total_seconds()
    assert admission.critical_path.seconds <= sharing.freshness.total_seconds()
    assert admission.cheapest.dollars < admission.dollars_per_hour < admission.fastest.dollars
    assert "the cheapest plan would take" in admission.reason
    assert "the fastest would cost" in admission.reason


@law(12)
@given(cases(), st.floats(0.0, 1.2))
def test_the_plan_taken_is_about_the_cheapest_that_keeps_the_promise(
    case: tuple[Sharing, Situation], where: float
) -> None:
    sharing, situation = case
    sharing = promised(sharing, 4.0)
    plans = frontier(sharing, situation)
    slow, fast = plans[0].critical_path.seconds, plans[-1].critical_path.seconds
    sharing = promised(sharing, max(0.05, fast + where * (slow - fast)))
    admission = admit(sharing, situation)
    keeping = [
        plan.price.per_second
        for plan in all_plans(sharing, situation)
        if plan.critical_path.seconds <= sharing.freshness.total_seconds()
    ]
    assert admission.admitted == bool(keeping)
    if keeping:
        assert min(keeping) * (1 - 1e-9) <= admission.planned.price.per_second <= 1.1 * min(keeping)


def test_faster_changes_need_a_longer_promise_until_none_is_enough() -> None:
    sharing = table1.sharings()[4]
    smallest = [smallest_freshness(sharing, table1.situation(rate)) for rate in (100.0, 10_000.0, 40_000.0)]
    assert smallest[0] is not None
    assert smallest[1] is not None
    assert smallest[2] is not None
    assert smallest[0] < smallest[1] < smallest[2]
    flooded = table1.situation(10_000_000.0)
    admission = admit(sharing, flooded)
    assert not admission.admitted
    assert admission.smallest is None
    assert "changes come faster than they can be handled" in admission.reason


def test_no_room_is_a_reason() -> None:
    small = replace(SITUATION, sites={name: Site(name, cores=0.01) for name in table1.SITES})
    sharing = table1.sharings()[4]
    admission = admit(sharing, small)
    assert not admission.admitted
    assert admission.reason.startswith("there is no room for it: site m")
    assert "cores and has 0.01" in admission.reason
    roomy = replace(SITUATION, sites={name: Site(name, cores=2.0) for name in table1.SITES})
    assert admit(sharing, roomy).admitted
    everything = {name: Load(2.0, 0.0) for name in table1.SITES}
    assert not admit(sharing, roomy, everything).admitted


def test_a_full_site_is_avoided() -> None:
    sharing = replace(table1.sharings()[5], site="m3")  # tweets at m2, curloc at m5

    def joins(admission: Admission) -> set[str]:
        return {edge.target.site for edge in admission.graph.edges if edge.kind is EdgeKind.JOIN}

    roomy = replace(SITUATION, sites={name: Site(name, cores=4.0) for name in table1.SITES})
    used = joins(admit(sharing, roomy))
    full = {name: Load(3.99) for name in used if name != "m3"}
    assert full
    admission = admit(sharing, roomy, full)
    assert admission.admitted
    assert not joins(admission) & set(full)


def test_a_tight_promise_is_said_to_be_tight() -> None:
    sharing = table1.sharings()[4]
    smallest = smallest_freshness(sharing, SITUATION)
    assert smallest is not None
    assert admit(replace(sharing, freshness=smallest * 1.1), SITUATION).tight
    assert not admit(replace(sharing, freshness=smallest * 4), SITUATION).tight


def test_the_path_is_that_of_the_longest_push() -> None:
    admission = admit(table1.sharings()[0], SITUATION)
    seconds = window(timedelta(seconds=45))
    assert seconds == 36.0
    assert critical_path(admission.graph, "S1", seconds, SITUATION) == admission.critical_path
    assert longest(admission.graph, 1.0, SITUATION).seconds < admission.critical_path.seconds


def test_a_view_that_reads_a_slow_view_needs_more_time() -> None:
    sharing = Sharing("W", Relation((Input("V", "V"),)), "m2", timedelta(seconds=5))
    situation = Situation({name: Site(name) for name in ("m1", "m2")}, {"V": Facts(1e4, 10.0)}, {"V": "m1"})
    assert admit(sharing, situation).admitted
    late = replace(situation, delays={"V": 6.0})
    admission = admit(sharing, late)
    assert not admission.admitted
    assert admission.critical_path.text[0] == "   6.000 s  until the view that is read is fresh"

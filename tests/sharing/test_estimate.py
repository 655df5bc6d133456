"""What an estimate says follows from sizes, rates and the time model, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.algebra.stages import Kept
from headwater.catalog import keep
from headwater.model import Column, Expectation, RefreshPolicy, SqlText, View
from headwater.sharing.estimate import Inputs, estimate
from headwater.sharing.facts import DEFAULT_RATE, DEFAULT_ROWS, Facts, Origin, facts_of, source_facts
from headwater.sharing.schedule import SLACK
from headwater.sharing.time_model import TimeModel

ORDERS = (Column("id", "bigint"), Column("customer", "bigint"), Column("total", "int"))
CUSTOMERS = (Column("cid", "bigint"), Column("city", "string"))
RELATIONS = {"orders": ORDERS, "customers": CUSTOMERS}
SOURCES = {"orders": Facts(10_000, 20), "customers": Facts(1_000, 1)}
EXACT = TimeModel(coefficients=(0.5, 0.001, 0.0, 0.0))


def view(name: str, sql: str, seconds: float = 10, policy: RefreshPolicy = RefreshPolicy.AUTO) -> View:
    return View(name, SqlText(sql), timedelta(seconds=seconds), policy)


def given_views(*views: View, sources: dict[str, Facts] = SOURCES) -> Inputs:
    relations = dict(RELATIONS)
    kept: dict[str, Kept] = {}
    for one in views:
        kept[one.name] = keep(one, relations)
        pairs = zip(kept[one.name].columns, kept[one.name].types, strict=True)
        relations[one.name] = tuple(Column(name, kind) for name, kind in pairs)
    return Inputs(kept, {one.name: one for one in views}, sources)


def modelled(inputs: Inputs, model: TimeModel = EXACT) -> Inputs:
    stages = [stage.name for kept in inputs.kept.values() for stage in kept.stages]
    slow = TimeModel(coefficients=(1e6, 0.0, 0.0, 0.0))  # so that AUTO never recomputes
    return replace(inputs, models=dict.fromkeys(stages, (model, slow)))


def test_a_source_is_measured_else_expected_else_assumed() -> None:
    expected = Expectation(rows=500, rate_per_second=None)
    assert source_facts(7, 2.5, expected) == Facts(7, 2.5, Origin.STATISTICS, Origin.STATISTICS)
    assert source_facts(None, None, expected) == Facts(500, DEFAULT_RATE, Origin.EXPECTED, Origin.DEFAULT)
    assert source_facts(None, 0.0, Expectation()) == Facts(
        DEFAULT_ROWS, 0.0, Origin.DEFAULT, Origin.STATISTICS
    )


@pytest.mark.parametrize(
    ("sql", "rows", "rate"),
    [
        ("SELECT id FROM orders", 10_000, 20),
        ("SELECT id FROM orders WHERE total > 5", 5_000, 10),
        # One change of a customer becomes a change of its ten orders.
        ("SELECT id, city FROM orders JOIN customers ON cid = customer", 10_000, 20 + 10),
        ("SELECT id FROM orders UNION ALL SELECT cid FROM customers", 11_000, 21),
        ("SELECT customer, sum(total) AS s FROM orders GROUP BY customer", 1_000, 40),
        ("SELECT count(*) AS n FROM orders", 1, 40),
        ("SELECT id FROM orders WHERE customer IN (SELECT cid FROM customers)", 5_000, 15),
    ],
)
def test_facts_follow_from_the_plan(sql: str, rows: float, rate: float) -> None:
    plan = keep(view("v", sql), RELATIONS).stages[-1].plan
    assert plan is not None
    found = facts_of(plan, SOURCES)
    assert (found.rows, found.rate) == (pytest.approx(rows), pytest.approx(rate))


def test_the_critical_path_and_the_price_by_hand() -> None:
    """20 changes/s for 8 s, at 0.5 s and 1 ms a change: 0.66 s; pushed every 7.34 s."""
    one = estimate(modelled(given_views(view("v", "SELECT id FROM orders"))))["v"]
    assert one.critical_path.total_seconds() == pytest.approx(0.66)
    assert one.admitted
    assert not one.tight
    interval = SLACK * 10 - 0.66
    assert one.pushes_per_hour == pytest.approx(3600 / interval)
    seconds = 0.5 + 0.001 * math.ceil(20 * interval)
    assert one.dollars_per_hour == pytest.approx(one.pushes_per_hour * seconds * 0.17 / 3600)


def test_busy_cores_and_the_price_sheet_count() -> None:
    inputs = modelled(given_views(view("v", "SELECT id FROM orders")))
    base = estimate(inputs)["v"].dollars_per_hour
    dearer = replace(inputs, busy={"v": 2.0}, core_hour=Decimal("0.51"))
    assert estimate(dearer)["v"].dollars_per_hour == pytest.approx(6 * base)


def test_what_a_view_reads_is_on_its_path_and_paid_by_itself() -> None:
    totals = view("totals", "SELECT customer, sum(total) AS s FROM orders GROUP BY customer", 60)
    cities = view("cities", "SELECT city, s FROM totals JOIN customers ON cid = customer", 10)
    both = estimate(modelled(given_views(totals, cities)))
    alone = estimate(modelled(given_views(totals)))["totals"]
    assert [step.stage for step in both["cities"].path] == ["totals", "cities"]
    assert [step.stage for step in both["cities"].own] == ["cities"]
    # It is pushed whenever its reader is, so it costs more than alone.
    assert both["totals"].pushes_per_hour > 4 * alone.pushes_per_hour
    assert both["totals"].dollars_per_hour > alone.dollars_per_hour


def test_a_promise_that_cannot_be_kept_is_refused_with_one_that_can() -> None:
    one = estimate(modelled(given_views(view("v", "SELECT id FROM orders", 0.01))))["v"]
    assert not one.admitted
    # F = 0.5 + 0.001 * ceil(20 * 0.8 * F)
    assert one.smallest == timedelta(seconds=0.51)
    admitted = view("v", "SELECT id FROM orders", one.smallest.total_seconds())
    again = estimate(modelled(given_views(admitted)))["v"]
    assert again.admitted
    assert again.tight


def test_changes_faster_than_pushes_can_never_be_promised() -> None:
    flood = {"orders": Facts(10_000, 5_000.0), "customers": Facts(1_000, 0)}
    one = estimate(modelled(given_views(view("v", "SELECT id FROM orders"), sources=flood)))["v"]
    assert not one.admitted
    assert one.smallest is None


def test_nothing_changes_nothing_is_paid() -> None:
    still = {"orders": Facts(10_000, 0.0), "customers": Facts(1_000, 0.0)}
    one = estimate(modelled(given_views(view("v", "SELECT id FROM orders"), sources=still)))["v"]
    assert one.dollars_per_hour == 0
    rare = {"orders": Facts(10_000, 0.001), "customers": Facts(1_000, 0.0)}
    seldom = estimate(modelled(given_views(view("v", "SELECT id FROM orders"), sources=rare)))["v"]
    assert 3.0 < seldom.pushes_per_hour < 3.6  # about one change in a thousand seconds


def test_policies_decide_before_the_model_does() -> None:
    recompute = TimeModel(coefficients=(0.1, 0.0, 0.0, 0.0))
    for policy, full in ((RefreshPolicy.AUTO, True), (RefreshPolicy.INCREMENTAL, False)):
        inputs = given_views(view("v", "SELECT id FROM orders", policy=policy))
        inputs = replace(inputs, models={"v": (EXACT, recompute)})
        assert estimate(inputs)["v"].path[0].full is full
    ranked = view("v", "SELECT id, row_number() OVER (ORDER BY total) AS place FROM orders")
    assert estimate(given_views(ranked))["v"].path[0].full


def test_what_is_stored_counts_more_than_what_is_guessed() -> None:
    inputs = given_views(view("v", "SELECT customer, sum(total) AS s FROM orders GROUP BY customer"))
    guessed = estimate(inputs)["v"].path[0].effort
    stored = estimate(replace(inputs, stored={"v": 77}))["v"].path[0].effort
    assert guessed.scanned - stored.scanned == 1_000 - 77


@settings(deadline=None, max_examples=60, derandomize=True, database=None)
@given(
    rate=st.floats(0, 2_000),
    rows=st.integers(0, 10**8),
    fixed=st.floats(0.01, 5),
    per_change=st.floats(0, 1e-3),
    freshness=st.floats(0.01, 1_000),
)
def test_the_smallest_freshness_is_admitted_and_none_much_smaller_is(
    rate: float, rows: int, fixed: float, per_change: float, freshness: float
) -> None:
    model = TimeModel(coefficients=(fixed, per_change, 1e-8, per_change))
    sources = {"orders": Facts(rows, rate), "customers": Facts(10, rate / 10)}
    sql = "SELECT id, city FROM orders JOIN customers ON cid = customer"

    def at(seconds: float) -> bool:
        return estimate(modelled(given_views(view("v", sql, seconds), sources=sources), model))["v"].admitted

    smallest = estimate(modelled(given_views(view("v", sql, freshness), sources=sources), model))[
        "v"
    ].smallest
    if smallest is None:
        assert not at(freshness)
        return
    seconds = smallest.total_seconds()
    assert at(seconds)
    assert seconds <= 0.02 or not at(seconds - 0.02)
    assert at(freshness) or freshness < seconds

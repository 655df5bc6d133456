"""A bill adds up, however it is grouped or cut; shared pushes are split; late rows are counted whole."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model import Prices
from headwater.planning.cost.billing import (
    KEPT_GAP,
    MONTH,
    Bill,
    Costs,
    PushRow,
    SnapshotRow,
    bill,
    grouped,
    hourly,
    late_rows,
    served,
)
from headwater.planning.cost.costs import MONTH as PLANNED_MONTH
from headwater.units import GB, HOUR, SECOND
from support.cases import law

PRICES = {"default": Prices(), "dear": Prices(Decimal("1.70"), Decimal("0.50"), Decimal("2"))}
VIEWS = ("a", "b", "c")


def push(at: int = 5, serves: tuple[str, ...] = ("a",), site: str = "default", **more: object) -> PushRow:
    given = {"cpu_seconds": 0.0, "bytes_copied": 0, "rows": 0} | more
    return PushRow(at, serves, site, **given)  # type: ignore[arg-type]


def seen(at: int, view: str = "a", stored: int = 0, **more: object) -> SnapshotRow:
    given = {"owner": "", "site": "default", "penalty": 0.0, "violated": False} | more
    return SnapshotRow(at=at, view=view, stored_bytes=stored, **given)  # type: ignore[arg-type]


def close(first: Costs, second: Costs) -> bool:
    return all(
        getattr(first, name.name) == pytest.approx(getattr(second, name.name), rel=1e-9, abs=1e-12)
        for name in fields(Costs)
    )


def test_an_hour_of_a_core_and_a_gigabyte_cost_what_the_sheet_says() -> None:
    total = bill([push(cpu_seconds=3600, bytes_copied=GB, rows=7)], [], PRICES, 0, 10).total
    assert (total.cpu, total.network, total.rows_moved) == (0.17, 0.01, 7)
    assert total.dollars == pytest.approx(0.18)
    assert bill([push(site="dear", cpu_seconds=3600)], [], PRICES, 0, 10).total.cpu == 1.70


def test_a_push_that_serves_three_views_is_split_among_them() -> None:
    costs = grouped(bill([push(serves=VIEWS, cpu_seconds=3600)], [], PRICES, 0, 10), "view")
    assert [costs[name].cpu for name in VIEWS] == pytest.approx([0.17 / 3] * 3)


@pytest.mark.parametrize(("view", "serves", "answer"), [
    ("v", None, ("v",)), ("v", "", ("v",)), ("v", "v", ("v",)), ("v", "a,b", ("a", "b")), ("v", "a, b,", ("a", "b")),
])  # fmt: skip
def test_served(view: str, serves: str | None, answer: tuple[str, ...]) -> None:
    assert served(view, serves) == answer


def test_a_month_of_a_gigabyte() -> None:
    rows = [seen(0, stored=GB), seen(MONTH, stored=0)]
    total = bill([], rows, PRICES, 0, MONTH).total
    assert (total.gb_months, total.storage) == pytest.approx((1, 0.11))
    assert bill([], rows, PRICES, MONTH // 2, MONTH).total.gb_months == pytest.approx(0.5)


def test_what_a_view_of_the_project_stored_last_is_stored_still() -> None:
    rows = [seen(0, stored=GB)]
    assert bill([], rows, PRICES, 0, MONTH).lines == ()
    total = bill([], rows, PRICES, 0, MONTH, frozenset({"a"})).total
    assert (total.gb_months, total.view_hours) == (pytest.approx(1), 0)


def test_hours_are_counted_while_snapshots_come() -> None:
    rows = [seen(at * 5 * SECOND) for at in range(721)]  # an hour
    rows += [seen(3 * HOUR), seen(3 * HOUR + 5 * SECOND)]  # and a new run two hours later
    total = bill([], rows, PRICES, 0, 4 * HOUR).total
    assert total.view_hours == pytest.approx(1 + 5 / 3600)


def test_penalties_are_those_of_the_time_of_the_push() -> None:
    rows = [seen(1, penalty=0.5), seen(10, penalty=0.1), seen(20, penalty=9)]
    late = push(at=7, late_rows=3, late_for="a")
    assert bill([late], rows, PRICES, 0, 30).total.penalty == pytest.approx(0.3)
    newest = push(at=25, late_rows=3, late_for="a")
    assert bill([newest], rows, PRICES, 0, 30).total.penalty == pytest.approx(27)


@pytest.mark.parametrize(
    ("after", "until", "at", "late"),
    [
        (100, 200, 205, 0),  # the oldest waited 105 of 110 seconds
        (100, 200, 210, 0),
        (100, 200, 211, 1),  # one second of a hundred was late: at least one row
        (100, 200, 260, 50),
        (100, 200, 310, 100),
        (100, 200, 900, 100),
        (0, 200, 900, 0),  # the first computation
        (200, 200, 900, 0),
    ],
)
def test_late_rows(after: int, until: int, at: int, late: int) -> None:
    assert late_rows(100, after, until, at, 110, owed_since=50) == late


def test_a_run_owes_nothing_from_before_its_start() -> None:
    assert late_rows(100, 100, 200, 310, 110, owed_since=205) == 0
    assert late_rows(100, 100, 200, 400, 110, owed_since=205) == 100


@given(
    rows=st.integers(0, 10**6),
    after=st.integers(1, 10**6),
    length=st.integers(1, 10**6),
    wait=st.integers(0, 10**6),
    freshness=st.integers(1, 10**6),
    owed=st.integers(0, 10**6),
)
@law(100)
def test_more_waiting_never_makes_fewer_rows_late(
    rows: int, after: int, length: int, wait: int, freshness: int, owed: int
) -> None:
    until = after + length
    some = late_rows(rows, after, until, until + wait, freshness, owed)
    assert 0 <= some <= rows
    assert some <= late_rows(rows, after, until, until + wait + 1, freshness, owed)
    # Nobody is paid for a push that never broke the promise.
    if until + wait - max(after, owed) <= freshness:
        assert some == 0


pushes = st.lists(
    st.builds(
        PushRow,
        at=st.integers(0, 100 * SECOND),
        serves=st.lists(st.sampled_from(VIEWS), min_size=1, unique=True).map(tuple),
        site=st.sampled_from(["default", "dear", "gone"]),
        cpu_seconds=st.floats(0, 100),
        bytes_copied=st.integers(0, 10**12),
        rows=st.integers(0, 10**6),
        late_rows=st.integers(0, 100),
        late_for=st.sampled_from(VIEWS),
        penalty=st.none() | st.floats(0, 5),
    ),
    max_size=15,
)
snapshots = st.lists(
    st.builds(
        SnapshotRow,
        at=st.integers(0, 100 * SECOND),
        view=st.sampled_from(VIEWS),
        owner=st.sampled_from(["", "x", "y"]),
        site=st.sampled_from(["default", "dear"]),
        penalty=st.floats(0, 5),
        violated=st.booleans(),
        stored_bytes=st.integers(0, 10**13),
        until=st.just(0),
        byte_time=st.just(0.0),
        kept=st.just(0),
    ),
    max_size=25,
)


@given(pushes, snapshots, st.sets(st.sampled_from(VIEWS)), st.sampled_from(["view", "owner", "site"]))
@law(150)
def test_the_parts_add_up_to_the_total(
    pushed: list[PushRow], audit: list[SnapshotRow], present: set[str], by: str
) -> None:
    whole = bill(pushed, audit, PRICES, 0, 101 * SECOND, frozenset(present))
    total = Costs()
    for costs in grouped(whole, by).values():
        total += costs
    assert close(total, whole.total)
    assert whole.total.dollars == pytest.approx(
        sum(
            line.costs.cpu + line.costs.network + line.costs.storage + line.costs.penalty
            for line in whole.lines
        )
    )
    # Splitting neither loses nor makes anything.
    assert whole.total.cpu_seconds == pytest.approx(sum(row.cpu_seconds for row in pushed))
    assert whole.total.rows_moved == pytest.approx(sum(row.rows for row in pushed))
    assert whole.total.late_rows == sum(row.late_rows for row in pushed)
    assert whole.total.violations == sum(row.violated for row in audit)


@given(pushes, snapshots, st.sets(st.sampled_from(VIEWS)), st.lists(st.integers(0, 120 * SECOND), max_size=4))
@law(150)
def test_a_period_is_the_sum_of_its_parts(
    pushed: list[PushRow], audit: list[SnapshotRow], present: set[str], cuts: list[int]
) -> None:
    edges = sorted({0, 120 * SECOND, *cuts})
    whole = bill(pushed, audit, PRICES, edges[0], edges[-1], frozenset(present))
    parts = [
        bill(pushed, audit, PRICES, start, end, frozenset(present))
        for start, end in zip(edges, edges[1:], strict=False)
    ]
    total = Costs()
    for part in parts:
        total += part.total
    assert close(total, whole.total)


@pytest.mark.parametrize("length", [1, SECOND, 90 * SECOND, HOUR, 30 * HOUR, 400 * HOUR, MONTH * 5])
def test_pictures_have_a_few_parts_that_cover_the_period(length: int) -> None:
    since = 1_700_000_123_456_789
    parts = hourly(since, since + length)
    assert 1 <= len(parts) <= 49
    assert (parts[0][0], parts[-1][1]) == (since, since + length)
    assert all(first[1] == second[0] for first, second in zip(parts, parts[1:], strict=False))


def test_an_empty_bill_is_zero() -> None:
    assert Bill(0, 1).total == Costs()
    assert KEPT_GAP > 5 * SECOND


def test_a_month_is_as_long_in_plans_as_in_bills() -> None:
    assert PLANNED_MONTH == MONTH / SECOND == 730 * 3600

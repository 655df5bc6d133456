"""Files of times that a push cannot touch are not read: of the table for fragments, of fragments for windows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.build import aggregate_of, fragment
from headwater.algebra.expressions.tree import Call, Column, Literal, call
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Aggregate, Filter, Plan, Restrict, Scan, Version, Windows
from headwater.algebra.plans.walks import nodes, reads
from headwater.algebra.stages.stage import Stage, StageKind
from headwater.engine.query.estimates import Estimates
from headwater.engine.query.filter_ranges import filter_ranges
from headwater.engine.query.pruning import computed_ranges, range_of, restrict_ranges, window_ranges
from headwater.engine.query.relations import Relations
from headwater.storage.timeline import WEIGHT, Range
from headwater.storage.warehouse import Warehouse

START = datetime(2026, 1, 1, tzinfo=UTC)
MOST = replace(aggregate_of("max", Column("quotes.price")), name="high")
SCAN = Scan("quotes", "quotes", ("at", "price"))
MINUTE, TEN = timedelta(minutes=1), timedelta(seconds=10)


def seconds(*offsets: float) -> list[datetime]:
    return [START + timedelta(seconds=offset) for offset in offsets]


@pytest.fixture
def relations(tmp_path: Path) -> Relations:
    """A table with a file for each of five times, an hour apart; the last one is new."""
    warehouse = Warehouse(str(tmp_path))
    timeline = warehouse.source("quotes")
    instant = pa.timestamp("us", tz="UTC")
    timeline.create(pa.schema([("at", instant), ("price", pa.int64())]))
    for hour in range(5):
        times = seconds(3600 * hour, 3600 * hour + 9)
        rows = pa.table(
            {"at": pa.array(times, instant), "price": [1, 2], WEIGHT: pa.array([1, 1], pa.int64())}
        )
        timeline.append(rows, hour + 1)
    return Relations(warehouse, {"quotes": ("at", "price")}, {}, 4, 5)


def restrictions(plan: Plan) -> list[Restrict]:
    """Those of the table as it is now."""
    return [
        node
        for node in nodes(plan)
        if isinstance(node, Restrict)
        and any(isinstance(part, Scan) and part.version is Version.NEW for part in nodes(node.child))
    ]


def anew(plan: Aggregate) -> Restrict:
    """What a push of a stage whose groups are computed anew reads of the table."""
    stage = Stage("s", StageKind.GROUPS, plan.columns, plan, reads(plan))
    change = delta(stage, frozenset({"quotes"}))
    assert change is not None
    (restrict, *_) = restrictions(optimize(change))
    return restrict


def test_windows_hold_times_around_those_of_a_delta(relations: Relations) -> None:
    restrict = anew(
        Aggregate(Windows(SCAN, "w", Column("quotes.at"), MINUTE, TEN), (("w", Column("w")),), (MOST,))
    )
    new = 4 * 3600
    assert range_of(relations, restrict.by, "w") == (
        START + timedelta(seconds=new - 60),
        START + timedelta(seconds=new + 69),
    )
    ranges = restrict_ranges(relations, restrict.keys, restrict.by)
    assert isinstance(restrict.child, Windows)
    assert set(window_ranges(restrict.child, ranges)) == {"quotes.at"}
    assert Estimates(relations).rows(restrict.child, ranges) == 2 * 6, (
        "one file of five, each row in six windows"
    )


def test_fragments_hold_times_around_those_of_a_delta(relations: Relations) -> None:
    key = fragment(Column("quotes.at"), [(0, 5_000_000), (0, 7_000_000)])
    restrict = anew(Aggregate(SCAN, (("fragment", key),), (MOST,)))
    new = 4 * 3600
    assert range_of(relations, restrict.by, "fragment") == (
        START + timedelta(seconds=new - 5),
        START + timedelta(seconds=new + 9),
    )
    (span,) = restrict_ranges(relations, restrict.keys, restrict.by).values()
    assert (span.low, span.high) == (START + timedelta(seconds=new - 5), START + timedelta(seconds=new + 14))
    assert Estimates(relations).rows(restrict.child, {span.column: span}) == 2


def test_a_window_of_something_computed_has_no_range(relations: Relations) -> None:
    later = call("date_trunc", Literal("MINUTE", "'MINUTE'"), Column("quotes.at"))
    restrict = anew(Aggregate(Windows(SCAN, "w", later, MINUTE, TEN), (("w", Column("w")),), (MOST,)))
    assert range_of(relations, restrict.by, "w") is None


def test_computed_keys_have_exact_ranges() -> None:
    window = {"start": START, "end": START + MINUTE}
    later = {"start": START + MINUTE, "end": START + 2 * MINUTE}
    rows = pa.table({"w": [later, window], "n": [None, 3], "any": [True, True]})
    assert computed_ranges(rows, (Column("v.w"), Column("v.n")), ("w", "n")) == {
        "v.w": Range("v.w", START, START + 2 * MINUTE)
    }, "NULL may be wanted: no range"
    assert computed_ranges(rows, (), ("any",)) == {}, "without keys only whether there are rows matters"


def test_windows_that_end_between_two_times_hold_rows_of_those_times(relations: Relations) -> None:
    windows = Windows(SCAN, "w", Column("quotes.at"), MINUTE, TEN)
    end = Call("field", (Column("w"), Literal("end", "'end'")), "{0}.`end`")
    first, last = (Literal(instant, "") for instant in seconds(2 * 3600 - 5, 2 * 3600 + 65))
    leaving = Filter(Filter(windows, call("gte", end, first)), call("gt", last, end))
    assert filter_ranges(leaving, {}) == {"w": Range("w", datetime.min.replace(tzinfo=UTC), last.value)}
    assert Estimates(relations).rows(leaving) == 2 * 6, "one file of five, each row in six windows"
    started = Filter(
        windows, call("lt", replace(end, arguments=(Column("w"), Literal("start", "'start'"))), first)
    )
    assert filter_ranges(started, {})["w"].high == first.value + MINUTE

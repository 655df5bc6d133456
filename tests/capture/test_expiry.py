"""RETAIN INTERVAL: rows that grow too old are deleted, oldest first, in batches."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from headwater.capture.expiry import expire, expire_batch
from headwater.capture.intake.append import Appender
from headwater.clock import ManualClock
from headwater.model import Column, Retain, Table
from headwater.storage.warehouse import Warehouse
from support.capture import rows_of

DAY = timedelta(days=1)


def orders(kind: str, key: tuple[str, ...] = ()) -> Table:
    columns = (Column("id", "bigint"), Column("at", kind, temporal=True))
    return Table("orders", columns, key=key, retain=Retain(window=30 * DAY, column="at"))


def today(clock: ManualClock, kind: str) -> datetime | date:
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=clock.now())
    return {"date": at.date(), "timestamp": at, "timestamp_ntz": at.replace(tzinfo=None)}[kind]


def ids(warehouse: Warehouse) -> list[int]:
    return sorted(row[0] for row, copies in rows_of(warehouse, "orders").items() for _ in range(copies))


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date"])
def test_only_rows_that_are_too_old_go(warehouse: Warehouse, clock: ManualClock, kind: str) -> None:
    table, now = orders(kind), today(clock, kind)
    appender = Appender(warehouse, table, clock)
    appender.append([{"id": age, "at": now - age * DAY} for age in (0, 10, 29, 31, 31, 40)])
    appender.append([{"id": 99, "at": None}])
    assert expire(warehouse, table, clock) > 0
    assert ids(warehouse) == [0, 10, 29, 99]
    assert expire(warehouse, table, clock) == 0
    clock.advance(2 * DAY)
    assert expire(warehouse, table, clock) == 1
    assert ids(warehouse) == [0, 10, 99]


def test_the_oldest_of_many_go_first_and_all_go_in_the_end(warehouse: Warehouse, clock: ManualClock) -> None:
    table, now = orders("timestamp"), today(clock, "timestamp")
    appender = Appender(warehouse, table, clock)
    for start in range(0, 100, 20):
        appender.append([{"id": age, "at": now - age * DAY} for age in range(start, start + 20)])
    deleted = 0
    while batch := expire_batch(warehouse, table, clock, most=9):
        assert batch <= 10
        deleted += batch
        assert ids(warehouse) == list(range(100 - deleted))
    assert ids(warehouse) == list(range(31))


def test_it_is_a_change_like_any_other(warehouse: Warehouse, clock: ManualClock) -> None:
    """It has a time of its own, after all that was captured, and a key that is gone can come again."""
    table, now = orders("timestamp", ("id",)), today(clock, "timestamp")
    appender = Appender(warehouse, table, clock)
    before = appender.append([{"id": 1, "at": now - 40 * DAY}, {"id": 2, "at": now}]).time
    assert before is not None
    expire(warehouse, table, clock)
    timeline = warehouse.source("orders")
    assert timeline.time() > before
    assert warehouse.clock("orders").last() == timeline.time()
    assert len(rows_of(warehouse, "orders", before)) == 2
    appender.append([{"id": 1, "at": now}])
    assert ids(warehouse) == [1, 2]


def test_a_source_without_a_window_or_rows_is_left_alone(warehouse: Warehouse, clock: ManualClock) -> None:
    assert expire(warehouse, orders("date"), clock) == 0
    plain = Table("orders", (Column("id", "bigint"),))
    Appender(warehouse, plain, clock).append([{"id": 1}])
    assert expire(warehouse, plain, clock) == 0


def test_rows_that_a_reader_has_not_read_wait(warehouse: Warehouse, clock: ManualClock) -> None:
    """KEEP DERIVED: what is forgotten is dated back, so that no delta that is still to be read has it."""
    table, now = orders("timestamp", ("id",)), today(clock, "timestamp")
    table = replace(table, retain=replace(table.retain, keep_derived=True))
    appender = Appender(warehouse, table, clock)
    first = appender.append([{"id": 1, "at": now - 40 * DAY}, {"id": 2, "at": now}]).time
    clock.advance(DAY)
    second = appender.append([{"id": 3, "at": now - 40 * DAY}]).time
    assert first is not None
    assert second is not None
    assert expire(warehouse, table, clock) == 0  # nobody has said how far it was read
    assert expire(warehouse, table, clock, lambda name: first) == 1
    timeline = warehouse.source("orders")
    assert ids(warehouse) == [2, 3]
    assert timeline.time() == second
    assert timeline.delta(first, second).rows == 1
    assert expire(warehouse, table, clock, lambda name: second) == 1
    assert ids(warehouse) == [2]
    appender.append([{"id": 1, "at": now}])  # the key is free again
    assert ids(warehouse) == [1, 2]

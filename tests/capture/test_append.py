"""Appended changes: inserts, updates, deletes and upserts, at one time, as against a plain dict."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.capture.intake import current
from headwater.capture.intake.append import Appender, append
from headwater.clock import ManualClock
from headwater.errors import InputError
from headwater.model import Cardinality, Column, Table
from headwater.storage.index.recently_used import RecentlyUsed
from headwater.storage.timeline import COLLAPSED
from headwater.storage.warehouse import Warehouse
from support.capture import LOG, ORDERS, QUOTES, order, rows_of
from support.cases import law


def test_rows_are_appended_at_one_time(warehouse: Warehouse, clock: ManualClock) -> None:
    result = append(warehouse, ORDERS, [order(1, "ann", "9.99"), order(2)], clock)
    assert (result.accepted, result.rejected) == (2, 0)
    assert result.time == clock.now()
    assert rows_of(warehouse, "orders") == Counter({(1, "ann", Decimal("9.99")): 1, (2, None, None): 1})
    assert warehouse.source("orders").time() == result.time


def test_times_grow_even_if_the_clock_stands_still(warehouse: Warehouse, clock: ManualClock) -> None:
    first = append(warehouse, ORDERS, [order(1)], clock).time
    second = append(warehouse, ORDERS, [order(2)], clock).time
    assert first is not None
    assert second == first + 1


def test_update_delete_upsert(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, ORDERS, [order(1, "a"), order(2, "b"), order(3, "c")], clock)
    result = append(
        warehouse,
        ORDERS,
        [
            {"op": "update", "row": order(1, "aa")},
            {"op": "update", "row": order(20, "b"), "old": {"id": 2}},
            {"op": "delete", "row": {"id": 3}},
            {"op": "upsert", "row": order(4, "d")},
            {"op": "upsert", "row": order(4, "dd")},
            {"op": "delete", "old": {"id": 99}},
            {"op": "update", "row": order(98)},
        ],
        clock,
    )
    assert [(rejection.line, rejection.reason) for rejection in result.reasons] == [
        (6, "there is no such row to delete"),
        (7, "there is no such row to update"),
    ]
    expected = Counter({(1, "aa", None): 1, (20, "b", None): 1, (4, "dd", None): 1})
    assert rows_of(warehouse, "orders") == expected


def test_an_update_is_a_retraction_and_an_insertion_at_one_time(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    before = append(warehouse, ORDERS, [order(1, "a")], clock).time
    after = append(warehouse, ORDERS, [{"op": "update", "row": order(1, "b")}], clock).time
    assert before is not None
    assert after is not None
    timeline = warehouse.source("orders")
    part = timeline.delta(before, after)
    changes = timeline.read(part).to_pylist()
    assert {(change["customer"], change["_weight"]) for change in changes} == {("a", -1), ("b", 1)}
    assert part.times == {after}
    assert rows_of(warehouse, "orders", before) == Counter({(1, "a", None): 1})


def test_what_cancels_within_a_call_leaves_no_change(warehouse: Warehouse, clock: ManualClock) -> None:
    result = append(warehouse, ORDERS, [order(1), {"op": "delete", "row": {"id": 1}}], clock)
    assert result.accepted == 2
    assert warehouse.source("orders").snapshot().rows == 0


def test_a_table_without_key_has_copies(warehouse: Warehouse, clock: ManualClock) -> None:
    row = {"level": "info", "n": 1}
    append(warehouse, LOG, [row, row, {"level": None, "n": 2}], clock)
    result = append(
        warehouse,
        LOG,
        [
            {"op": "delete", "row": row},
            {"op": "update", "row": {"level": "warn", "n": 2}, "old": {"level": None, "n": 2}},
            {"op": "delete", "row": {"level": "info", "n": 3}},
            {"op": "delete", "old": row},
            {"op": "delete", "old": row},
            {"op": "update", "row": row},
        ],
        clock,
    )
    assert [(rejection.line, rejection.reason) for rejection in result.reasons] == [
        (3, "there is no such row to delete"),
        (5, "there is no such row to delete"),
        (6, 'op "update" needs the whole old row: there is no key'),
    ]
    assert rows_of(warehouse, "log") == Counter({("warn", 2): 1})


def test_an_update_key_replaces(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, QUOTES, [{"symbol": "A", "price": 1.0}, {"symbol": "B", "price": 5.0}], clock)
    quotes = [{"symbol": "A", "price": 2.0}, {"symbol": "A", "price": 3.0}, {"symbol": None, "price": 0.0}]
    result = append(warehouse, QUOTES, quotes, clock)
    append(warehouse, QUOTES, [{"symbol": None, "price": 9.0}], clock)
    assert result.rejected == 0
    assert rows_of(warehouse, "quotes") == Counter({("A", 3.0): 1, ("B", 5.0): 1, (None, 9.0): 1})


def test_a_table_may_say_that_plain_rows_are_upserts(warehouse: Warehouse, clock: ManualClock) -> None:
    table = Table(ORDERS.name, ORDERS.columns, key=("id",), options={"mode": "upsert"})
    for customer in ("a", "b"):
        assert append(warehouse, table, [order(1, customer)], clock).accepted == 1
    assert rows_of(warehouse, "orders") == Counter({(1, "b", None): 1})


def test_an_arrow_table_is_taken_as_it_is(warehouse: Warehouse, clock: ManualClock) -> None:
    rows = pa.table({"id": pa.array([1, 2, None], pa.int32()), "customer": ["a", "b", "c"]})
    result = append(warehouse, ORDERS, rows, clock)
    assert [(rejection.line, rejection.reason) for rejection in result.reasons] == [
        (3, 'column "id" must not be NULL')
    ]
    assert rows_of(warehouse, "orders") == Counter({(1, "a", None): 1, (2, "b", None): 1})
    with pytest.raises(InputError, match='no column "idd"'):
        append(warehouse, ORDERS, pa.table({"idd": [1]}), clock)
    with pytest.raises(InputError, match="does not fit"):
        append(warehouse, ORDERS, pa.table({"id": ["x"]}), clock)


def test_remembered_columns_stay_within_their_budget(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns: RecentlyUsed[tuple[str, str], pa.ChunkedArray] = RecentlyUsed(64, lambda column: column.nbytes)
    monkeypatch.setattr(current, "_columns", columns)
    appender = Appender(warehouse, ORDERS, clock)
    for number in range(10):
        appender.append([{"op": "upsert", "row": order(number % 3, str(number))}])
        assert columns.total <= 64
    assert rows_of(warehouse, "orders") == Counter({(0, "9", None): 1, (1, "7", None): 1, (2, "8", None): 1})


OPERATIONS = st.tuples(
    st.sampled_from(["insert", "upsert", "update", "delete", "move"]),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from([None, "a", "b"]),
)


def expected_after(rows: dict[int, str | None], record: tuple[str, int, int, str | None]) -> bool:
    """The specification: one record against a plain dict. Whether it is accepted."""
    what, key, other, value = record
    if what == "insert" and key in rows or what in ("update", "delete", "move") and key not in rows:
        return False
    if what == "move" and other != key and other in rows:
        return False
    without = {k: v for k, v in rows.items() if k != key}
    target = other if what == "move" else key
    if what != "delete" and value is not None and sum(v == value for v in without.values()) >= 2:
        return False
    rows.pop(key, None)
    if what != "delete":
        rows[target] = value
    return True


def envelope(record: tuple[str, int, int, str | None]) -> dict[str, Any]:
    what, key, other, value = record
    match what:
        case "delete":
            return {"op": "delete", "row": {"id": key}}
        case "move":
            return {"op": "update", "old": {"id": key}, "row": order(other, value)}
        case _:
            return {"op": what, "row": order(key, value)}


@pytest.mark.slow
@law(30)
@given(st.lists(st.lists(OPERATIONS, min_size=1, max_size=12), min_size=1, max_size=4))
def test_any_batches_equal_a_plain_dict(batches: list[list[tuple[str, int, int, str | None]]]) -> None:
    import tempfile

    table = Table("orders", ORDERS.columns, key=("id",), cardinalities=(Cardinality(("customer",), 2),))
    with tempfile.TemporaryDirectory() as folder:
        appender = Appender(Warehouse(folder), table, ManualClock())
        rows: dict[int, str | None] = {}
        for batch in batches:
            accepted = [expected_after(rows, record) for record in batch]
            result = appender.append([envelope(record) for record in batch])
            rejected = {rejection.line for rejection in result.reasons}
            assert [number not in rejected for number in range(1, len(batch) + 1)] == accepted
            stored = rows_of(appender.warehouse, "orders")
            assert stored == Counter({(key, value, None): 1 for key, value in rows.items()})


def test_a_key_of_two_columns_is_found_among_stored_rows(warehouse: Warehouse, clock: ManualClock) -> None:
    """Regression: the stored columns are NOT NULL, those of a call are not yet known to be."""
    columns = (Column("a", "bigint", nullable=False), Column("b", "int", nullable=False), Column("c", "int"))
    table = Table("pairs", columns, key=("a", "b"))
    append(warehouse, table, [{"a": 1, "b": 1, "c": 10}, {"a": 1, "b": 2, "c": 20}], clock)
    changes = [
        {"op": "update", "row": {"a": 1, "b": 2, "c": 21}},
        {"op": "delete", "row": {"a": 1, "b": 1}},
        {"a": 2, "b": 1, "c": 30},
        {"a": 1, "b": 2, "c": 22},
    ]
    done = append(warehouse, table, changes, clock)
    assert [rejection.line for rejection in done.reasons] == [4]
    assert rows_of(warehouse, "pairs") == Counter({(1, 2, 21): 1, (2, 1, 30): 1})


def test_updates_that_a_newer_one_of_their_batch_replaces_are_not_stored_but_counted(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    def collapsed() -> int:
        return warehouse.source("quotes").log.transaction(COLLAPSED) or 0

    append(warehouse, QUOTES, [{"symbol": "A", "price": 1.0}, {"symbol": "B", "price": 5.0}], clock)
    assert collapsed() == 0
    quotes = [{"symbol": "A", "price": float(price)} for price in range(2, 9)]
    append(warehouse, QUOTES, [*quotes, {"symbol": None, "price": 0.0}], clock)
    assert collapsed() == 6
    append(warehouse, QUOTES, [{"symbol": None, "price": 9.0}, {"symbol": None, "price": 1.0}], clock)
    assert collapsed() == 7
    source = warehouse.source("quotes")
    assert len(source.read(source.delta(0, source.time()))) == 2 + 3 + 2

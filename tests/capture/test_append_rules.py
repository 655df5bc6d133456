"""What an append rejects, and the reasons that it gives: keys, limits, types, broken records."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from headwater.capture.ingest_file import append_file
from headwater.capture.intake.append import Appender, append
from headwater.clock import ManualClock
from headwater.errors import InputError
from headwater.model import Cardinality, Column, Table
from headwater.storage.warehouse import Warehouse
from support.capture import LOG, ORDERS, dead_letters, order, rows_of


def test_a_taken_key_is_rejected_also_within_the_batch(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, ORDERS, [order(1)], clock)
    result = append(warehouse, ORDERS, [order(1, "b"), order(2), order(2, "c")], clock)
    assert [(rejection.line, rejection.reason) for rejection in result.reasons] == [
        (1, "the key (id) is taken"),
        (3, "the key (id) is taken"),
    ]
    assert rows_of(warehouse, "orders") == Counter({(1, None, None): 1, (2, None, None): 1})


def test_moving_to_a_taken_key_is_rejected(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, ORDERS, [order(1, "a"), order(2, "b")], clock)
    result = append(warehouse, ORDERS, [{"op": "update", "row": order(2, "x"), "old": {"id": 1}}], clock)
    assert result.reasons[0].reason == "the new key is taken"
    assert result.time is None


def test_unique_lets_nulls_pass(warehouse: Warehouse, clock: ManualClock) -> None:
    table = Table(ORDERS.name, ORDERS.columns, key=("id",), unique=(("customer",),))
    result = append(warehouse, table, [order(1, "a"), order(2), order(3), order(4, "a")], clock)
    assert [(rejection.line, rejection.reason) for rejection in result.reasons] == [
        (4, "UNIQUE (customer) is taken")
    ]
    result = append(warehouse, table, [{"op": "delete", "row": {"id": 1}}, order(5, "a")], clock)
    assert result.rejected == 0


@pytest.mark.parametrize("warn", [False, True])
def test_cardinality_limit(warehouse: Warehouse, clock: ManualClock, warn: bool) -> None:
    table = Table(
        "orders", ORDERS.columns, key=("id",), cardinalities=(Cardinality(("customer",), 2),),
        warn_on_violation=warn,
    )  # fmt: skip
    append(warehouse, table, [order(1, "a"), order(2, "b")], clock)
    result = append(warehouse, table, [order(3, "a"), order(4, "a"), order(5, "b"), order(6)], clock)
    if warn:
        assert (result.accepted, result.rejected, result.warned) == (4, 0, 1)
    else:
        assert [rejection.reason for rejection in result.reasons] == [
            "CARDINALITY LIMIT 2 (customer) is reached"
        ]
        assert (result.accepted, result.warned) == (3, 0)
        swap = [
            {"op": "update", "row": order(1, "z")},
            order(7, "a"),
            {"op": "update", "row": order(7, "a", "1")},
        ]
        assert append(warehouse, table, swap, clock).rejected == 0


def test_not_null_unknown_and_wrong_types_say_why(warehouse: Warehouse, clock: ManualClock) -> None:
    table = Table("t", (Column("id", "int"), Column("name", "string", nullable=False)), key=("id",))
    records: list[Any] = [
        {"id": 1},
        {"id": None, "name": "x"},
        {"id": 1, "nam": "x"},
        {"id": "1", "name": "x"},
        [1],
        {},
        {"op": "merge", "row": {"id": 1, "name": "x"}},
        {"op": "insert", "old": {"id": 1, "name": "x"}},
    ]
    result = append(warehouse, table, records, clock)
    assert [rejection.reason for rejection in result.reasons] == [
        'column "name" must not be NULL',
        'column "id" must not be NULL',
        'unknown column "nam", did you mean "name"?',
        'column "id": "1" is not an integer (int)',
        "not a JSON object",
        "an empty object is no row",
        'unknown op "merge": use insert, upsert, update or delete',
        'op "insert" needs "row"',
    ]
    assert result.accepted == 0
    assert result.time is None
    letters = dead_letters(warehouse)
    assert [letter["line"] for letter in letters] == list(range(1, 9))
    assert {letter["table"] for letter in letters} == {"t"}
    assert letters[2]["record"] == '{"id": 1, "nam": "x"}'


def test_columns_called_op_and_row_are_no_envelope(warehouse: Warehouse, clock: ManualClock) -> None:
    table = Table("t", (Column("op", "string"), Column("row", "int")))
    assert (
        append(
            warehouse, table, [{"op": "delete", "row": 1}, {"op": "insert", "row": {"op": "x"}}], clock
        ).accepted
        == 2
    )
    assert rows_of(warehouse, "t") == Counter({("delete", 1): 1, ("x", None): 1})


def test_strict_writes_nothing(warehouse: Warehouse, clock: ManualClock) -> None:
    with pytest.raises(InputError, match="record 2 is wrong: column"):
        append(warehouse, ORDERS, [order(1), {"id": "x"}], clock, strict=True)
    with pytest.raises(InputError, match="record 2 is wrong: the key"):
        append(warehouse, ORDERS, [order(1), order(1)], clock, strict=True)
    assert rows_of(warehouse, "orders") == Counter()
    assert dead_letters(warehouse) == []


def test_broken_json_in_the_middle_of_a_file(warehouse: Warehouse, clock: ManualClock, tmp_path: Any) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 1, "total": 0.1}\n\n{"id": 2,\n{"id": 3} x\n\xff\n{"id": 4}')
    result = append_file(Appender(warehouse, ORDERS, clock), str(path))
    assert [(rejection.line, rejection.reason) for rejection in result.reasons] == [
        (3, "not JSON: Expecting property name enclosed in double quotes at column 10"),
        (4, "not JSON: Extra data at column 10"),
        (5, "not JSON: the bytes are not UTF-8"),
    ]
    assert rows_of(warehouse, "orders") == Counter({(1, None, Decimal("0.10")): 1, (4, None, None): 1})
    assert {letter["file"] for letter in dead_letters(warehouse)} == {str(path)}
    with pytest.raises(InputError, match="line 3 is not JSON"):
        append_file(Appender(warehouse, ORDERS, clock), str(path), strict=True)
    with pytest.raises(InputError, match="cannot be read"):
        append_file(Appender(warehouse, ORDERS, clock), str(tmp_path / "absent.jsonl"))


def test_a_postgres_table_takes_no_records(warehouse: Warehouse, clock: ManualClock) -> None:
    with pytest.raises(InputError, match="captured from PostgreSQL"):
        append(warehouse, Table("t", LOG.columns, provider="postgres"), [], clock)


@pytest.mark.parametrize("warn", [False, True])
@pytest.mark.parametrize("keyed", [False, True])
def test_a_limit_on_the_whole_table(
    warehouse: Warehouse, clock: ManualClock, warn: bool, keyed: bool
) -> None:
    table = Table(
        "orders", ORDERS.columns, key=("id",) if keyed else (), cardinalities=(Cardinality((), 3),),
        warn_on_violation=warn,
    )  # fmt: skip
    assert append(warehouse, table, [order(1), order(2)], clock).warned == 0
    result = append(warehouse, table, [order(3), order(4)], clock)
    assert (result.accepted, result.rejected, result.warned) == ((2, 0, 1) if warn else (1, 1, 0))
    if not warn:
        assert result.reasons[0].reason == "CARDINALITY LIMIT 3 () is reached"
    swaps = [
        {"op": "update", "old": order(1), "row": order(1, "b")},
        {"op": "delete", "row": order(2)},
        order(5),
    ]
    # Replacing a row does not add one.
    assert append(warehouse, table, swaps, clock).rejected == 0
    assert sum(rows_of(warehouse, "orders").values()) == (4 if warn else 3)

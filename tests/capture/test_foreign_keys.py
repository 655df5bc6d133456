"""Foreign keys at capture: a row comes only if what it references is there, and goes only if nothing
needs it.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater
from headwater.capture.files.folder import FileCapture
from headwater.capture.intake.append import Appended, Appender, append
from headwater.capture.intake.current import Current
from headwater.capture.intake.exact_cast import exact_cast
from headwater.clock import ManualClock
from headwater.model import Column, ForeignKey, Table
from headwater.starter import write_starter
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters, rows_of
from support.cases import law

CUSTOMERS = Table(
    "customers",
    (Column("id", "bigint", nullable=False), Column("email", "string")),
    key=("id",),
    unique=(("email",),),
)
ORDERS = Table(
    "orders",
    (
        Column("id", "bigint", nullable=False),
        Column("customer", "int"),
        Column("note", "string"),
    ),
    key=("id",),
    foreign_keys=(ForeignKey(("customer",), "customers", ("id",)),),
)
PARTS = Table(
    "parts",
    (Column("id", "int", nullable=False), Column("whole", "int")),
    key=("id",),
    foreign_keys=(ForeignKey(("whole",), "parts", ("id",)),),
)
TABLES = {"customers": CUSTOMERS, "orders": ORDERS}


def order(number: int, customer: int | None, note: str | None = None) -> dict[str, Any]:
    return {"id": number, "customer": customer, "note": note}


def delete(**key: Any) -> dict[str, Any]:
    return {"op": "delete", "row": key}


def reasons(done: Appended) -> list[tuple[int, str]]:
    return [(rejection.line, rejection.reason) for rejection in done.reasons]


class Shop:
    """Both tables, with writers that stay."""

    def __init__(self, warehouse: Warehouse, clock: ManualClock, tables: Mapping[str, Table] = TABLES):
        self.writers = {name: Appender(warehouse, table, clock, tables) for name, table in tables.items()}

    def add(self, table: str, *records: dict[str, Any]) -> Appended:
        return self.writers[table].append(records)


@pytest.fixture
def shop(warehouse: Warehouse, clock: ManualClock) -> Shop:
    return Shop(warehouse, clock)


def test_a_row_needs_what_it_references(shop: Shop, warehouse: Warehouse) -> None:
    nobody = shop.add("orders", order(1, 7))  # there is not even a timeline of customers
    assert reasons(nobody) == [(1, "orders.customer = 7: there is no such customers.id")]
    shop.add("customers", {"id": 7}, {"id": 8})
    done = shop.add("orders", order(1, 7), order(2, 9), order(3, None), order(4, 8), order(5, 7))
    assert reasons(done) == [(2, "orders.customer = 9: there is no such customers.id")]
    assert [letter["reason"] for letter in dead_letters(warehouse)] == [
        "orders.customer = 7: there is no such customers.id",
        "orders.customer = 9: there is no such customers.id",
    ]
    assert {row[0] for row in rows_of(warehouse, "orders")} == {1, 3, 4, 5}


def test_an_update_and_an_upsert_need_it_too(shop: Shop) -> None:
    shop.add("customers", {"id": 7}, {"id": 8})
    shop.add("orders", order(1, 7))
    done = shop.add(
        "orders",
        {"op": "update", "row": order(1, 9)},
        {"op": "upsert", "row": order(1, 10)},
        {"op": "upsert", "row": order(2, 11)},
        {"op": "update", "row": order(1, 8)},
        {"op": "update", "row": order(1, None)},
    )
    assert [line for line, _ in reasons(done)] == [1, 2, 3]


def test_what_is_referenced_stays(shop: Shop) -> None:
    shop.add("customers", {"id": 7}, {"id": 8}, {"id": 9})
    shop.add("orders", order(1, 7))
    done = shop.add(
        "customers",
        delete(id=7),
        {"op": "update", "row": {"id": 70}, "old": {"id": 7}},
        {"op": "update", "row": {"id": 7, "email": "a@b"}},
        {"op": "upsert", "row": {"id": 7, "email": "c@d"}},
        delete(id=8),
        {"op": "update", "row": {"id": 90}, "old": {"id": 9}},
    )
    still = "customers.id = 7: orders.customer still references it"
    assert reasons(done) == [(1, still), (2, still)]
    shop.add("orders", delete(id=1))
    assert shop.add("customers", delete(id=7)).rejected == 0


def test_an_appender_without_the_project_knows_its_own_keys_only(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    append(warehouse, CUSTOMERS, [{"id": 7}], clock)
    assert append(warehouse, ORDERS, [order(1, 7), order(2, 8)], clock).rejected == 1
    assert append(warehouse, CUSTOMERS, [delete(id=7)], clock, tables=TABLES).rejected == 1
    assert append(warehouse, CUSTOMERS, [delete(id=7)], clock).rejected == 0


def test_warnings_are_counted_at_both_ends(warehouse: Warehouse, clock: ManualClock) -> None:
    """The key is of orders, so its ON VIOLATION counts, also when a customer goes."""
    shop = Shop(warehouse, clock, TABLES | {"orders": replace(ORDERS, warn_on_violation=True)})
    done = shop.add("orders", order(1, 7), order(2, None))
    assert (done.accepted, done.rejected, done.warned) == (2, 0, 1)
    shop.add("customers", {"id": 7})
    done = shop.add("customers", delete(id=7))
    assert (done.accepted, done.rejected, done.warned) == (1, 0, 1)
    done = shop.add("orders", {"op": "update", "row": order(1, 7, "kept what it had")})
    assert (done.accepted, done.warned) == (1, 0)


def test_the_keys_of_postgres_tables_are_its_own(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, CUSTOMERS, [{"id": 7}], clock)
    append(warehouse, ORDERS, [order(1, 7)], clock)
    tables = TABLES | {"orders": replace(ORDERS, provider="postgres")}
    assert append(warehouse, CUSTOMERS, [delete(id=7)], clock, tables=tables).rejected == 0


def test_references_to_unique_columns_and_to_several(warehouse: Warehouse, clock: ManualClock) -> None:
    letters = Table(
        "letters", (Column("to", "string"),), foreign_keys=(ForeignKey(("to",), "customers", ("email",)),)
    )
    places = Table("places", (Column("x", "int"), Column("y", "string")), key=("x", "y"))
    visits = Table(
        "visits",
        (Column("b", "string"), Column("a", "int")),
        foreign_keys=(ForeignKey(("b", "a"), "places", ("y", "x")),),
    )
    tables = {table.name: table for table in (CUSTOMERS, letters, places, visits)}
    shop = Shop(warehouse, clock, tables)
    shop.add("customers", {"id": 1, "email": "a"}, {"id": 2}, {"id": 3})
    done = shop.add("letters", {"to": "a"}, {"to": "b"}, {"to": None})
    assert reasons(done) == [(2, 'letters.to = "b": there is no such customers.email')]
    done = shop.add("customers", {"op": "update", "row": {"id": 1, "email": "b"}}, delete(id=2))
    assert reasons(done) == [(1, 'customers.email = "a": letters.to still references it')]
    shop.add("places", {"x": 1, "y": "p"}, {"x": 2, "y": "q"})
    done = shop.add("visits", {"a": 1, "b": "p"}, {"a": 1, "b": "q"}, {"a": None, "b": "z"})
    assert reasons(done) == [(2, 'visits.(b, a) = ("q", 1): there is no such places.(y, x)')]
    done = shop.add("places", delete(x=2, y="q"), delete(x=1, y="p"))
    assert reasons(done) == [(2, 'places.(y, x) = ("p", 1): visits.(b, a) still references it')]


def test_a_table_may_reference_itself_within_a_batch(warehouse: Warehouse, clock: ManualClock) -> None:
    shop = Shop(warehouse, clock, {"parts": PARTS})
    done = shop.add(
        "parts",
        {"id": 1, "whole": None}, {"id": 2, "whole": 1}, {"id": 3, "whole": 2}, {"id": 4, "whole": 5},
        {"id": 5, "whole": 5}, delete(id=1), delete(id=5),
    )  # fmt: skip
    assert reasons(done) == [
        (4, "parts.whole = 5: there is no such parts.id"),
        (6, "parts.id = 1: parts.whole still references it"),
    ]
    done = shop.add("parts", delete(id=3), delete(id=2), delete(id=1))
    assert done.rejected == 0
    assert rows_of(warehouse, "parts") == Counter()


def test_updates_that_leave_the_keys_alone_look_nothing_up(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.add("customers", {"id": 7})
    shop.add("orders", order(1, 7))
    asked = []
    counts = Current.counts
    monkeypatch.setattr(
        Current, "counts", lambda self, *rest: asked.append(self.timeline.path) or counts(self, *rest)
    )
    shop.add("orders", {"op": "update", "row": order(1, 7, "paid")})
    shop.add("customers", {"op": "upsert", "row": {"id": 7, "email": "x"}}, {"id": 8})
    assert {Path(path).name for path in asked} == {"customers"}  # UNIQUE (email) of its own
    asked.clear()
    shop.add("orders", order(2, 8))
    assert {Path(path).name for path in asked} == {"orders", "customers"}


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2**40, None], pa.int32(), [1, None, None]),
        ([-1, 5], pa.int8(), [-1, 5]),
        ([Decimal("7.00"), Decimal("7.50")], pa.int64(), [7, None]),
        ([7, 10**9], pa.decimal128(5, 2), [Decimal("7.00"), None]),
        ([1.5, float("nan"), float("inf"), 3.0], pa.int64(), [None, None, None, 3]),
        ([2**53, 2**53 + 1], pa.float64(), [float(2**53), None]),
    ],
)
def test_values_fit_exactly_or_not_at_all(values: list[Any], kind: pa.DataType, expected: list[Any]) -> None:
    assert exact_cast(pa.chunked_array([values]), kind).to_pylist() == expected


def test_instants_fit_dates_at_midnight() -> None:
    days = pa.chunked_array([["2026-01-31", "2026-02-01"]]).cast(pa.date32())
    instants = exact_cast(days, pa.timestamp("us", "UTC"))
    assert instants.type == pa.timestamp("us", "UTC")
    assert exact_cast(instants, pa.date32()).to_pylist() == days.to_pylist()
    assert exact_cast(exact_cast(instants, pa.timestamp("us")), pa.timestamp("us", "UTC")).equals(instants)
    late = pa.chunked_array([pa.array([1_000_000], pa.timestamp("us"))])
    assert exact_cast(late, pa.date32()).to_pylist() == [None]


def test_a_value_too_large_for_the_other_type_references_nothing(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    small = Table("small", (Column("id", "tinyint"),), key=("id",))
    large = Table("large", (Column("id", "bigint"),), foreign_keys=(ForeignKey(("id",), "small", ("id",)),))
    shop = Shop(warehouse, clock, {"small": small, "large": large})
    shop.add("small", {"id": 1}, {"id": 2})
    done = shop.add("large", {"id": 257}, {"id": 1})  # 257 is 1 in eight bits
    assert reasons(done) == [(1, "large.id = 257: there is no such small.id")]
    assert shop.add("small", delete(id=1), delete(id=2)).rejected == 1


def test_files_of_a_folder_are_held_to_it(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    options = {"path": "in", "settle": "0"}
    customers = replace(CUSTOMERS, provider="files", options=options)
    append(warehouse, CUSTOMERS, [{"id": 7}, {"id": 8}], clock)
    append(warehouse, ORDERS, [order(1, 7)], clock)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(
        '{"op": "delete", "row": {"id": 7}}\n{"op": "delete", "row": {"id": 8}}\n'
    )
    capture = FileCapture(warehouse, customers, clock, str(tmp_path), TABLES)
    for _ in range(3):
        capture.poll()
        clock.advance(timedelta(seconds=1))
    assert rows_of(warehouse, "customers") == Counter({(7, None): 1})


def test_an_open_project_keeps_the_keys_of_the_starter(tmp_path: Path) -> None:
    """Its own changes are all accepted, in the order of their names; later references are checked."""
    write_starter(tmp_path / "shop", "shop")
    shop = headwater.open(str(tmp_path / "shop"))
    for path in sorted((tmp_path / "shop" / "changes").iterdir()):
        done = shop.ingest_file(path.stem.split("-", 1)[1], str(path))
        assert (done.rejected, done.warned) == (0, 0)
    done = shop.ingest("customers", [delete(customer_id=1)])
    assert reasons(done) == [
        (1, "customers.customer_id = 1: orders.customer_id still references it"),
    ]
    row = {"payment_id": 99, "order_id": 999, "amount": 1, "paid_at": "2026-01-31T00:00:00Z"}
    assert shop.ingest("payments", [row]).rejected == 1


STEPS = st.tuples(
    st.sampled_from(["parts", "customers", "orders"]),
    st.sampled_from(["insert", "upsert", "update", "delete", "move"]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([None, 0, 1, 2, 3]),
)
Step = tuple[str, str, int, int, int | None]


def expected_after(held: dict[str, dict[int, int | None]], step: Step) -> bool:
    """The specification: one record against plain dicts from key to reference."""
    table, what, key, other, reference = step
    rows = held[table]
    if what == "insert" and key in rows or what in ("update", "delete", "move") and key not in rows:
        return False
    if what == "move" and other != key and other in rows:
        return False
    before = rows.get(key)
    after = {k: v for k, v in rows.items() if k != key}
    if what != "delete":
        after[other if what == "move" else key] = None if table == "customers" else reference
    world = held | {table: after}
    parents = {"orders": "customers", "parts": "parts"}
    if table in parents and what != "delete" and reference not in (None, before, *world[parents[table]]):
        return False
    children = {"customers": "orders", "parts": "parts"}
    if key in rows and key not in after and table in children and key in world[children[table]].values():
        return False
    held[table] = after
    return True


def record_of(step: Step) -> dict[str, Any]:
    table, what, key, other, reference = step
    name = {"parts": "whole", "orders": "customer", "customers": "email"}[table]
    value = None if table == "customers" else reference
    match what:
        case "delete":
            return delete(id=key)
        case "move":
            return {"op": "update", "old": {"id": key}, "row": {"id": other, name: value}}
        case _:
            return {"op": what, "row": {"id": key, name: value}}


@pytest.mark.slow
@law(15)
@given(st.lists(st.lists(STEPS, min_size=1, max_size=12), min_size=1, max_size=4))
def test_any_batches_equal_plain_dicts(batches: list[list[Step]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(Warehouse(folder), ManualClock(), TABLES | {"parts": PARTS})
        held: dict[str, dict[int, int | None]] = {"parts": {}, "customers": {}, "orders": {}}
        for batch in batches:
            for table in held:
                steps = [step for step in batch if step[0] == table]
                accepted = [expected_after(held, step) for step in steps]
                wrong = {line for line, _ in reasons(shop.add(table, *map(record_of, steps)))}
                assert [line not in wrong for line in range(1, len(steps) + 1)] == accepted
        for table, rows in held.items():
            stored = rows_of(Warehouse(folder), table)
            assert {row[0]: None if table == "customers" else row[1] for row in stored} == rows

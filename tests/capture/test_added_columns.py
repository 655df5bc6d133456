"""A source gains columns: earlier rows hold NULL or the default, and every other change is refused clearly."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.capture.intake.append import Appender, append, open_source
from headwater.capture.intake.current import Current
from headwater.capture.intake.token import BatchId
from headwater.clock import ManualClock
from headwater.engine.upkeep.compaction import compact
from headwater.errors import InputError
from headwater.model import Column, Table
from headwater.storage.copying import copy_delta
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate, expand
from support.capture import rows_of
from support.cases import scaled

ORDERS = Table("orders", (Column("id", "bigint", nullable=False), Column("name", "string")), key=("id",))


def wider(table: Table, *columns: Column) -> Table:
    return replace(table, columns=(*table.columns, *columns))


def test_earlier_rows_are_null_in_a_new_column(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, ORDERS, [{"id": 1, "name": "a"}], clock)
    append(warehouse, wider(ORDERS, Column("total", "double")), [{"id": 2, "name": "b", "total": 2.5}], clock)
    assert rows_of(warehouse, "orders") == Counter({(1, "a", None): 1, (2, "b", 2.5): 1})


def test_earlier_rows_hold_the_default_of_a_new_column(warehouse: Warehouse, clock: ManualClock) -> None:
    first = append(warehouse, ORDERS, [{"id": 1, "name": "a"}], clock).time
    table = wider(ORDERS, Column("state", "string", nullable=False, default="open"))
    append(warehouse, table, [{"id": 2}, {"id": 3, "state": "shipped"}], clock)
    assert rows_of(warehouse, "orders") == Counter(
        {(1, "a", "open"): 1, (2, None, "open"): 1, (3, None, "shipped"): 1}
    )
    assert rows_of(warehouse, "orders", first or 0) == Counter({(1, "a", "open"): 1})


def test_an_explicit_null_is_not_the_default(warehouse: Warehouse, clock: ManualClock) -> None:
    table = wider(ORDERS, Column("n", "int", default="7"))
    append(warehouse, table, [{"id": 1, "n": None}, {"id": 2}], clock)
    append(warehouse, table, pa.table({"id": [3]}), clock)
    assert rows_of(warehouse, "orders") == Counter({(1, None, None): 1, (2, None, 7): 1, (3, None, 7): 1})


@pytest.mark.parametrize("default", [None, "5"])
def test_rows_from_before_are_replaced_and_deleted(
    warehouse: Warehouse, clock: ManualClock, default: str | None
) -> None:
    append(warehouse, ORDERS, [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], clock)
    table = wider(ORDERS, Column("n", "int", default=default))
    done = append(
        warehouse,
        table,
        [{"op": "update", "row": {"id": 1, "name": "c", "n": 9}}, {"op": "delete", "row": {"id": 2}}],
        clock,
    )
    assert (done.accepted, done.rejected) == (2, 0)
    assert rows_of(warehouse, "orders") == Counter({(1, "c", 9): 1})


def test_a_writer_that_was_open_before_goes_on_after_it_is_declared_anew(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    writer = Appender(warehouse, ORDERS, clock)
    writer.append([{"id": 1, "name": "a"}])
    other = Warehouse(warehouse.root)  # another process
    open_source(other, wider(ORDERS, Column("n", "int", default="5")))
    with pytest.raises(InputError, match='"n"') as refused:
        writer.append([{"id": 2}])
    assert refused.value.code == "HW845"
    assert rows_of(warehouse, "orders") == Counter({(1, "a", 5): 1})


@pytest.mark.parametrize(
    ("columns", "message", "hint"),
    [
        ((Column("id", "bigint", False),), 'no longer declares its column "name"', "Declare"),
        ((Column("id", "bigint", False), Column("title", "string")), "no longer declares", "SELECT name AS"),
        ((Column("id", "int", False), Column("name", "string")), "bigint", "cast"),
        ((*ORDERS.columns, Column("n", "int", False)), "NOT NULL", "DEFAULT"),
    ],
)
def test_other_changes_say_what_to_do_and_change_nothing(
    warehouse: Warehouse, clock: ManualClock, columns: tuple[Column, ...], message: str, hint: str
) -> None:
    append(warehouse, ORDERS, [{"id": 1, "name": "a"}], clock)
    version = warehouse.source("orders").snapshot().version
    with pytest.raises(InputError) as refused:
        open_source(warehouse, replace(ORDERS, columns=columns))
    assert refused.value.code == "HW845"
    assert message in refused.value.message
    assert hint in refused.value.hint
    assert warehouse.source("orders").snapshot().version == version


def test_a_table_without_rows_takes_any_declaration(warehouse: Warehouse, clock: ManualClock) -> None:
    open_source(warehouse, ORDERS)
    table = Table("orders", (Column("id", "string", nullable=False), Column("at", "timestamp_ntz")))
    append(warehouse, table, [{"id": "x", "at": "2026-01-01 00:00:00"}], clock)
    assert [row[0] for row in rows_of(warehouse, "orders")] == ["x"]


def test_a_replica_follows_its_source(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> None:
    append(warehouse, ORDERS, [{"id": 1, "name": "a"}], clock)
    replica = Timeline(str(tmp_path / "replica"))
    source = warehouse.source("orders")
    copy_delta(source, replica, source.time())
    append(warehouse, wider(ORDERS, Column("n", "int")), [{"id": 2, "n": 3}], clock)
    copied = copy_delta(source, replica, source.time())
    assert (copied.files, copied.whole) == (1, False)
    assert everything(replica) == rows_of(warehouse, "orders")


def everything(timeline: Timeline) -> Counter[tuple[Any, ...]]:
    rows = expand(Current(timeline).everything())
    return Counter(tuple(row.values()) for row in rows.to_pylist())


KINDS = {
    "int": (None, "7", [1, 2, None]),
    "string": (None, "none", ["x", "y", None]),
    "date": (None, "2026-01-01", ["2026-02-03", None]),
    "timestamp_ntz": (None, "2026-01-01 00:00:00", ["2026-02-03 04:05:06", None]),
    "decimal(6,2)": (None, "1.50", ["2.25", None]),
    "boolean": (None, "true", [False, None]),
}


class Oracle:
    """The rows that a table must hold: a dict for each, or for a table without a key a list."""

    def __init__(self, rng: random.Random, keyed: bool) -> None:
        self.rng, self.keyed = rng, keyed
        self.table = Table(
            "t", (Column("k", "int", nullable=False), Column("v", "string")), key=("k",) if keyed else ()
        )
        self.rows: list[dict[str, Any]] = []

    def add_column(self) -> None:
        kind = self.rng.choice(list(KINDS))
        default = self.rng.choice(KINDS[kind][:2])
        name = f"c{len(self.table.columns)}"
        at = self.rng.randint(0, len(self.table.columns))  # declared anywhere, stored at the end
        column = Column(name, kind, default is None or self.rng.random() < 0.5, default=default)
        columns = (*self.table.columns[:at], column, *self.table.columns[at:])
        self.table = replace(self.table, columns=columns)
        for row in self.rows:
            row[name] = _text(column, default)

    def change(self) -> dict[str, Any]:
        """A change that must be accepted, already applied to the rows."""
        if self.rows and self.rng.random() < 0.4:
            row = self.rows.pop(self.rng.randrange(len(self.rows)))
            if self.rng.random() < 0.5:
                return {"op": "delete", "row": {"k": row["k"]} if self.keyed else dict(row)}
            new = self._row(row["k"])
            return {"op": "update", "row": new, "old": {"k": row["k"]} if self.keyed else dict(row)}
        return {"op": "insert", "row": self._row(self._free())}

    def _free(self) -> int:
        taken = {row["k"] for row in self.rows}
        return self.rng.choice([k for k in range(60) if k not in taken or not self.keyed])

    def _row(self, key: int) -> dict[str, Any]:
        given: dict[str, Any] = {"k": key, "v": self.rng.choice(["a", None])}
        for column in self.table.columns:
            if column.name.startswith("c") and self.rng.random() < 0.6:
                value = self.rng.choice(KINDS[column.type][2])
                if value is not None or column.nullable:
                    given[column.name] = value
        self.rows.append(
            {
                column.name: _text(column, given.get(column.name, column.default))
                for column in self.table.columns
            }
        )
        return given

    def counted(self, names: list[str]) -> Counter[tuple[Any, ...]]:
        return Counter(tuple(_shown(row[name]) for name in names) for row in self.rows)


def _text(column: Column, value: Any) -> Any:
    """A value as a record would give it."""
    if value is None or not isinstance(value, str):
        return value
    return {"int": int, "boolean": lambda text: text == "true"}.get(column.type, str)(value)


def _shown(value: Any) -> str | None:
    return None if value is None else str(value)


@pytest.mark.parametrize("seed", range(scaled(8)))
def test_law_columns_added_among_random_changes(seed: int, tmp_path: Path) -> None:
    """Whatever is added, captured, compacted and copied: the table is what the changes say, at every time."""
    rng = random.Random(seed)
    warehouse, clock = Warehouse(str(tmp_path / "warehouse")), ManualClock()
    replica = Timeline(str(tmp_path / "replica"))
    oracle = Oracle(rng, keyed=rng.random() < 0.6)
    writer = Appender(warehouse, oracle.table, clock)
    for _ in range(25):
        clock.advance(timedelta(seconds=1))
        match rng.random():
            case chance if chance < 0.15:
                oracle.add_column()
                writer = Appender(warehouse, oracle.table, clock)
            case chance if chance < 0.3 and warehouse.source("t").exists():
                compact(warehouse.source("t"), warehouse.source("t").time(), many=2)
            case chance if chance < 0.4 and warehouse.source("t").time():
                copy_delta(warehouse.source("t"), replica, warehouse.source("t").time())
            case _:
                done = writer.append([oracle.change() for _ in range(rng.randint(1, 6))])
                assert done.rejected == 0, done.reasons
        check(warehouse, oracle)
    open_source(warehouse, oracle.table)
    source = warehouse.source("t")
    if source.time():
        fresh = Timeline(str(tmp_path / "fresh"))
        copy_delta(source, fresh, source.time())
        assert everything(fresh) == everything(source)


def check(warehouse: Warehouse, oracle: Oracle) -> None:
    if not warehouse.source("t").exists():
        return
    open_source(warehouse, oracle.table)
    for opened in (warehouse.source("t"), Warehouse(warehouse.root).source("t")):
        names = opened.columns().names
        state = consolidate(opened.read(opened.as_of(opened.time())))
        expected = oracle.counted(names)
        for rows in (expand(state), expand(Current(opened).everything())):
            actual = Counter(tuple(_shown(row[name]) for name in names) for row in rows.to_pylist())
            assert actual == expected


def test_a_first_batch_that_was_rejected_as_a_whole_freezes_no_column(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    wrong = Table("t", (Column("id", "bigint"), Column("n", "boolean")))
    done = append(warehouse, wrong, [{"id": 1, "n": "2.5"}], clock, BatchId("first"))
    assert (done.accepted, done.rejected) == (0, 1)
    mended = Table("t", (Column("id", "bigint"), Column("amount", "double")))
    assert append(warehouse, mended, [{"id": 1, "amount": 2.5}], clock, BatchId("second")).accepted == 1
    assert rows_of(warehouse, "t") == Counter({(1, 2.5): 1})

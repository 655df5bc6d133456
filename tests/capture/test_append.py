"""Appending keeps keys, limits and order, rejects with reasons, and never commits half a call."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from capture_helpers import dead_letters, rows_of
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.capture.append import Appender, append, append_file
from headwater.capture.token import Token
from headwater.capture.trouble import StorageError
from headwater.clock import ManualClock
from headwater.errors import InputError
from headwater.model import Cardinality, Column, Table
from headwater.storage.warehouse import Warehouse

ORDERS = Table(
    "orders",
    (
        Column("id", "bigint", nullable=False),
        Column("customer", "string"),
        Column("total", "decimal(10,2)"),
    ),
    key=("id",),
)
LOG = Table("log", (Column("level", "string"), Column("n", "int")))
QUOTES = Table("quotes", (Column("symbol", "string"), Column("price", "double")), update_key=("symbol",))


def order(number: int, customer: str | None = None, total: str | None = None) -> dict[str, Any]:
    return {"id": number, "customer": customer, "total": None if total is None else Decimal(total)}


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


def test_a_taken_key_is_rejected_also_within_the_batch(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, ORDERS, [order(1)], clock)
    result = append(warehouse, ORDERS, [order(1, "b"), order(2), order(2, "c")], clock)
    assert [(one.line, one.reason) for one in result.reasons] == [
        (1, "the key (id) is taken"),
        (3, "the key (id) is taken"),
    ]
    assert rows_of(warehouse, "orders") == Counter({(1, None, None): 1, (2, None, None): 1})


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
    assert [(one.line, one.reason) for one in result.reasons] == [
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
    assert {(one["customer"], one["_weight"]) for one in changes} == {("a", -1), ("b", 1)}
    assert part.times == {after}
    assert rows_of(warehouse, "orders", before) == Counter({(1, "a", None): 1})


def test_moving_to_a_taken_key_is_rejected(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, ORDERS, [order(1, "a"), order(2, "b")], clock)
    result = append(warehouse, ORDERS, [{"op": "update", "row": order(2, "x"), "old": {"id": 1}}], clock)
    assert result.reasons[0].reason == "the new key is taken"
    assert result.time is None


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
    assert [(one.line, one.reason) for one in result.reasons] == [
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


def test_unique_lets_nulls_pass(warehouse: Warehouse, clock: ManualClock) -> None:
    table = Table(ORDERS.name, ORDERS.columns, key=("id",), unique=(("customer",),))
    result = append(warehouse, table, [order(1, "a"), order(2), order(3), order(4, "a")], clock)
    assert [(one.line, one.reason) for one in result.reasons] == [(4, "UNIQUE (customer) is taken")]
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
        assert [one.reason for one in result.reasons] == ["CARDINALITY LIMIT 2 (customer) is reached"]
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
    assert [one.reason for one in result.reasons] == [
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
    assert [one["line"] for one in letters] == list(range(1, 9))
    assert {one["table"] for one in letters} == {"t"}
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
    result = append_file(warehouse, ORDERS, str(path), clock)
    assert [(one.line, one.reason) for one in result.reasons] == [
        (3, "not JSON: Expecting property name enclosed in double quotes at column 10"),
        (4, "not JSON: Extra data at column 10"),
        (5, "not JSON: the bytes are not UTF-8"),
    ]
    assert rows_of(warehouse, "orders") == Counter({(1, None, Decimal("0.10")): 1, (4, None, None): 1})
    assert {one["file"] for one in dead_letters(warehouse)} == {str(path)}
    with pytest.raises(InputError, match="line 3 is not JSON"):
        append_file(warehouse, ORDERS, str(path), clock, strict=True)
    with pytest.raises(InputError, match="cannot be read"):
        append_file(warehouse, ORDERS, str(tmp_path / "absent.jsonl"), clock)


def test_an_arrow_table_is_taken_as_it_is(warehouse: Warehouse, clock: ManualClock) -> None:
    rows = pa.table({"id": pa.array([1, 2, None], pa.int32()), "customer": ["a", "b", "c"]})
    result = append(warehouse, ORDERS, rows, clock)
    assert [(one.line, one.reason) for one in result.reasons] == [(3, 'column "id" must not be NULL')]
    assert rows_of(warehouse, "orders") == Counter({(1, "a", None): 1, (2, "b", None): 1})
    with pytest.raises(InputError, match='no column "idd"'):
        append(warehouse, ORDERS, pa.table({"idd": [1]}), clock)
    with pytest.raises(InputError, match="does not fit"):
        append(warehouse, ORDERS, pa.table({"id": ["x"]}), clock)


def test_a_token_commits_once(warehouse: Warehouse, clock: ManualClock) -> None:
    for attempt in range(3):
        result = append(warehouse, LOG, [{"level": "a", "n": 1}, {"n": "wrong"}], clock, Token.once("call-1"))
        assert result.repeated == (attempt > 0)
    append(warehouse, LOG, [{"level": "b", "n": 1}], clock, Token("producer", 7))
    assert append(warehouse, LOG, [{"level": "b", "n": 2}], clock, Token("producer", 6)).repeated
    assert not append(warehouse, LOG, [{"level": "b", "n": 3}], clock, Token("producer", 8)).repeated
    assert rows_of(warehouse, "log") == Counter({("a", 1): 1, ("b", 1): 1, ("b", 3): 1})
    assert len(dead_letters(warehouse)) == 1


def test_a_token_counts_also_when_all_was_rejected(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, LOG, [{"n": "wrong"}], clock, Token.once("x"))
    assert append(warehouse, LOG, [{"n": 1}], clock, Token.once("x")).repeated
    assert rows_of(warehouse, "log") == Counter()


def test_killed_between_dead_letters_and_commit(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    appender = Appender(warehouse, LOG, clock)
    records: list[Mapping[str, Any]] = [{"level": "a", "n": 1}, {"n": "wrong"}]
    with monkeypatch.context() as patch:
        patch.setattr(Appender, "_write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            appender.append(records, Token.once("t"))
    assert rows_of(warehouse, "log") == Counter()
    again = append(Warehouse(warehouse.root), LOG, records, clock, Token.once("t"))
    assert (again.accepted, again.rejected, again.repeated) == (1, 1, False)
    assert rows_of(warehouse, "log") == Counter({("a", 1): 1})
    assert len(dead_letters(warehouse)) == 1


def test_killed_between_commit_and_the_clock(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table's own time counts, so the next commit is later although the clock file is behind."""
    with monkeypatch.context() as patch:
        patch.setattr("headwater.storage.source_clock.Turn.store", lambda *_: None)
        first = append(warehouse, LOG, [{"n": 1}], clock).time
    second = append(Warehouse(warehouse.root), LOG, [{"n": 2}], clock).time
    assert first is not None
    assert second == first + 1


def test_a_postgres_table_takes_no_records(warehouse: Warehouse, clock: ManualClock) -> None:
    with pytest.raises(InputError, match="captured from PostgreSQL"):
        append(warehouse, Table("t", LOG.columns, provider="postgres"), [], clock)


def test_other_writers_are_seen(warehouse: Warehouse, clock: ManualClock) -> None:
    """An appender that remembers columns still sees what others committed, and compaction's new files."""
    mine = Appender(warehouse, ORDERS, clock)
    mine.append([order(1, "a")])
    mine.append([{"op": "update", "row": order(1, "b")}])
    append(Warehouse(warehouse.root), ORDERS, [order(2, "x"), {"op": "update", "row": order(1, "c")}], clock)
    result = mine.append([order(2, "y"), {"op": "update", "row": order(1, "d")}])
    assert [one.line for one in result.reasons] == [1]
    assert rows_of(warehouse, "orders") == Counter({(1, "d", None): 1, (2, "x", None): 1})


def test_remembered_columns_stay_within_their_budget(warehouse: Warehouse, clock: ManualClock) -> None:
    mine = Appender(warehouse, ORDERS, clock)
    mine.current.budget = 64
    for number in range(10):
        mine.append([{"op": "upsert", "row": order(number % 3, str(number))}])
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


@settings(deadline=None, derandomize=True, max_examples=60)
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
            rejected = {one.line for one in result.reasons}
            assert [number not in rejected for number in range(1, len(batch) + 1)] == accepted
            found = rows_of(appender.warehouse, "orders")
            assert found == Counter({(key, value, None): 1 for key, value in rows.items()})


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
    assert [one.line for one in done.reasons] == [4]
    assert rows_of(warehouse, "pairs") == Counter({(1, 2, 21): 1, (2, 1, 30): 1})


def test_tokens_outlive_checkpoints_and_cleaned_logs(warehouse: Warehouse, clock: ManualClock) -> None:
    from deltalake import DeltaTable

    append(warehouse, LOG, [{"n": 1}], clock, Token.once("first"))
    for number in range(5):
        append(warehouse, LOG, [{"n": number}], clock, Token("producer", number))
    log = DeltaTable(warehouse.source("log").path)
    log.create_checkpoint()
    folder = os.path.join(log.table_uri.removeprefix("file://"), "_delta_log")
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".json"))[:-1]:
        os.remove(os.path.join(folder, name))
    fresh = Warehouse(warehouse.root)
    assert append(fresh, LOG, [{"n": 1}], clock, Token.once("first")).repeated
    assert append(fresh, LOG, [{"n": 1}], clock, Token("producer", 4)).repeated
    assert append(fresh, LOG, [{"n": 9}], clock, Token("producer", 5)).accepted == 1


def test_a_full_disk_is_told_and_nothing_is_written(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(warehouse, LOG, [{"n": 1}], clock)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("headwater.storage.timeline.write_parquet", full)
        with pytest.raises(StorageError, match="HW860: .*the disk is full"):
            append(warehouse, LOG, [{"n": 2}], clock)
    assert append(warehouse, LOG, [{"n": 3}], clock).accepted == 1
    assert rows_of(warehouse, "log") == Counter({(None, 1): 1, (None, 3): 1})


CRASHER = """
import json, os, sys
from headwater.capture.append import Appender
from headwater.capture.token import Token
from headwater.clock import SystemClock
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse

root, start, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
table = Table("log", (Column("level", "string"), Column("n", "int")))
appender = Appender(Warehouse(root), table, SystemClock())
for number in range(start, start + count):
    rows = [{"level": "x", "n": number}] * 3 + [{"n": "wrong"}]
    appender.append(rows, Token("crasher", number))
    print(number, flush=True)
"""


def test_kill_9_at_any_moment_loses_and_doubles_nothing(warehouse: Warehouse, clock: ManualClock) -> None:
    """A producer that repeats its last call after each kill: all of a call or nothing, and once."""
    rng = random.Random(7)
    last = 0
    for _ in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", CRASHER, warehouse.root, str(last + 1), "1000"], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        for _ in range(rng.randrange(1, 4)):
            process.stdout.readline()
        time.sleep(rng.random() * 0.03)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found = rows_of(warehouse, "log")
        last = max((row[1] for row in found), default=0)
        assert found == Counter({("x", number): 3 for number in range(1, last + 1)})
        if last:
            assert append(warehouse, LOG, [{"level": "x", "n": 0}], clock, Token("crasher", last)).repeated
    assert last > 0
    assert len(dead_letters(warehouse)) in (last, last + 1)  # one call may have buried its letter and no more


RACER = """
import sys
from headwater.capture.append import Appender
from headwater.clock import SystemClock
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse

root, name = sys.argv[1:]
table = Table("t", (Column("id", "int", nullable=False), Column("who", "string")), key=("id",))
appender = Appender(Warehouse(root), table, SystemClock())
accepted = 0
for batch in range(15):
    accepted += appender.append([{"id": batch * 4 + n, "who": name} for n in range(4)]).accepted
    appender.append([{"op": "upsert", "row": {"id": -1, "who": name}}])
print(accepted)
"""


def test_two_processes_write_one_table(warehouse: Warehouse) -> None:
    """They race for the same keys: each key is accepted once, whoever wins, and no call fails."""
    command = [sys.executable, "-c", RACER, warehouse.root]
    racers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "ab"]
    answers = [racer.communicate()[0] for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0]
    assert sum(int(answer) for answer in answers) == 60
    found = rows_of(warehouse, "t")
    assert sorted(row[0] for row in found.elements()) == list(range(-1, 60))


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
    # A row in the place of another is not one more.
    assert append(warehouse, table, swaps, clock).rejected == 0
    assert sum(rows_of(warehouse, "orders").values()) == (4 if warn else 3)

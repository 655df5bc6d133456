"""What any store must do: order, ranges, transactions, times. Each store is held to it, and to the one in memory."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from headwater.algebra.expressions.tree import Column, call
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.plans.store import Interval, sort_key
from headwater.serve.store.backends.keys import key_of
from headwater.serve.store.backends.memory import MemoryKept
from headwater.serve.store.backends.sqlite import SqliteStore
from headwater.serve.store.backends.values import ExactSum, added, from_stored, stored
from headwater.serve.store.layout import index_id
from headwater.serve.store.protocol import KeptStore, StoredIndex, StoredTable

Make = Callable[[Path], KeptStore]
STORES: dict[str, Make] = {
    "memory": lambda folder: MemoryKept(),
    "sqlite": lambda folder: SqliteStore(str(folder / "store.sqlite")),
}

KINDS: dict[str, Callable[[random.Random], Any]] = {
    "int": lambda r: r.choice([0, 1, -1, 7, 10, 100, -100, 2**62, -(2**63), r.randint(-50, 50)]),
    "decimal": lambda r: Decimal(r.randint(-5000, 5000)).scaleb(-r.randint(0, 3)),
    "double": lambda r: r.choice([0.0, -0.5, 1e-300, 1e300, -math.inf, math.inf, r.uniform(-3, 3), 0.1]),
    "string": lambda r: "".join(r.choice("ab\0ÿ𝄞z ") for _ in range(r.randint(0, 4))),
    "boolean": lambda r: r.random() < 0.5,
    "date": lambda r: date(1970, 1, 1) + timedelta(days=r.randint(-40000, 40000)),
    "timestamp": lambda r: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=r.randint(-(10**15), 10**15)),
    "binary": lambda r: bytes(r.choice([0, 1, 255, 254, 65]) for _ in range(r.randint(0, 4))),
}  # fmt: skip


def value(kind: str, r: random.Random) -> Any:
    return None if r.random() < 0.15 else KINDS[kind](r)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("nulls_first", [False, True])
def test_keys_sort_as_values_do(kind: str, descending: bool, nulls_first: bool) -> None:
    r = random.Random(kind)
    parts = (
        IndexPart(Column("a"), descending, nulls_first),
        IndexPart(Column("b"), not descending, nulls_first),
    )
    rows = [(value(kind, r), value(kind, r)) for _ in range(400)]

    def ordered(row: tuple[Any, Any]) -> tuple[Any, ...]:
        return tuple(
            sort_key(cell, part.descending, part.nulls_first) for cell, part in zip(row, parts, strict=True)
        )

    by_value = sorted(rows, key=ordered)
    by_bytes = sorted(rows, key=lambda row: key_of(row, parts))
    assert list(map(ordered, by_bytes)) == list(map(ordered, by_value))
    assert len({key_of(row, parts) for row in rows}) == len(set(rows))


def test_numbers_of_all_types_have_one_order() -> None:
    r = random.Random(5)
    numbers = [KINDS[kind](r) for kind in ("int", "decimal", "double") for _ in range(400)]
    numbers += [True, False, 1, 1.0, Decimal("1.00"), 10**40, Decimal("0.1"), 0.1]
    assert sorted(numbers, key=lambda n: key_of([n])) == sorted(numbers)
    assert key_of([1]) == key_of([1.0]) == key_of([Decimal("1.00")]) == key_of([True])
    assert key_of([math.nan]) > key_of([math.inf]) > key_of([10**40])


@pytest.mark.parametrize("kind", KINDS)
def test_values_come_back_as_they_were(kind: str) -> None:
    r = random.Random(kind)
    for _ in range(200):
        before = value(kind, r)
        after = from_stored(stored(before))
        assert (type(after), after) == (type(before), before)
    assert from_stored(stored(10**30)) == 10**30
    assert from_stored(stored(math.nan)) is math.nan


def test_sums_of_floats_leave_no_trace_of_rounding() -> None:
    r = random.Random(3)
    values = [r.choice([1e16, 1.0, -3.5e-9, 0.1, 1e300]) * r.uniform(-1, 1) for _ in range(200)]
    total: Any = None
    for number in values:
        total = added(total, number, +1)
    assert total == float(sum(map(Fraction, values), Fraction(0)))
    for number in values[:-1]:
        total = added(from_stored(stored(total)), number, -1)
    assert (total, type(total)) == (values[-1], ExactSum)
    assert math.isnan(added(added(total, math.inf, 1), -math.inf, 1))
    assert added(added(total, math.inf, 1), math.inf, -1) == values[-1]
    assert added(Decimal("0.10"), Decimal("1e-20"), 1) - Decimal("0.10") == Decimal("1e-20")


TABLE = StoredTable("t_1", "t", ("id", "a", "b", "s"), ("id",))


def index_of(*parts: IndexPart, where: tuple[Any, ...] = (), include: tuple[str, ...] = ()) -> StoredIndex:
    index = Index("t", parts, include, where)
    held = tuple(dict.fromkeys((*(p.expr.name for p in parts if isinstance(p.expr, Column)), "id", *include)))
    return StoredIndex(index_id(index, "t_1"), "t_1", index, held)


INDEXES = (
    index_of(IndexPart(Column("a")), IndexPart(Column("b"), descending=True, nulls_first=False)),
    index_of(IndexPart(Column("b"), nulls_first=False), include=("s",)),
    index_of(IndexPart(call("token", Column("s"))), IndexPart(Column("a"), descending=True)),
    index_of(IndexPart(Column("a")), where=(call("not_null", Column("s")),)),
)


def made(store: KeptStore) -> KeptStore:
    store.know([TABLE, *INDEXES])
    with store.transaction() as writing:
        for part in (TABLE, *INDEXES):
            writing.create(part)
        writing.mark_ready([TABLE.id, *(index.id for index in INDEXES)])
    return store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> KeptStore:
    return made(STORES[request.param](tmp_path))


def row(number: int, a: Any = None, b: Any = None, s: Any = None) -> dict[str, Any]:
    return {"id": number, "a": a, "b": b, "s": s}


def test_a_row_is_got_put_and_deleted(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(1, 5))
        writing.put("t_1", row(1, 6))
        assert writing.get("t_1", (1,)) == row(1, 6)
        assert not writing.delete("t_1", row(2))
        assert writing.delete("t_1", row(1))
        writing.put("t_1", row(3, 7))
    with store.snapshot() as snapshot:
        assert snapshot.multi_get("t_1", [(3,), (1,)]) == [row(3, 7), None]
        assert [entry["id"] for entry in snapshot.scan(INDEXES[0].index, (6,), table="t_1")] == []
        assert [entry["id"] for entry in snapshot.scan(INDEXES[0].index, (7,), table="t_1")] == [3]


def test_a_transaction_is_all_or_nothing(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(1))
        writing.set_times({"t": 10, "u": 10})
    with pytest.raises(ZeroDivisionError):
        _fail_inside(store)
    with store.transaction() as writing:
        writing.set_times({"u": None})
    with store.snapshot() as snapshot:
        assert (snapshot.get("t_1", (1,)), snapshot.get("t_1", (2,))) == (row(1), None)
        assert snapshot.times() == {"t": 10}


def _fail_inside(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(2))
        writing.set_times({"t": 20})
        raise ZeroDivisionError


def test_a_snapshot_does_not_move(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(1))
        writing.set_times({"t": 1})
    with store.snapshot() as snapshot:
        assert snapshot.times() == {"t": 1}
        with store.transaction() as writing:
            writing.put("t_1", row(2))
            writing.set_times({"t": 2})
        assert (snapshot.get("t_1", (2,)), snapshot.times()) == (None, {"t": 1})
    assert store.times() == {"t": 2}


def test_parts_come_are_filled_and_go(store: KeptStore) -> None:
    late = index_of(IndexPart(Column("s")), include=("b",))
    with store.transaction() as writing:
        writing.put("t_1", row(1, s="x", b=4))
    with store.transaction() as writing:
        writing.create(late)
        writing.fill(late.id, [entry for _, entry in writing.rows("t_1")])
        assert late.id not in writing.ready()
        writing.mark_ready([late.id])
    with store.snapshot() as snapshot:
        assert late.id in snapshot.ready()
        assert snapshot.scan(late.index, ("x",), table="t_1") == [{"s": "x", "id": 1, "b": 4}]
    with store.transaction() as writing:
        writing.drop(late.id)
    assert late.id not in store.parts()


@pytest.mark.parametrize("seed", range(6))
def test_scans_are_those_of_the_store_in_memory(seed: int, tmp_path: Path) -> None:
    r = random.Random(seed)
    kind = r.choice(["int", "decimal", "double", "string", "date"])
    stores = [made(make(tmp_path / name)) for name, make in STORES.items()]
    for _ in range(150):
        changed = row(
            r.randint(0, 60), r.choice([None, 1, 2, 3]), value(kind, r), r.choice([None, "a b", "B c", ""])
        )
        deleting = r.random() < 0.3
        for store in stores:
            with store.transaction() as writing:
                _ = writing.delete("t_1", changed) if deleting else writing.put("t_1", changed)
    for _ in range(120):
        index = r.choice(
            [*(stored.index for stored in INDEXES), Index("t", (IndexPart(Column("id")),), primary=True)]
        )
        prefix = _prefix(r, index, kind)
        interval, after = _range(r, index, prefix, kind)
        asked = (index, prefix, interval, r.random() < 0.4, r.choice([None, 1, 3]), after, "t_1")
        answers = []
        for store in stores:
            with store.snapshot() as snapshot:
                answers.append(list(snapshot.scan(*asked)))
        assert answers[0] == answers[1], asked


def _of_part(r: random.Random, index: Index, position: int, kind: str) -> Any:
    expr = index.parts[position].expr
    name = expr.name if isinstance(expr, Column) else "word"
    choices = {
        "a": lambda: r.choice([1, 2, 3]),
        "id": lambda: r.randint(0, 60),
        "word": lambda: r.choice("abc"),
    }
    return choices.get(name, lambda: KINDS[kind](r))()


def _prefix(r: random.Random, index: Index, kind: str) -> tuple[Any, ...]:
    length = r.randint(0, len(index.parts))
    return tuple(_of_part(r, index, position, kind) for position in range(length))


def _range(r: random.Random, index: Index, prefix: tuple[Any, ...], kind: str) -> tuple[Interval | None, Any]:
    if len(prefix) >= len(index.parts):
        return None, ...
    edges = sorted(_of_part(r, index, len(prefix), kind) for _ in range(2))
    interval = r.choice([None, Interval(), Interval(edges[0], r.random() < 0.5, edges[1], r.random() < 0.5),
                         Interval(low=edges[0]), Interval(high=edges[1], high_open=True)])  # fmt: skip
    return interval, r.choice([..., ..., edges[0]])


def test_another_process_reads_while_one_writes(tmp_path: Path) -> None:
    store = made(SqliteStore(str(tmp_path / "store.sqlite")))
    reading = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
        "print(c.execute('SELECT time FROM hw_times').fetchall(), c.execute('SELECT count(*) FROM t_1').fetchone())"
    )
    with store.transaction() as writing:
        writing.put("t_1", row(1))
        writing.set_times({"t": 1})
    with store.transaction() as writing:
        writing.put("t_1", row(2))
        writing.set_times({"t": 2})
        seen = subprocess.run(
            [sys.executable, "-c", reading, str(tmp_path / "store.sqlite")],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert seen.stdout.strip() == "[(1,)] (1,)"


def test_a_process_that_is_killed_leaves_the_last_whole_transaction(tmp_path: Path) -> None:
    made(SqliteStore(str(tmp_path / "store.sqlite"))).close()
    dying = (
        "import sqlite3, sys, os, signal; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN IMMEDIATE'); c.execute('INSERT INTO hw_times VALUES (?, 1)', ('t',));"
        "c.execute('COMMIT'); c.execute('BEGIN IMMEDIATE'); c.execute('UPDATE hw_times SET time = 2');"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", dying, str(tmp_path / "store.sqlite")], check=False)
    again = SqliteStore(str(tmp_path / "store.sqlite"))
    again.know([TABLE, *INDEXES])
    assert again.times() == {"t": 1}
    with again.transaction() as writing:
        writing.set_times({"t": 3})
    assert again.times() == {"t": 3}

"""Every store is held to one protocol, and to the store in memory; keys sort as values, values come back as they were."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from headwater.algebra.expressions.tree import Column
from headwater.bounds.plans.plan import IndexPart
from headwater.bounds.plans.store import sort_key
from headwater.serve.store.backends import filling as module
from headwater.serve.store.backends.keys import key_of
from headwater.serve.store.backends.sqlite import SqliteStore
from headwater.serve.store.backends.values import ExactSum, added, as_bytes, from_stored, stored
from headwater.serve.store.protocol import KeptStore
from support.store.conformance import (
    CHECKS,
    INDEXES,
    KINDS,
    TABLE,
    made,
    row,
    same_scans,
    value,
    what_is_filled_is_what_is_put,
)
from support.store.memory import MemoryKept

Make = Callable[[Path], KeptStore]
STORES: dict[str, Make] = {
    "memory": lambda folder: MemoryKept(),
    "sqlite": lambda folder: SqliteStore(str(folder / "store.sqlite")),
}


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
        for held in (stored(before), as_bytes(before)):
            after = from_stored(held)
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


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", STORES)
def test_a_store_keeps_the_protocol(name: str, check: Callable[[KeptStore], None], tmp_path: Path) -> None:
    check(made(STORES[name](tmp_path)))


def test_a_part_is_sorted_on_disk_if_it_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IN_MEMORY", 10)
    monkeypatch.setattr(module, "IN_TRANSACTION", 9)
    what_is_filled_is_what_is_put(made(SqliteStore(str(tmp_path / "store.sqlite"))))


@pytest.mark.parametrize("seed", range(6))
def test_scans_are_those_of_the_store_in_memory(seed: int, tmp_path: Path) -> None:
    same_scans([made(make(tmp_path / name)) for name, make in STORES.items()], seed)


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

"""The ledger of files and the dead letters stay few files, and a look costs what is new."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from headwater.capture.dead_letters import write_dead_letters
from headwater.capture.files.ledger import Ledger
from headwater.capture.intake.batch import Rejection
from headwater.capture.intake.token import Token
from headwater.clock import ManualClock
from headwater.model import Retention
from headwater.storage.records.system_tables import keep_system_tables
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters


def take(ledger: Ledger, *names: str) -> None:
    ledger.take([(name, 1, 1) for name in names])


def test_a_look_reads_only_what_is_new(warehouse: Warehouse, clock: ManualClock) -> None:
    ledger = Ledger(warehouse, "t", clock)
    for number in range(5):
        take(ledger, f"{number}.csv")
    assert len(ledger.taken()) == 5
    for file in warehouse.system("files").snapshot().files:
        Path(file.path).unlink()  # nobody opens it again
    take(ledger, "5.csv")
    assert [file.sequence for file in ledger.taken().values()] == [1, 2, 3, 4, 5, 6]
    assert [file.file for file in ledger.after(4)] == ["4.csv", "5.csv"]


def test_a_merged_ledger_is_the_same_for_those_who_read_it_before_and_after(
    warehouse: Warehouse, clock: ManualClock
) -> None:
    before, other = Ledger(warehouse, "t", clock), Ledger(warehouse, "u", clock)
    for number in range(40):
        take(before, f"{number}.csv")
        take(other, f"{number}.csv", f"{number}-again.csv")
    expected = list(before.taken().values())
    clock.advance(timedelta(days=1))
    keep_system_tables(warehouse, Retention(), clock.now())
    assert len(warehouse.system("files").snapshot().files) == 1
    for ledger in (before, Ledger(Warehouse(warehouse.root), "t", clock)):
        assert list(ledger.taken().values()) == expected
        take(ledger, f"later-{ledger is before}.csv")
        expected = list(ledger.taken().values())
        assert [file.sequence for file in expected] == list(range(1, len(expected) + 1))
    assert len(other.taken()) == 80


def letters(warehouse: Warehouse, clock: ManualClock, number: int, token: Token | None = None) -> None:
    rejected = [Rejection(line, f"record {number}", "wrong", None) for line in (1, 2)]
    write_dead_letters(warehouse, "t", rejected, clock, token)


def test_dead_letters_are_merged_by_day_and_kept_by_age(warehouse: Warehouse, clock: ManualClock) -> None:
    for number in range(30):
        letters(warehouse, clock, number, Token("w", number))
        clock.advance(timedelta(days=1))
    keep_system_tables(warehouse, Retention(dead_letters=timedelta(days=10)), clock.now())
    assert {letter["record"] for letter in dead_letters(warehouse)} == {
        f"record {number}" for number in range(20, 30)
    }
    letters(warehouse, clock, 29, Token("w", 29))  # what was written before is still known
    letters(warehouse, clock, 30)
    letters(warehouse, clock, 31)
    clock.advance(timedelta(days=1))
    keep_system_tables(warehouse, Retention(), clock.now())
    assert len(dead_letters(warehouse)) == 24
    assert len(warehouse.system("dead_letters").snapshot().files) == 11


def test_a_warehouse_without_system_tables_gets_none(warehouse: Warehouse, clock: ManualClock) -> None:
    keep_system_tables(warehouse, Retention(), clock.now())
    assert not Path(warehouse.root).exists()

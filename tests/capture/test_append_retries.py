"""An append is committed once and whole, whoever is killed, repeated or racing."""

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
from typing import Any

import pytest

from headwater.capture.intake.append import Appender, append
from headwater.capture.intake.token import BatchId, Token
from headwater.capture.storage_errors import StorageError
from headwater.clock import ManualClock
from headwater.storage.warehouse import Warehouse
from support.capture import LOG, ORDERS, dead_letters, order, rows_of


def test_a_token_commits_once(warehouse: Warehouse, clock: ManualClock) -> None:
    for attempt in range(3):
        result = append(warehouse, LOG, [{"level": "a", "n": 1}, {"n": "wrong"}], clock, BatchId("call-1"))
        assert result.repeated == (attempt > 0)
    append(warehouse, LOG, [{"level": "b", "n": 1}], clock, Token("producer", 7))
    assert append(warehouse, LOG, [{"level": "b", "n": 2}], clock, Token("producer", 6)).repeated
    assert not append(warehouse, LOG, [{"level": "b", "n": 3}], clock, Token("producer", 8)).repeated
    assert rows_of(warehouse, "log") == Counter({("a", 1): 1, ("b", 1): 1, ("b", 3): 1})
    assert len(dead_letters(warehouse)) == 1


def test_a_token_counts_also_when_all_was_rejected(warehouse: Warehouse, clock: ManualClock) -> None:
    append(warehouse, LOG, [{"n": "wrong"}], clock, BatchId("x"))
    assert append(warehouse, LOG, [{"n": 1}], clock, BatchId("x")).repeated
    assert rows_of(warehouse, "log") == Counter()


def test_killed_between_dead_letters_and_commit(
    warehouse: Warehouse, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    appender = Appender(warehouse, LOG, clock)
    records: list[Mapping[str, Any]] = [{"level": "a", "n": 1}, {"n": "wrong"}]
    with monkeypatch.context() as patch:
        patch.setattr(Appender, "_write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            appender.append(records, BatchId("t"))
    assert rows_of(warehouse, "log") == Counter()
    again = append(Warehouse(warehouse.root), LOG, records, clock, BatchId("t"))
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


def test_other_writers_are_seen(warehouse: Warehouse, clock: ManualClock) -> None:
    """An appender that remembers columns still sees what others committed, and compaction's new files."""
    appender = Appender(warehouse, ORDERS, clock)
    appender.append([order(1, "a")])
    appender.append([{"op": "update", "row": order(1, "b")}])
    append(Warehouse(warehouse.root), ORDERS, [order(2, "x"), {"op": "update", "row": order(1, "c")}], clock)
    result = appender.append([order(2, "y"), {"op": "update", "row": order(1, "d")}])
    assert [rejection.line for rejection in result.reasons] == [1]
    assert rows_of(warehouse, "orders") == Counter({(1, "d", None): 1, (2, "x", None): 1})


def test_tokens_outlive_checkpoints_and_cleaned_logs(warehouse: Warehouse, clock: ManualClock) -> None:
    from deltalake import DeltaTable

    append(warehouse, LOG, [{"n": 1}], clock, BatchId("first"))
    for number in range(5):
        append(warehouse, LOG, [{"n": number}], clock, Token("producer", number))
    log = DeltaTable(warehouse.source("log").path)
    log.create_checkpoint()
    folder = os.path.join(log.table_uri.removeprefix("file://"), "_delta_log")
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".json"))[:-1]:
        os.remove(os.path.join(folder, name))
    fresh = Warehouse(warehouse.root)
    assert append(fresh, LOG, [{"n": 1}], clock, BatchId("first")).repeated
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
from headwater.capture.intake.append import Appender
from headwater.capture.intake.token import Token
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


@pytest.mark.slow
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
        stored = rows_of(warehouse, "log")
        last = max((row[1] for row in stored), default=0)
        assert stored == Counter({("x", number): 3 for number in range(1, last + 1)})
        if last:
            assert append(warehouse, LOG, [{"level": "x", "n": 0}], clock, Token("crasher", last)).repeated
    assert last > 0
    assert len(dead_letters(warehouse)) in (last, last + 1)  # a killed call may have written its letter only


RACER = """
import sys
from headwater.capture.intake.append import Appender
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


@pytest.mark.slow
def test_two_processes_write_one_table(warehouse: Warehouse) -> None:
    """They race for the same keys: each key is accepted once, whoever wins, and no call fails."""
    command = [sys.executable, "-c", RACER, warehouse.root]
    racers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "ab"]
    answers = [racer.communicate()[0] for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0]
    assert sum(int(answer) for answer in answers) == 60
    stored = rows_of(warehouse, "t")
    assert sorted(row[0] for row in stored.elements()) == list(range(-1, 60))

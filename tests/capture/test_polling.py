"""A watermark advances while a source is written without a pause, and never past what is committed."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from headwater.capture.intake.append import Appender, append
from headwater.capture.polling import ApiCapture, Polled
from headwater.clock import ManualClock, SystemClock, micros
from headwater.engine.run.capturing import AFTER_FAILURE, POLL_EVERY, Capturing
from headwater.model import Column, Table
from headwater.storage.source_clock import SourceClock
from headwater.storage.warehouse import Warehouse

TABLE = Table("t", (Column("id", "bigint"),))


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(str(tmp_path))


def test_while_somebody_writes_the_watermark_is_the_last_commit(warehouse: Warehouse) -> None:
    clock = ManualClock()
    capture = ApiCapture(warehouse, TABLE, clock)
    first = capture.poll().watermark
    clock.advance(timedelta(seconds=5))
    committed = append(warehouse, TABLE, [{"id": 1}], clock).time
    with warehouse.clock("t").turn():
        clock.advance(timedelta(seconds=5))
        polled = capture.poll()
    assert first < polled.watermark == committed
    assert polled.behind  # what the writer commits is still to come
    assert capture.poll() == Polled(0, clock.now())


def test_sources_go_to_the_time_that_another_has_reached(warehouse: Warehouse) -> None:
    """The clock was set back after `t` was written: `u` goes as far, and no view of both waits for an hour."""
    clock = ManualClock()
    captures = [ApiCapture(warehouse, replace(TABLE, name=name), clock) for name in ("t", "u")]
    clock.step(timedelta(hours=1))
    ahead = captures[0].poll().watermark
    clock.step(timedelta(hours=-1))
    assert captures[1].poll().watermark == ahead - micros(timedelta(hours=1))
    assert captures[1].poll(ahead).watermark == ahead
    committed = append(warehouse, replace(TABLE, name="u"), [{"id": 1}], clock).time
    assert committed == ahead + 1
    assert captures[0].poll(captures[1].poll(ahead).watermark).watermark == committed


def test_four_writers_do_not_hold_the_watermark_back(warehouse: Warehouse) -> None:
    """And whatever a poll says is complete stays so: no change is committed at or before it afterwards."""
    clock, stop = SystemClock(), threading.Event()
    capture = ApiCapture(warehouse, TABLE, clock)
    watermark = capture.poll().watermark

    def write() -> None:
        appender = Appender(warehouse, TABLE, clock)
        while not stop.is_set():
            appender.append([{"id": 1}])

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    counted: list[tuple[int, int]] = []
    try:
        for _ in range(15):
            while (warehouse.clock("t").last() or 0) <= watermark:
                stop.wait(0.001)  # at least one commit between two polls
            watermark = capture.poll().watermark
            counted.append((watermark, warehouse.source("t").rows_between(0, watermark)))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    watermarks = [watermark for watermark, _ in counted]
    assert len(set(watermarks)) > 10
    assert watermarks == sorted(watermarks)
    assert counted == [(mark, warehouse.source("t").rows_between(0, mark)) for mark in watermarks]


@pytest.mark.parametrize(
    ("stored", "last"),
    [
        (b"00000000000000000007" * 2, 7),
        (b"00000000000000000007", None),  # written by an earlier version
        (b"00000000000000000019" + b"00000000000000000009", None),  # a write half done
        (b"", None),
    ],
)
def test_a_time_half_written_is_not_read(tmp_path: Path, stored: bytes, last: int | None) -> None:
    (tmp_path / "t").write_bytes(stored)
    clock = SourceClock(str(tmp_path / "t"))
    assert clock.last() == last
    with clock.turn() as turn:
        assert turn is not None
        turn.store(turn.take(30))
    assert clock.last() == 30


def test_a_source_without_a_clock_has_no_time(tmp_path: Path) -> None:
    assert SourceClock(str(tmp_path / "none")).last() is None


class Scripted:
    """A capture that returns, or raises, what it was given."""

    tables = ("t", "u")

    def __init__(self, *outcomes: Polled | Exception) -> None:
        self.outcomes = list(outcomes)

    def poll(self, at: int = 0) -> Polled:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def close(self) -> None: ...


def test_each_capture_counts_its_own_changes() -> None:
    outcomes = (
        Polled(3, 10, behind=True), Polled(0, 9, behind=True), OSError("gone\nfor good"), Polled(2, 30),
    )  # fmt: skip
    capturing = Capturing(Scripted(*outcomes), ManualClock())
    assert capturing.name == "t, u"
    assert capturing.poll_safely() == timedelta()  # there is more: at once
    assert capturing.poll_safely() == POLL_EVERY  # nothing came, so not at once
    assert (capturing.changes, capturing.watermark) == (3, 10)
    assert capturing.poll_safely() == AFTER_FAILURE
    assert capturing.error == "OSError: gone"
    assert capturing.poll_safely() == POLL_EVERY
    assert (capturing.changes, capturing.watermark, capturing.error) == (5, 30, "")

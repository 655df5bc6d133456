"""`run --until-idle`: a capture that fails is said at the end, and keeps no other from being applied."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from headwater.capture.polling import Polled
from headwater.clock import ManualClock
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.loop import Loop
from headwater.engine.run.stopping import StoppedError, cancelled_after_grace, unless_stopped
from headwater.engine.run.until_idle import until_idle
from headwater.errors import HeadwaterError, InputError
from headwater.storage.records.capture_health import WaitingFile


@dataclass
class Scripted:
    """A capture of one table that answers as it was told; the last answer is repeated."""

    table: str
    answers: list[Polled]
    polls: int = 0

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.table,)

    def poll(self, at: int = 0) -> Polled:
        self.polls += 1
        return self.answers[min(self.polls, len(self.answers)) - 1]

    def close(self) -> None: ...


@dataclass
class PushedViews:
    """What the executor was asked to push."""

    catalog: Any
    watermarks: dict[str, int] = field(default_factory=dict)
    pushed: list[tuple[list[str], int | None]] = field(default_factory=list)
    runner: Any = field(default_factory=lambda: SimpleNamespace(time_of=lambda name: 1, compact=lambda: None))

    def captured(self, views: list[str]) -> dict[str, int]:
        return {view: self.watermarks[view[1:]] for view in views}

    def push_now(self, views: list[str], until: int | None, everything: bool = False) -> None:
        self.pushed.append((list(views), until))

    def publish_now(self) -> None: ...

    def close(self) -> None: ...


def run_of(*captures: Scripted) -> tuple[Any, PushedViews]:
    """A run with one view over each captured table."""
    tables = [capture.table for capture in captures]
    catalog = SimpleNamespace(
        kept={f"v{table}": None for table in tables}, sources=lambda view: frozenset({view[1:]})
    )
    executor = PushedViews(catalog)
    clock = ManualClock()
    capturing = [Capturing(capture, clock) for capture in captures]
    run = SimpleNamespace(
        streams=[], stop=threading.Event(), clock=clock, captures=capturing, executor=executor,
        loop=Loop(cast("Any", executor), capturing, clock), catalog=catalog, runner=executor.runner,
        auditor=SimpleNamespace(snapshot=lambda promised: None), write_captures=lambda: None,
        keep_system_tables=lambda: None, expire=lambda: None, vacuum=lambda: None, keep_sink=lambda settle=False: None,
    )  # fmt: skip
    return run, executor


def test_a_capture_that_fails_leaves_the_others_going() -> None:
    error = InputError("HW845", "other columns", hint="Declare them.")
    broken = Scripted("b", [Polled(0, 3, behind=True, error=error)])
    late = Scripted("a", [Polled(1, 5, behind=True), Polled(1, 9)])
    run, executor = run_of(late, broken)
    with pytest.raises(HeadwaterError, match="the capture of b failed: other columns") as raised:
        until_idle(run)
    assert raised.value.code == "HW831"
    assert raised.value.hint.startswith("Declare them. What could be captured is in the views.")
    assert executor.pushed == [(["va"], 9)]
    assert (late.polls, broken.polls) == (2, 1)


def test_a_file_that_waits_is_said_after_everything_else_was_applied() -> None:
    waiting = WaitingFile("in/x.csv", "Permission denied", 1, 1)
    run, executor = run_of(Scripted("a", [Polled(4, 5, waiting=(waiting,))]), Scripted("b", [Polled(0, 7)]))
    with pytest.raises(
        HeadwaterError, match=r"in/x.csv cannot be read and is tried again: Permission denied"
    ):
        until_idle(run)
    assert executor.pushed == [(["va", "vb"], 5)]


def test_a_source_goes_to_the_time_that_others_have_ahead_of_the_clock() -> None:
    now = ManualClock().now()
    follows = Scripted("b", [Polled(0, now), Polled(0, now + 9)])
    run, executor = run_of(Scripted("a", [Polled(1, now + 9)]), follows)
    until_idle(run)
    assert executor.pushed == [(["va", "vb"], now + 9)]
    assert follows.polls == 2


@dataclass
class Stream:
    """A stream that takes in what is there within some looks, or for ever."""

    looks: float
    table: Any = field(default_factory=lambda: SimpleNamespace(name="clicks"))
    problem: str = ""

    @property
    def active(self) -> bool:
        self.looks -= 1
        return self.looks > 0


def test_streams_are_waited_for_until_they_have_taken_in_what_was_there() -> None:
    run, executor = run_of(Scripted("a", [Polled(1, 5)]))
    run.streams = [Stream(3), Stream(1)]
    until_idle(run)
    assert [stream.looks for stream in run.streams] == [0, 0]
    assert executor.pushed == [(["va"], 5)]


def test_a_stream_that_never_ends_is_left_when_the_run_is_asked_to_stop() -> None:
    run, executor = run_of(Scripted("a", [Polled(1, 5)]))
    run.streams = [Stream(float("inf"))]
    run.stop.set()
    until_idle(run)
    assert executor.pushed == []


def test_a_stream_that_failed_is_said_after_everything_else_was_applied() -> None:
    run, executor = run_of(Scripted("a", [Polled(1, 5)]))
    run.streams = [Stream(1, problem="no broker answers")]
    with pytest.raises(HeadwaterError, match="the capture of clicks failed: no broker answers"):
        until_idle(run)
    assert executor.pushed == [(["va"], 5)]


def test_a_server_that_does_not_answer_keeps_nobody_from_stopping() -> None:
    """The poll of an unreachable server waits for its connection; the run does not wait for the poll."""
    asked, let_go = threading.Event(), threading.Event()

    class Unreachable(Scripted):
        def poll(self, at: int = 0) -> Polled:
            asked.set()
            let_go.wait()
            return super().poll()

    run, executor = run_of(Unreachable("a", [Polled(1, 5)]))
    stopping = threading.Thread(target=lambda: (asked.wait(), run.stop.set()))
    stopping.start()
    try:
        until_idle(run)
    finally:
        let_go.set()
        stopping.join()
    assert executor.pushed == []


def test_a_push_is_cancelled_only_when_it_outlasts_the_grace() -> None:
    stop, cancelled = threading.Event(), threading.Event()
    with cancelled_after_grace(stop, cancelled.set, grace_s=0.01):
        assert not cancelled.wait(0.2)
        stop.set()
        assert cancelled.wait(60)


def test_work_is_left_when_the_run_is_asked_to_stop() -> None:
    stop, let_go = threading.Event(), threading.Event()
    assert unless_stopped(lambda: 7, stop) == 7
    with pytest.raises(ZeroDivisionError):
        unless_stopped(lambda: 1 // 0, stop)
    stop.set()
    with pytest.raises(StoppedError):
        unless_stopped(let_go.wait, stop)
    let_go.set()

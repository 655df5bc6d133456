"""Ctrl-C may come at any moment: also while a line is being printed, and a second time."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from headwater.cli.demo.demo import _Interrupt
from headwater.cli.stopping import stop_on_signals


class _Interrupted(io.RawIOBase):
    """A terminal at which somebody types Ctrl-C as soon as something is written to it."""

    def __init__(self) -> None:
        self.written = b""

    def writable(self) -> bool:
        return True

    def write(self, some: object) -> int:
        if not self.written:
            signal.raise_signal(signal.SIGINT)
        self.written += bytes(some)  # type: ignore[call-overload]
        return len(bytes(some))  # type: ignore[call-overload]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("install", [stop_on_signals, lambda: _Interrupt().install()], ids=["run", "demo"])
def test_ctrl_c_while_a_line_is_printed(
    install: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    install()
    terminal = _Interrupted()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BufferedWriter(terminal), line_buffering=True))
    print("a line", file=sys.stderr)
    assert terminal.written == b"a line\n"


TWICE = """
import signal, threading, time
from {module} import {name}
{install}
try:
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
finally:
    print("went on")
"""


@pytest.mark.parametrize(
    "script",
    [
        TWICE.format(
            module="headwater.cli.stopping", name="stop_on_signals", install="stop = stop_on_signals()"
        ),
        TWICE.format(module="headwater.cli.demo.demo", name="_Interrupt", install="_Interrupt().install()"),
    ],
    ids=["run", "demo"],
)
def test_a_second_ctrl_c_ends_the_process_without_a_word(script: str) -> None:
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 130
    assert ended.stdout == ""
    [line] = ended.stderr.splitlines()
    assert line.startswith("stopping")

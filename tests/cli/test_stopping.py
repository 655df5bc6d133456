"""Ctrl-C may come at any moment: also while a line is being printed."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable, Iterator

import pytest

from headwater.cli.demo import _Interrupt
from headwater.cli.run import stop_on_signals


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
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
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

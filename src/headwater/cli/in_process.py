"""A command in this process, as a user would type it: through `main`, with its output and exit status.

It starts in no time and finds Spark running.  What a command changes about the process (signals, the umask)
is put back.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from unittest.mock import patch

from headwater.bench.fuzz.steps import Ended

__all__ = ["command_in_process"]


class _TimeIsUp(BaseException):
    """Not an Exception: nothing that a command tries may catch it."""


def command_in_process(words: Sequence[str], seconds: float = 0) -> Ended:
    """`headwater WORDS`; with `seconds`, it is given up after that, and has no exit status."""
    from headwater.cli.app import main

    output, errors = io.StringIO(), io.StringIO()
    status: int | None = 0
    try:
        with (
            _restored(),
            _limited(seconds),
            redirect_stdout(output),
            redirect_stderr(errors),
            patch.object(sys, "argv", ["headwater", *words]),
        ):
            main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except _TimeIsUp:
        status = None
    return Ended(status, output.getvalue(), errors.getvalue())


@contextmanager
def _restored() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    umask = os.umask(0o077)
    os.umask(umask)
    try:
        yield
    finally:
        os.umask(umask)
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    if not seconds:
        yield
        return

    def give_up(_number: int, _frame: object) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

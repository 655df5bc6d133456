"""Ctrl-C, and a polite kill: the first one asks a command to stop, the second ends the process at once.

A process that is killed leaves nothing to clean up, so the second one is simply its end, without a traceback
from whatever was going on.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

__all__ = [
    "clean_up_on_signals",
    "end_at_once",
    "end_on_signals",
    "on_signals",
    "say_stopping",
    "stop_on_signals",
]

INTERRUPTED = 130
_SHOW_CURSOR = b"\x1b[?25h"  # a live table hides it


def stop_on_signals() -> threading.Event:
    """An event that Ctrl-C or a polite kill sets; a second one ends the process at once."""
    stop = threading.Event()

    def ask() -> None:
        if stop.is_set():
            end_at_once()
        stop.set()
        say_stopping()

    on_signals(ask)
    return stop


def end_on_signals() -> None:
    """For commands that have nothing to bring to an end: Ctrl-C ends the process at once."""
    on_signals(end_at_once)


def clean_up_on_signals() -> None:
    """For commands that start processes or mount a disk: a polite kill is a Ctrl-C, and ends those too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def on_signals(answer: Callable[[], object]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: answer())


def say_stopping() -> None:
    """Unbuffered, since the signal may come while another line is printed."""
    os.write(2, b"stopping: pushes under way have some seconds to end (Ctrl-C again ends at once)\n")


def end_at_once() -> NoReturn:
    if sys.stderr.isatty():
        os.write(2, _SHOW_CURSOR)
    os._exit(INTERRUPTED)

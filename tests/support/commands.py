"""The headwater command, as a user types it: in this process with the Spark that runs here, or as a process of its own.

A command in this process goes through `main`, so messages and exit statuses are those of the real one; it starts in
no time and finds Spark warm.  Processes are for what only a process shows: signals, kills, two at once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.in_process import command_in_process
from support.planted import PLANTED

HEADWATER = str(Path(sys.executable).with_name("headwater"))
# `run` without an end expects to live long; in a test it does not.
SHORT_LIVED = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


@dataclass(frozen=True)
class Done:
    status: int
    stdout: str
    stderr: str


def command(*words: object, status: int | None = 0) -> Done:
    """`headwater WORDS` in this process; with status None, however it ends."""
    texts = [str(word) for word in words]
    ended = command_in_process(texts)
    printed = f"{texts}: {ended.status}\n{ended.stdout}\n{ended.stderr}"
    assert ended.status is not None
    assert status in (ended.status, None), printed
    assert PLANTED not in ended.stdout + ended.stderr
    return Done(ended.status, ended.stdout, ended.stderr)


def answer(*words: object, status: int = 0) -> Any:
    """What the command says with `--json`."""
    return json.loads(command(*words, "--json", status=status).stdout)


@contextmanager
def process(log: Path, *words: object) -> Iterator[subprocess.Popen[bytes]]:
    """`headwater WORDS` as a process of its own; if it still runs at the end, it is interrupted as by Ctrl-C."""
    with log.open("ab") as out:
        running = subprocess.Popen(
            [HEADWATER, *map(str, words)],
            stdout=out,
            stderr=out,
            env=os.environ | SHORT_LIVED,
            start_new_session=True,
        )
        try:
            yield running
        finally:
            if running.poll() is None:
                running.send_signal(signal.SIGINT)
                running.wait(timeout=300)


def wait_for(reached: Callable[[], bool], seconds: float = 400) -> None:
    """A loaded machine may be slow: wait for the state, not for a time."""
    until = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < until, "never reached"
        time.sleep(0.2)

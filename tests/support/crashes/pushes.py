"""Pushes of a small world that are killed before each of their effects, for laws of what a push shows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from headwater.clock import ManualClock
from support.crashes.file_system import FileSystem
from support.crashes.states import States

__all__ = ["World", "crashes_of_a_push"]


class World(Protocol):
    """A project in a folder, and what was fed to it."""

    folder: Path
    clock: ManualClock

    def push(self) -> None:
        """By a process that starts now; the clock goes on before it."""

    def remembered(self) -> Callable[[], None]:
        """What brings back what was fed so far, whatever is fed meanwhile."""


def crashes_of_a_push(
    files: FileSystem, world: World, concerned: str, afterwards: Callable[[int], None]
) -> int:
    """Kill a push before each effect at names that contain `concerned`, and call `afterwards` with its number.

    What is done then is undone, and so is the push; returns how many crash points there were.
    """
    states = States(world.folder, files)
    states.save()
    before, points = world.clock.now(), 0
    with states.watched():
        world.push()
    pushed_at = world.clock.now()
    for number in [at for at, effect in enumerate(files.trace, 1) if concerned in effect]:
        states.as_before(number)
        _set(world.clock, pushed_at)
        undo = world.remembered()
        afterwards(number)
        undo()
        files.restart()
        points += 1
    states.restore()
    _set(world.clock, before)
    return points


def _set(clock: ManualClock, time: int) -> None:
    clock.advance(timedelta(microseconds=time - clock.now()))

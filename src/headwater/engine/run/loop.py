"""The loop of a run: takes the watermarks over, adopts changed project files, lets the executor take a step.

The thread that turns it owns the executor's state and the catalog.  Nothing that fails in a turn ends the
loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.clock import Clock, micros
from headwater.engine.executor.executor import Executor
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.guard import Guard

__all__ = ["Loop"]

STEP_EVERY = timedelta(milliseconds=50)
SHOW_EVERY = timedelta(seconds=1)


@dataclass(slots=True)
class Loop:
    executor: Executor
    captures: Sequence[Capturing]
    clock: Clock
    adopt: Callable[[], object] = lambda: None
    guard: Guard = field(default_factory=Guard)

    def take_watermarks(self) -> None:
        """What the captures have reached is what the executor may push to."""
        reached = max((capturing.watermark for capturing in self.captures), default=0)
        for capturing in self.captures:
            capturing.reached = reached
            for table in capturing.capture.tables:
                self.executor.watermarks[table] = capturing.watermark_of(table)

    def turn(self) -> None:
        self.take_watermarks()
        self.guard.do("adoption", self.adopt)
        self.guard.do("scheduling", self.executor.step)

    def keep(
        self,
        stop: threading.Event,
        duration: timedelta | None = None,
        show: Callable[[], object] | None = None,
    ) -> None:
        """Keep the views until `stop` is set, or for a while; `show` is called every second."""
        begun = self.clock.monotonic()
        shown = begun - micros(SHOW_EVERY)
        while not stop.is_set() and (duration is None or self.clock.monotonic() - begun < micros(duration)):
            self.turn()
            if show is not None and self.clock.monotonic() - shown >= micros(SHOW_EVERY):
                shown = self.clock.monotonic()
                show()
            self.clock.sleep(STEP_EVERY)

"""A source of the simulation: what it has captured, and up to which time.

Its *content* is how many microseconds of changes have been captured; its watermark is a time of the wall
clock, but never goes back although that may.

    live       everything up to now is captured
    quiet      the same, and nothing changes: the watermark moves, the content does not
    stopped    nothing is captured
    late       what was missed while it was stopped is captured, at several times the speed of life
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from headwater.capture.polling import Polled
from headwater.clock import Clock
from headwater.scheduling.schedule import NEVER

__all__ = ["SimulatedSource"]

MOST_REMEMBERED = 4_000


@dataclass(slots=True)
class SimulatedSource:
    """A Capture, polled by the real Capturing."""

    name: str
    clock: Clock
    stopped: bool = False
    quiet: bool = False
    failing: bool = False
    speed: float = 4.0
    lag: int = 0  # microseconds of life that were missed
    content: int = 0
    watermark: int = 0
    _polled_at: int = 0
    _times: list[int] = field(default_factory=list)
    _contents: list[int] = field(default_factory=list)

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def live(self) -> bool:
        return not self.stopped and not self.failing and self.lag == 0

    def poll(self, at: int = 0) -> Polled:
        now, passed = self.clock.monotonic(), self.clock.monotonic() - self._polled_at
        self._polled_at = now
        if self.stopped or self.failing:
            self.lag += passed
            if self.failing:
                raise ConnectionError(f"{self.name} does not answer")
            return Polled(0, self.watermark)
        caught_up = min(self.lag, int((self.speed - 1) * passed))
        self.lag -= caught_up
        changed = 0 if self.quiet else passed + caught_up
        self.content += changed
        # A clock that was set back: changes get the next times there are.
        reached = at if self.lag == 0 else 0
        self.watermark = max(self.watermark + (changed > 0), self.clock.now() - self.lag, reached)
        self._remember()
        return Polled(changed // 1_000_000, self.watermark, behind=self.lag > 0)

    def _remember(self) -> None:
        self._times.append(self.watermark)
        self._contents.append(self.content)
        if len(self._times) > MOST_REMEMBERED:
            del self._times[: MOST_REMEMBERED // 2], self._contents[: MOST_REMEMBERED // 2]

    def content_at(self, time: int) -> int:
        """The content as of a time; what was captured longer ago than is remembered counts as one."""
        if time <= NEVER or not self._times:
            return 0
        return self._contents[max(bisect_right(self._times, time) - 1, 0)]

    def close(self) -> None:
        return None

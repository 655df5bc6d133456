"""What the executor remembers of a view; the Delta log knows the rest.

Owned by the thread that calls `Executor.step`: nobody else writes here.  Instants are monotonic.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.engine.executor.runner import PlainTable, Publication
from headwater.errors import brief, trace
from headwater.scheduling.backoff import poisoned_retry_after, recompute_after, retry_after, rewrite_after
from headwater.scheduling.schedule import NEVER

__all__ = ["PlainState", "ViewState"]


@dataclass(slots=True)
class PlainState:
    """A view's plain table: whether it is up to its timeline, and if not, when that is mended."""

    sure: bool = False  # it was brought up to the timeline since the run began
    publish_at: int | None = None
    rewrite: bool = False  # it must be written anew as a whole
    running: bool = False
    missed: bool = False  # a push left it alone meanwhile
    rewrite_took: int = 0
    failures: int = 0
    error: str = ""
    trace: str = ""

    @property
    def waiting(self) -> bool:
        """Whether pushes leave it alone."""
        return self.running or (self.rewrite and self.publish_at is not None)

    def settle(self, publication: Publication, now: int) -> None:
        """Take note of what became of it at the end of a push, or by itself."""
        match publication.state:
            case PlainTable.CURRENT:
                self.sure, self.failures, self.error, self.trace = True, 0, "", ""
                self.rewrite, self.publish_at = False, now if self.missed else None
                self.missed = False
            case PlainTable.TOO_LARGE:
                self.rewrite, self.publish_at = True, now + rewrite_after(self.rewrite_took)
            case PlainTable.SKIPPED:
                self.missed = self.waiting
                self.publish_at = self.publish_at if self.waiting else now
            case PlainTable.FAILED:
                assert publication.error is not None
                self.sure, self.failures = False, self.failures + 1
                self.error, self.trace = brief(publication.error), trace(publication.error)
                self.publish_at = now + retry_after(self.failures)


@dataclass(slots=True)
class ViewState:
    name: str
    running: bool = False
    alone: bool = False  # after a failure it is pushed by itself
    retry_at: int = 0
    held_until: int = 0  # changed project files wait for it to be at rest
    failures: int = 0
    error: str = ""
    trace: str = ""  # the error with its traceback
    pushes: int = 0
    company: frozenset[str] = frozenset()  # the views it was last pushed with
    time: int = NEVER  # as its log last said
    moved_at: int = 0  # when the push began that gave it this time, or when that was first seen
    started_at: int = 0  # when the last push began that it was part of
    captured: int = NEVER  # how far its sources were captured then
    tried_at: int = 0  # when its last push ended
    recompute_at: int = 0  # not before: recomputing it was in vain, and costs
    plain: PlainState = field(default_factory=PlainState)

    @property
    def able_at(self) -> int:
        """No push of it starts before."""
        return max(self.retry_at, self.held_until)

    def started(self, now: int, captured: int) -> None:
        """A push begins that will move its time."""
        self.started_at, self.captured = now, captured

    def seen(self, time: int, now: int, clock_is_behind: bool) -> None:
        """What its log says now.

        While the clock is behind, times do not tell how much is left out if a push did not go as far as the
        sources were captured: the view counts as if it had not moved.
        """
        if time != self.time:
            if not clock_is_behind or time >= self.captured:
                self.moved_at = self.started_at if self.started_at > self.moved_at else now
            self.time = time

    def pushed(self, company: frozenset[str], now: int) -> None:
        self.running, self.alone, self.retry_at, self.tried_at = False, False, 0, now
        self.failures, self.error, self.trace, self.recompute_at = 0, "", "", 0
        self.pushes += 1
        self.company = company

    def suspected(self, error: Exception, now: int) -> None:
        """A push of several views failed; which of them it was is found by pushing each by itself."""
        self.running, self.alone, self.tried_at = False, True, now
        self.blame(error)

    def failed(self, error: Exception, now: int) -> None:
        self.running, self.tried_at = False, now
        self.failures += 1
        self.blame(error)
        self.retry_at = now + retry_after(self.failures)

    def blame(self, error: Exception) -> None:
        self.error, self.trace = brief(error), trace(error)

    def poisoned(self, error: Exception, now: int, took: int, recomputed: bool) -> None:
        """A row makes it fail, until another change mends that: it is tried often, but recomputed rarely."""
        self.running, self.alone, self.tried_at = False, True, now
        self.failures += 1
        self.blame(error)
        self.retry_at = now + poisoned_retry_after(took)
        if recomputed:
            self.recompute_at = now + recompute_after(took)

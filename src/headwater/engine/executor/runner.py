"""What the executor needs of whoever does the pushes: Spark in a run, a fake in tests and the simulation.

The executor decides and remembers; a Runner reads logs, pushes, commits and publishes.  Work that is
started gives a handle; it runs beside the executor, which asks `done()` between two steps.  A failure of
the work is part of its outcome:  `result()` does not raise.  Reading a log may raise; the executor blames
the view it asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, TypeVar

from headwater.catalog import Catalog
from headwater.engine.executor.times import Logs
from headwater.scheduling.forecast import Forecast

__all__ = ["Handle", "PlainTable", "Publication", "PublishOrder", "PushOrder", "PushOutcome", "Runner"]

T_co = TypeVar("T_co", covariant=True)


class Handle(Protocol[T_co]):
    """Work under way. A `concurrent.futures.Future` is one."""

    def done(self) -> bool: ...

    def result(self) -> T_co:
        """What became of it; waits until it is done."""
        ...


@dataclass(frozen=True, slots=True)
class PushOrder:
    """Bring views, and what they read, to one time."""

    views: frozenset[str]
    target: int
    captured: Mapping[str, int]  # how far the sources of each view are captured
    first: bool = False  # a first computation, beside the common pushes
    hints: bool = True  # let Spark have hints; without them after a failure
    everything: bool = False  # stages that choose show all that waits, however long it takes
    recompute: bool = True  # a view whose changes cannot be computed may be recomputed
    attempts: Mapping[str, int] = field(default_factory=dict)
    publish: frozenset[str] = frozenset()  # whose plain tables may lag behind, even if nothing changes
    skip: frozenset[str] = frozenset()  # whose plain tables are left alone: they are about to be rewritten


class PlainTable(Enum):
    """What became of a view's plain table at the end of a push."""

    CURRENT = "current"
    TOO_LARGE = "too large"  # to be brought up to date within a push: it must be rewritten
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Publication:
    state: PlainTable
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class PushOutcome:
    """What a push did. If it failed, stages that were pushed before stay pushed.

    `error` is of the push as a whole, and whose fault it is may not be known.  `failed` are the views that a
    row makes fail, and those that read them; all others were pushed.
    """

    error: Exception | None = None
    worked: bool = False  # whether there was anything to compute
    published: Mapping[str, Publication] = field(default_factory=dict)
    failed: Mapping[str, Exception] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PublishOrder:
    """Bring a view's plain table up to its timeline, or rewrite it as a whole."""

    view: str
    rewrite: bool


class Runner(Logs, Protocol):
    def adopt(self, catalog: Catalog) -> None:
        """Work on another catalog from now on."""
        ...

    def changes(self, relation: str, after: int, until: int) -> int:
        """How many changes a source has between two times, or what is shown of one."""
        ...

    def forecast(self, views: Collection[str], until: int) -> Forecast: ...

    def reachable(self, sites: Collection[str]) -> bool:
        """Whether all of these sites answer."""
        ...

    def suspect_sites(self) -> None:
        """A push failed: find out at once which sites still answer."""
        ...

    def push(self, order: PushOrder) -> Handle[PushOutcome]: ...

    def publish(self, order: PublishOrder) -> Handle[Publication]: ...

    def explain(self, error: Exception) -> Handle[Exception]:
        """The error of a view that a row makes fail, with what can be found out about that row."""
        ...

    def close(self) -> None:
        """Let running work end; start no other."""
        ...

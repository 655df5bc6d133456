"""What a push taught: an action that was run, what it did for each stage, and how long it took.

A Spark that has just started takes several times as long as later; WARMING says how many times, action by
action, and lessons are divided by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Mode

__all__ = [
    "WARMING", "Done", "Kind", "Lesson", "by_delta", "is_copy", "kind_of", "recomputed_as_a_whole",
    "slowdown", "view_of",
]  # fmt: skip

# How many times as long the first actions of a Spark take (25 views of tweets, two cores).
WARMING = (3.5, 1.6, 1.5, 1.3, 1.2, 1.1)


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, or is to be done, for a stage in an action."""

    mode: Mode
    effort: Effort
    cpu_seconds: float = 0.0


def by_delta(stages: Mapping[str, Done]) -> bool:
    """Whether an action pushes all its stages by their deltas."""
    return all(done.mode is Mode.INCREMENTAL for done in stages.values() if done.mode is not Mode.EMPTY)


class Kind(Enum):
    """What an action compiles code for."""

    DELTA = "delta"
    CHOICE = "choice"
    WHOLE = "whole"


def kind_of(stages: Mapping[str, Done]) -> Kind:
    if by_delta(stages):
        return Kind.DELTA
    return Kind.CHOICE if any(done.mode is Mode.CHOOSE for done in stages.values()) else Kind.WHOLE


@dataclass(frozen=True, slots=True)
class Lesson:
    """An action that was run: what it did for each stage, how long it took, and how warm its Spark was."""

    stages: Mapping[str, Done]
    seconds: float
    before: int | None = None  # actions of its kind that its Spark had run; None: unknown, taken as many

    @property
    def by_delta(self) -> bool:
        return by_delta(self.stages)

    @property
    def slowdown(self) -> float:
        """How many times as long it took because its Spark was not warm; a copy takes none."""
        return 1.0 if is_copy(self.stages) else slowdown(self.before)

    @property
    def cpu_seconds(self) -> float:
        return sum(done.cpu_seconds for done in self.stages.values())

    def by_view(self) -> Iterator[tuple[str, dict[str, Done], float]]:
        """What was done for the stages of each view, and what that takes a core of a warm Spark, in seconds.

        A view has its share by CPU.  Planning and waiting is no CPU of Spark's tasks: an action keeps a core
        busy as long as it runs.
        A recompute is tried when Spark has run deltas before, so it is not taken for one in a cold Spark.
        """
        views: dict[str, dict[str, Done]] = {}
        for stage, done in self.stages.items():
            if done.mode is not Mode.EMPTY:
                views.setdefault(view_of(stage), {})[stage] = done
        cpu = self.cpu_seconds
        core_seconds = max(self.seconds, cpu) / (self.slowdown if self.by_delta else 1.0)
        for view, stages in views.items():
            own = sum(done.cpu_seconds for done in stages.values())
            share = own / cpu if cpu > 0 else len(stages) / len(self.stages)
            yield view, stages, core_seconds * share


def view_of(stage: str) -> str:
    """The view that a stage belongs to."""
    return stage.split("$", 1)[0]


def recomputed_as_a_whole(stages: Mapping[str, Done]) -> bool | None:
    """Whether a view was recomputed as a whole, or pushed by its delta; None if neither.

    A recompute as a whole is told by the changes that it did not compute with: other recomputes have none.
    """
    if all(done.mode is Mode.INCREMENTAL for done in stages.values()):
        return False
    recomputed = [done for done in stages.values() if done.mode is Mode.FULL and done.effort.changed]
    return True if recomputed and len(stages) == 1 else None


def is_copy(works: Mapping[str, Done]) -> bool:
    """Whether no Spark takes part."""
    return all(done.mode in (Mode.COPY, Mode.EMPTY) for done in works.values())


def slowdown(before: int | None) -> float:
    return WARMING[before] if before is not None and before < len(WARMING) else 1.0

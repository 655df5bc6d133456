"""The actions of a push: which stages one run of Spark brings to a time, and in which order.

This is the only place that groups stages.  `headwater plan` asks it with the rows that it expects, the
forecast with those that wait in the logs, and a push with those that it will read; so what is priced, shown,
forecast, run, recorded and billed is the same list of actions.

    levels of stages                         actions, when all is small and of one Spark
    tweets+users   urls+tweets               1   tweets+users, urls+tweets, s03, s07
    s03, s07 (read both)

A level reads only sources and earlier levels.  Levels share an action as long as

    - one Spark keeps all of them,
    - every delta is small enough to be broadcast (what is not has an action of its own in the same step, if
      it reads none of the others and none of them reads it),
    - what later levels read of earlier ones fits in memory, and
    - nothing is copied to another site before it is computed.

Spark plans and commits an action as a whole, at a cost that does not depend on its rows: one action of four
levels costs less than four.  With many rows it is the other way round, because rows that are held in memory
are computed by later levels before they are written (docs/design/2026-11-16-one-query-one-action.md).

A large delta, or a stage without a delta rule, is an action of its own.  The inputs of adapted joins are one
action together (and what is small beside them another before the joins, which under overload take as long as
they may), and so are first computations that differ only in windows, or that read few rows.  Copies come
first: they need no Spark.  The actions of different Sparks run side by side, in `lanes`; a step ends when all
its lanes have ended.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar

from headwater.planning.cost.effort import Effort

__all__ = ["Action", "Level", "Mode", "Sizes", "Step", "Work", "actions", "handles_few", "is_small"]

SMALL_ROWS = 1_000_000  # changed rows of a stage: more are not broadcast
MOST_HELD = 100_000  # rows of earlier levels in memory
FEW_ROWS = 5_000  # for each stage
MOST_STAGES = 100  # in an action of several levels: Spark plans it as a whole


class Mode(Enum):
    """How a stage gets from its time to a later one."""

    EMPTY = "empty"  # nothing that it reads has changed: its time moves on, without Spark
    INITIAL = "initial"  # never computed before: its plan or its SQL, as of the time
    INCREMENTAL = "incremental"  # the delta plan between the two times
    FULL = "full"  # its plan or its SQL, as of the time, minus what is stored
    CHOOSE = "choose"  # under overload: the part of what waits that is worth most is shown
    PROBE = "probe"  # an input of an adapted join: its rows are stored, and some of them look for partners
    COPY = "copy"  # a replica of a relation of another site: files are copied, without Spark


class Work(Protocol):
    """What a push has to do for one stage."""

    @property
    def name(self) -> str:
        """The stage's name."""
        ...

    @property
    def mode(self) -> Mode: ...

    @property
    def spark(self) -> str:
        """The address of the Spark that does it."""
        ...

    @property
    def effort(self) -> Effort: ...

    @property
    def reads(self) -> Collection[str]: ...

    @property
    def likeness(self) -> Hashable:
        """Equal for first computations that are one query to Spark; None for what is by itself."""
        ...


W = TypeVar("W", bound=Work)
S = TypeVar("S", contravariant=True)
Level = Sequence[S]  # stages, in whatever form the caller has them


@dataclass(frozen=True, slots=True)
class Action(Generic[W]):
    """One run of Spark (or one copy), and the stages whose time merely moves on with it."""

    spark: str
    works: tuple[W, ...]

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that have something to do, each after those that it reads."""
        return tuple(work.name for work in self.works if work.mode is not Mode.EMPTY)


@dataclass(frozen=True, slots=True)
class Step(Generic[W]):
    """Lanes that run side by side, each one action after the other."""

    lanes: tuple[tuple[Action[W], ...], ...]


class Sizes(Protocol[S, W]):
    """Says what the stages of a push have to do."""

    def works(self, level: Level[S], held: Mapping[str, int]) -> list[W]:
        """What each stage of a level has to do; the same action has yet to compute the rows `held`."""
        ...

    def hold(self, works: Sequence[W]) -> dict[str, int]:
        """How many rows of changes each of these stages will make; stages without any are left out."""
        ...


def actions(levels: Iterable[Level[S]], sizes: Sizes[S, W], share: bool = True) -> Iterator[Step[W]]:
    """The steps of a push, in order.

    Lazy: the caller may run each step before it asks for the next, so that later levels are judged by what
    earlier ones really made.  Without `share` every level is a step of its own: so is a push that failed
    repeated.
    """
    waiting: list[W] = []
    held: dict[str, int] = {}
    for level in levels:
        works = sizes.works(level, held)
        if waiting and not (share and _fit(waiting, works, held)):
            yield _step(waiting)
            waiting, held = [], {}
            works = sizes.works(level, held)
        copies = [work for work in works if work.mode is Mode.COPY]
        if copies:
            yield Step(tuple((Action(work.spark, (work,)),) for work in copies))
        computed = [work for work in works if work.mode is not Mode.COPY]
        waiting += computed
        held |= sizes.hold(computed)
    if waiting:
        yield _step(waiting)


def _fit(waiting: Sequence[W], works: Sequence[W], held: Mapping[str, int]) -> bool:
    """Whether a level can join the action of the levels that wait."""
    if any(work.mode is Mode.COPY and not held.keys().isdisjoint(work.reads) for work in works):
        return False
    both = [work for work in (*waiting, *works) if work.mode not in (Mode.EMPTY, Mode.COPY)]
    large = [work for work in both if not is_small(work)]
    read = {name for work in both for name in work.reads}
    return (
        len(both) <= MOST_STAGES
        and sum(rows for name, rows in held.items() if name in read) <= MOST_HELD
        and len({work.spark for work in both}) <= 1
        and all(_is_apart(work, works, held) for work in large)
    )


def _is_apart(large: W, works: Sequence[W], held: Mapping[str, int]) -> bool:
    """Whether what has an action of its own neither reads what is held nor is read by the next level."""
    return held.keys().isdisjoint(large.reads) and not any(large.name in work.reads for work in works)


def is_small(work: Work) -> bool:
    """Whether its delta is small enough to be planned at once and broadcast."""
    return work.mode is Mode.INCREMENTAL and work.effort.changed <= SMALL_ROWS


def handles_few(rows: float, stages: int) -> bool:
    """Whether one task has gone through the rows of some stages before Spark would have shuffled them.

    Then nothing is compiled, either: a piece of code takes as long as many thousand rows.
    """
    return rows <= FEW_ROWS * stages


def _step(works: Sequence[W]) -> Step[W]:
    """A lane for each Spark: small works as one action, each other work as an action of its own."""
    sparks: dict[str, list[W]] = {}
    for work in works:
        sparks.setdefault(work.spark, []).append(work)
    return Step(tuple(_lane(spark, together) for spark, together in sparks.items()))


def _lane(spark: str, works: Sequence[W]) -> tuple[Action[W], ...]:
    joint = tuple(work for work in works if work.mode is Mode.EMPTY or is_small(work))
    probing = tuple(work for work in works if work.mode is Mode.PROBE)
    large = [work for work in works if work.mode not in (Mode.EMPTY, Mode.PROBE) and not is_small(work)]
    alike: dict[Hashable, list[W]] = {}
    for work in large:
        alike.setdefault(work.name if work.likeness is None else work.likeness, []).append(work)
    groups = (joint, probing, *map(tuple, alike.values()))
    return tuple(Action(spark, group) for group in groups if group)

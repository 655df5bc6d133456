"""What `check` says about one query."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from headwater.errors import Place
from headwater.scale.block import Query
from headwater.scale.catalog import Catalog
from headwater.scale.choose import Choice
from headwater.scale.plan import Index
from headwater.scale.refresh import Periodic
from headwater.scale.subplans import Found

__all__ = ["Advice", "Answer", "Level", "Reason"]


class Level(Enum):
    """In order of what they cost; the last two are not bounded."""

    SI_0 = "SI-0"
    SI_1 = "SI-1"
    SI_2 = "SI-2"
    SI_3 = "SI-3"
    UNBOUNDED = "unbounded"
    NOT_ANALYSED = "not analysed"

    @property
    def rank(self) -> int:
        return list(Level).index(self)

    @property
    def bounded(self) -> bool:
        return self.rank <= Level.SI_3.rank


@dataclass(frozen=True, slots=True)
class Reason:
    text: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """A change that was applied and analysed: it reaches `level`."""

    text: str
    level: Level


@dataclass(frozen=True, slots=True)
class Answer:
    name: str
    level: Level
    operations: int | None = None
    read: int | None = None
    results: int | None = None
    indexes: tuple[Index, ...] = ()
    rewritten: str | None = None
    reasons: tuple[Reason, ...] = ()
    advice: tuple[Advice, ...] = ()
    assumes: tuple[str, ...] = ()
    parameters: tuple[tuple[str, int], ...] = ()  # LIMIT :n without a declared maximum, and the one assumed
    place: Place | None = None
    query: Query | None = None
    found: Found | None = None
    choice: Choice | None = None
    periodic: Periodic | None = None
    catalog: Catalog | None = None  # with the chosen views as tables

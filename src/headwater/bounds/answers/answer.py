"""What `check` says about one query."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from headwater.bounds.plans.plan import Index
from headwater.bounds.plans.subplans import BoundedPlan
from headwater.bounds.query.block import Query
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.views.choose import Choice
from headwater.bounds.views.refresh import Periodic
from headwater.errors import Place

__all__ = ["Advice", "Answer", "Level", "Reason"]


class Level(Enum):
    """From the cheapest to the dearest; the last two are not bounded."""

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
    bounded_plan: BoundedPlan | None = None
    choice: Choice | None = None
    periodic: Periodic | None = None
    catalog: Catalog | None = None  # with the chosen views as tables

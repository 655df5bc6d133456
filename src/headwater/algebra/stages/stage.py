"""A view as Headwater keeps it: one or more stored relations, each kept by one plan.

A plan is cut at its aggregates, because an aggregate must remember something: each becomes a **stage**, a
stored relation with a timeline of its own.  What stands above the last stage and works row by row (the
`finish`: HAVING, avg = sum / count, renaming) is not stored but applied whenever the view is read, so a
GROUP BY view costs one write a push.

    SELECT city, avg(age) FROM people GROUP BY city HAVING count(*) > 2

    stage  v      Aggregate [city] [count(*), sum(age), count(age)]  over Scan people      (linear)
    finish        Project [city, sum / count] of Filter [count > 2] of Scan v

Kinds of stage, by how a delta is found (delta/derive.py has the rules):

    ROWS     no aggregate at the top: the delta is the plan's own delta
    LINEAR   partial states that only add (count, exact sums): old state + partial states of the delta
    GROUPS   any other aggregate: groups that the delta touches are aggregated anew
    SQL      structure without a delta rule: Spark recomputes the SQL text and the difference is stored
    PROBES   the recent rows of an input of an adapted join, and which of them probed (adapting.py)
    CHOOSING what is shown of a table: its own delta, or the part of it that is worth most (choosing.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from headwater.algebra.plans.nodes import Plan
from headwater.errors import Place

__all__ = ["Kept", "Obstacle", "Probing", "Stage", "StageKind"]


class StageKind(Enum):
    ROWS = "rows"
    LINEAR = "linear"
    GROUPS = "groups"
    SQL = "sql"
    CHOOSING = "choosing"
    PROBES = "probes"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a view, or a part of it, has no delta rule, and where that part stands."""

    reason: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Probing:
    """An input of an adapted join: which view's, its key, its time, and how old its rows may become."""

    view: str
    stream: str
    key: tuple[str, ...]
    time: str  # the column
    tolerance: timedelta  # in a result that is made now
    keep: timedelta  # in a result that is shown
    place: int = 0  # in FROM
    numbered: bool = False  # rows have numbers: the window is one of rows


@dataclass(frozen=True, slots=True)
class Stage:
    """A stored relation: `plan` computes it from sources, other views and earlier stages.

    For SQL stages `plan` is None, `sql` is the text and `reads` the relations it names.
    """

    name: str
    kind: StageKind
    columns: tuple[str, ...]
    plan: Plan | None
    reads: tuple[str, ...]
    sql: str = ""
    probing: Probing | None = None  # of PROBES


@dataclass(frozen=True, slots=True)
class Kept:
    """How a view is kept: `stages` in order (the last one stores the view) and the `finish` over it."""

    view: str
    stages: tuple[Stage, ...]
    finish: Plan  # reads only a Scan of the last stage, row by row; gives the view's columns
    columns: tuple[str, ...]
    types: tuple[str, ...]  # of the columns, as far as they are known without Spark; "" where not
    reads: tuple[str, ...]  # sources and views the SQL names
    obstacles: tuple[Obstacle, ...] = ()  # empty: fully incremental
    outlives: tuple[str, ...] = ()  # sources whose rows it keeps after they are gone there (KEEP DERIVED)
    warnings: tuple[Obstacle, ...] = ()  # where the SQL has several right answers, of which one is kept

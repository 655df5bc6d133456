"""Logical plans: operators over Z-sets (rows with weights), as frozen nodes.

Every node has `columns`, the names of its output row, in order and without repetition.  A Scan names its
columns `alias.column`, so that a self-join needs no special care; a Project gives them the names users see.

A Scan reads a relation at a `version`: OLD is the relation as of the last push, NEW as of the push under
way, DELTA the changes in between.  A view's own plan reads NEW everywhere; the delta rules (delta/) turn it
into a plan that reads all three, and both the evaluator and Spark run either.

A delta plan uses some sub-plans many times, so it is a graph more than a tree.  A node therefore remembers
its hash: memoising by node (walks.py, the evaluator, the engine) stays linear in the distinct nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum

from headwater.algebra.expressions.tree import AggregateCall, Expr
from headwater.algebra.hashing import Node, hashed_once
from headwater.algebra.plans.framing import Order, OverCall

__all__ = [
    "Aggregate",
    "AggregateCall",
    "Explode",
    "Filter",
    "Join",
    "JoinKind",
    "Negate",
    "OuterJoin",
    "Over",
    "Plan",
    "Project",
    "Restrict",
    "Scan",
    "SemiJoin",
    "Union",
    "Version",
    "Windows",
]


class Version(Enum):
    OLD = "old"
    NEW = "new"
    DELTA = "delta"


class JoinKind(Enum):
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"


@hashed_once
@dataclass(frozen=True, slots=True)
class Scan(Node):
    """The columns `names` of a relation, called `alias.name` from here on."""

    relation: str
    alias: str
    names: tuple[str, ...]
    version: Version = Version.NEW

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"{self.alias}.{name}" for name in self.names)


@hashed_once
@dataclass(frozen=True, slots=True)
class Filter(Node):
    """The rows for which `condition` is true (not false, not NULL)."""

    child: Plan
    condition: Expr

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


@hashed_once
@dataclass(frozen=True, slots=True)
class Project(Node):
    """One row out for one row in: `items` are (name, expression)."""

    child: Plan
    items: tuple[tuple[str, Expr], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.items)


@hashed_once
@dataclass(frozen=True, slots=True)
class Windows(Node):
    """Each row once for every time window it falls into; the window is a new column `name`.

    Windows are [start, start + size) at every multiple of `slide` since 1970, plus `offset`; a row whose
    `time` is NULL falls into none.  The column is struct<start:timestamp,end:timestamp>.

    Several lengths (`members`: size, slide, offset of each) are windows of as many views at once; the column
    `member` numbers them.  Then `size` is the longest, and slide and offset say nothing.
    """

    child: Plan
    name: str
    time: Expr
    size: timedelta
    slide: timedelta
    offset: timedelta = timedelta()
    members: tuple[tuple[timedelta, timedelta, timedelta], ...] = ()
    member: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, self.name, *([self.member] if self.member else []))

    @property
    def lengths(self) -> tuple[tuple[timedelta, timedelta, timedelta], ...]:
        """Size, slide and offset of each member; of the one, if there are no others."""
        return self.members or ((self.size, self.slide, self.offset),)

    def of_many(self, members: Iterable[tuple[timedelta, timedelta, timedelta]], member: str) -> Windows:
        """The windows of several views at once, over the same rows."""
        lengths = tuple(members)
        return replace(self, size=max(size for size, _, _ in lengths), members=lengths, member=member)

    @property
    def overlap(self) -> int:
        """How many windows a row falls into, at most."""
        return sum(-(-size // slide) for size, slide, _ in self.lengths)


@hashed_once
@dataclass(frozen=True, slots=True)
class Join(Node):
    """Inner join of any number of inputs: weights multiply, all `conditions` must be true."""

    inputs: tuple[Plan, ...]
    conditions: tuple[Expr, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for child in self.inputs for column in child.columns)


@hashed_once
@dataclass(frozen=True, slots=True)
class OuterJoin(Node):
    """Outer join on `keys` (pairs of a left and a right expression, equal) and `residual`."""

    left: Plan
    right: Plan
    kind: JoinKind
    keys: tuple[tuple[Expr, Expr], ...]
    residual: Expr | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left.columns + self.right.columns


@hashed_once
@dataclass(frozen=True, slots=True)
class SemiJoin(Node):
    """The left rows that have a partner on the right (`anti`: that have none); left weights stay."""

    left: Plan
    right: Plan
    keys: tuple[tuple[Expr, Expr], ...]
    residual: Expr | None = None
    anti: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left.columns


@hashed_once
@dataclass(frozen=True, slots=True)
class Union(Node):
    """UNION ALL: weights add. All inputs have the same column names in the same order."""

    inputs: tuple[Plan, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inputs[0].columns


@hashed_once
@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """GROUP BY `keys` (name, expression); no aggregates makes it a DISTINCT; no keys gives one row always."""

    child: Plan
    keys: tuple[tuple[str, Expr], ...]
    aggregates: tuple[AggregateCall, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.keys) + tuple(aggregate.name for aggregate in self.aggregates)


@hashed_once
@dataclass(frozen=True, slots=True)
class Over(Node):
    """Window functions: every row with more columns, computed from its partition in an order.

    Rows that `order` leaves equal come in the order of all their columns, so that the answer is one.  With
    `most` = (name, n) only the rows stay whose column `name`, a rank, is at most n: what a top-n asks for.
    A row of weight 2 is two rows, which may get different numbers.
    """

    child: Plan
    partition: tuple[Expr, ...]
    order: tuple[Order, ...]
    calls: tuple[OverCall, ...]
    most: tuple[str, int] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *(call.name for call in self.calls))


@hashed_once
@dataclass(frozen=True, slots=True)
class Explode(Node):
    """Each row once for every row that `generator` makes of it, in new columns `names`.

    `outer`: a row of which it makes none stays, with NULLs.
    """

    child: Plan
    names: tuple[str, ...]
    generator: Expr
    outer: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *self.names)


@hashed_once
@dataclass(frozen=True, slots=True)
class Negate(Node):
    """All weights with the other sign. Only in delta plans."""

    child: Plan

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


@hashed_once
@dataclass(frozen=True, slots=True)
class Restrict(Node):
    """The rows of `child` whose `keys` occur, at any weight, in `by` (whose columns match `keys` in order).

    NULL matches NULL.  With no keys: all rows if `by` has any (with any columns), else none.  Only in delta
    plans: it confines a recomputation to the groups that a delta touches.
    """

    child: Plan
    keys: tuple[Expr, ...]
    by: Plan

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns


Plan = (
    Scan
    | Filter
    | Project
    | Windows
    | Join
    | OuterJoin
    | SemiJoin
    | Union
    | Aggregate
    | Over
    | Explode
    | Negate
    | Restrict
)

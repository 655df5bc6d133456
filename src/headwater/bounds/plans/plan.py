"""Bounded physical plans: what to ask of an ordered key/value store, and at most how often.

A store keeps each table sorted by its primary key and each index sorted by its parts.  It answers two
questions, each in nearly constant time: get a row by its key, and read the first rows of a range.  One
answer is one **operation**; a plan is a tree of steps, each with a bound on all work up to and including it:

    operations   gets and ranges
    read         rows that the store returns
    rows         rows that the step passes on

The bounds hold for any data that satisfies the declared constraints, whatever its size.  Plans are plain
values: `execute` runs them on anything that implements `Store`.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.algebra.expressions.facts import has_aggregate
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import AggregateCall, Expr, Subquery
from headwater.bounds.query.block import Order, Output
from headwater.bounds.query.stored_exprs import require_storable
from headwater.errors import InternalError

__all__ = [
    "OUT",
    "Bound",
    "Cut",
    "Dedupe",
    "Each",
    "Equal",
    "Extremes",
    "Filter",
    "Group",
    "Index",
    "IndexPart",
    "Nested",
    "OneOf",
    "Plan",
    "Probe",
    "Project",
    "Setup",
    "Sets",
    "Start",
    "Subplan",
    "index_text",
]


OUT = "$out"  # the part of a row that holds what a plan shows


@dataclass(frozen=True, slots=True)
class Bound:
    operations: int
    read: int
    rows: int


@dataclass(frozen=True, slots=True)
class IndexPart:
    """A column, TOKEN(column) or expression of the row (with an empty alias), and its direction."""

    expr: Expr
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class Index:
    """An ordered copy of a table's rows; entries carry the primary key and `include` as well.

    `where`: only rows for which these are true have an entry.  `primary`: the table itself.  `hot`: rows
    arrive at few places of its order, because a TEMPORAL column decides where (`access.heat`).
    """

    table: str
    parts: tuple[IndexPart, ...]
    include: tuple[str, ...] = ()
    where: tuple[Expr, ...] = ()
    primary: bool = False
    hot: bool = False

    def __post_init__(self) -> None:
        exprs = (*(part.expr for part in self.parts), *self.where)
        require_storable(exprs, f"an index on {self.table}")
        if any(map(has_aggregate, exprs)):
            raise InternalError("HW908", f"an index on {self.table} would hold an aggregate")


def index_text(index: Index) -> str:
    """item(i_subject, i_pub_date DESC) INCLUDE (i_a_id) WHERE ..."""
    parts = ", ".join(sql_of(part.expr) + (" DESC" if part.descending else "") for part in index.parts)
    text = f"{index.table}({parts})"
    if index.include:
        text += f" INCLUDE ({', '.join(index.include)})"
    if index.where:
        text += " WHERE " + " AND ".join(sql_of(condition, 2) for condition in index.where)
    return text


@dataclass(frozen=True, slots=True)
class Equal:
    value: Expr


@dataclass(frozen=True, slots=True)
class OneOf:
    """Several values, or one parameter that holds a list of at most `most`."""

    values: tuple[Expr, ...]
    most: int


@dataclass(frozen=True, slots=True)
class Each:
    """Every value that occurs: at most `most` (a skip scan), within `ranges` of (operator, value).

    `stop`: only the first so many, in the order of the index.
    """

    most: int
    ranges: tuple[tuple[str, Expr], ...] = ()
    stop: Expr | None = None


Binding = Equal | OneOf | Each


@dataclass(frozen=True, slots=True)
class Start:
    """One empty row, if all `checks` (conditions on parameters alone) are true."""

    checks: tuple[Expr, ...] = ()
    bound: Bound = Bound(0, 0, 1)


@dataclass(frozen=True, slots=True)
class Probe:
    """For each row of `child`: index rows under `bindings` of the first parts and `ranges` of the next one.

    `fetch`: read the row itself by its key for each entry.  `limit`: only the first so many, in the index's
    order (`reverse`: from its end).  `optional`: a left join under the further conditions `on`.  `expects`:
    the constraint, declared or assumed, that makes a match sure; a plan that finds none stops with an error.
    """

    child: Plan
    alias: str
    index: Index
    bindings: tuple[Binding, ...]
    ranges: tuple[tuple[str, Expr], ...]
    bound: Bound
    reverse: bool = False
    fetch: bool = False
    unique: bool = False  # the bindings determine one row: a get, not a range
    limit: Expr | None = None
    optional: bool = False
    on: tuple[Expr, ...] = ()
    expects: str = ""


@dataclass(frozen=True, slots=True)
class Subplan:
    """How a subquery in an expression is answered; `probe`: any row means true."""

    query: Subquery
    plan: Plan
    correlated: bool
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    child: Plan
    conditions: tuple[Expr, ...]
    bound: Bound
    subplans: tuple[Subplan, ...] = ()


@dataclass(frozen=True, slots=True)
class Nested:
    """Join with the rows of a plan of its own; conditions follow as a Filter.

    It runs once, or (`each`) for every row of `child`, whose columns it reads.
    """

    child: Plan
    alias: str
    plan: Plan
    bound: Bound
    optional: bool = False
    on: tuple[Expr, ...] = ()
    each: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """Sort, then skip `offset` and keep `limit` rows: PIQL's stop.  `per`: of each partition, ranked."""

    child: Plan
    order: tuple[Order, ...]
    limit: Expr | None
    offset: Expr | None
    bound: Bound
    per: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Group in memory; rows carry the groups' expressions and aggregates from here on."""

    child: Plan
    group: tuple[Expr, ...]
    aggregates: tuple[AggregateCall, ...]
    bound: Bound
    always: bool = False  # one row even for no input


@dataclass(frozen=True, slots=True)
class Project:
    child: Plan
    outputs: tuple[Output, ...]
    bound: Bound
    distinct: bool = False
    subplans: tuple[Subplan, ...] = ()
    keep: bool = False  # keep the input's rows beside the outputs: an order above may need them


@dataclass(frozen=True, slots=True)
class Dedupe:
    """Union of the branches of an OR: rows with the same `keys` (alias, key columns) are passed on once."""

    branches: tuple[Plan, ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    bound: Bound


@dataclass(frozen=True, slots=True)
class Sets:
    """UNION [ALL], INTERSECT or EXCEPT of projected plans."""

    branches: tuple[Plan, ...]
    kind: str
    columns: tuple[str, ...]
    bound: Bound


@dataclass(frozen=True, slots=True)
class Extremes:
    """MIN and MAX of no group, each read from the end of an index by a plan of its own."""

    plans: tuple[tuple[AggregateCall, Plan], ...]
    bound: Bound
    always: bool = True


@dataclass(frozen=True, slots=True)
class Setup:
    """Values computed first, by plans of one row and column, under the names of parameters."""

    values: tuple[tuple[str, Plan], ...]
    child: Plan
    bound: Bound


Plan = Start | Probe | Filter | Nested | Cut | Group | Project | Dedupe | Sets | Extremes | Setup

"""The nodes of scalar expressions: one language for views, for bounded queries and for index terms.

    Column, Literal, Call          what every expression is made of
    AggregateCall                  in a plan's Aggregate, or in the SELECT list of a bounded query
    Parameter, Subquery, Opaque    in parameterised queries only (`bounds`)

A call keeps two things: the `function` it means, which the evaluator and the passes look at, and a
`template` that says how Spark SQL writes it.  So every deterministic function that Spark has can stand in
a view, whether or not Headwater knows what it does.

Plans of views hold columns without an alias, literals and calls.  The delta algebra, the Spark writer and the
evaluator of plans refuse every other node (`refusal`): translation never produces one, so it is our own bug.

Invariant: two expressions that are equal as values mean the same, so they can be keys of dictionaries and
members of equality classes.  Inner nodes remember their hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from headwater.algebra.hashing import Node, hashed_once
from headwater.errors import InternalError

__all__ = [
    "AggregateCall",
    "Block",
    "Call",
    "Column",
    "Expr",
    "Literal",
    "Opaque",
    "Parameter",
    "Subquery",
    "refusal",
]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the input row, by its name there (`alias.column` below a projection of a view's plan).

    `alias` is the occurrence of a table that the column belongs to, where a row is made of several named
    parts, as in a bounded query; empty for a column of the row at hand.
    """

    name: str
    alias: str = ""

    def __repr__(self) -> str:
        # Names of stored stages are hashes of this text, so it does not mention an empty alias.
        alias = f", alias={self.alias!r}" if self.alias else ""
        return f"Column(name={self.name!r}{alias})"


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: `sql` is how Spark SQL writes it, `value` its Python value (None is NULL)."""

    value: object
    sql: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """`:name`. A name that starts with `$` is a value computed before the query starts."""

    name: str


@hashed_once
@dataclass(frozen=True, slots=True)
class Call(Node):
    """`function` applied to `arguments`; `template` has {0}, {1}, ... for them and {{ }} for braces."""

    function: str
    arguments: tuple[Expr, ...]
    template: str


@hashed_once
@dataclass(frozen=True, slots=True)
class Opaque(Node):
    """SQL that is not taken apart: some function of `arguments`, printed by `template` as it was written.

    The constants in it stand in the template, so nothing may be concluded from its `name`, which only says
    what kind of syntax it is.  `volatile`: it may differ between rows or calls, as rand() and uuid() do.
    """

    name: str
    arguments: tuple[Expr, ...]
    template: str
    volatile: bool = False


@hashed_once
@dataclass(frozen=True, slots=True)
class AggregateCall(Node):
    """`function` over the rows of a group.

    `template` is how Spark SQL writes it over `arguments` ("max({0})", "count(DISTINCT {0})", "count(1)");
    `function` is its plain name ("max", "count", "sum", ...), `distinct` and `where` (FILTER) as in SQL.
    `type` is the argument's Spark type where it is known, else empty.  `name` is that of its column in a
    plan's Aggregate; an aggregate inside an expression has none.
    """

    name: str
    function: str
    arguments: tuple[Expr, ...]
    template: str
    distinct: bool = False
    type: str = ""
    where: Expr | None = None


class Block(Protocol):
    """The query inside a Subquery: a hashable value that knows its parameters, substitution and SQL."""

    @property
    def params(self) -> frozenset[str]: ...

    @property
    def sql(self) -> str: ...

    def substitute(self, names: Mapping[Expr, Expr]) -> Block: ...


@hashed_once
@dataclass(frozen=True, slots=True)
class Subquery(Node):
    """A subquery in an expression. `kind` is exists, in (with `operand`) or scalar."""

    kind: str
    query: Block
    operand: Expr | None
    outer: tuple[Column, ...]  # columns of the enclosing query that it reads


Expr = Column | Literal | Call | Parameter | Opaque | AggregateCall | Subquery


def refusal(expr: Expr, what: str) -> InternalError:
    """The error for a node of parameterised queries that stands where the expression of a plan is needed."""
    kind = "a column of a named source" if isinstance(expr, Column) else type(expr).__name__
    return InternalError(
        "HW906",
        f"{kind} cannot {what}",
        detail=f"{expr!r} belongs to parameterised queries and cannot stand in the plan of a view.",
    )

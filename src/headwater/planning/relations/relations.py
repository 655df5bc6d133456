"""What the vertices of a plan stand for: joins of filtered inputs, in a form in which equal ones are equal.

A view is read as a **sharing**: some inputs (sources or other views, each with its own filters) joined on
equal columns and perhaps further conditions, then perhaps a tail (an aggregate, an outer join, ...) that is
computed at the view's site.  Any connected part of the inputs is a **relation** that some site could keep;
two views that both need it get the same value, whatever their SQL calls it.

    FROM users u JOIN tweets t ON t.uid = u.uid JOIN urls l ON l.tid = t.tid

    inputs    tweets, urls, users                                   (canonical names, in order)
    equal     {tweets.tid, urls.tid}, {tweets.uid, users.uid}       (classes of equal columns)
    relations tweets, urls, users, tweets*users, tweets*urls, tweets*urls*users

Equality is kept as classes, so a.x = b.x AND b.x = c.x and a.x = b.x AND a.x = c.x are the same relation, and
the part {a, c} of either is joined on a.x = c.x.

A relation that is joined with itself counts twice: `tweets` and `tweets#2`.  Doubt: which occurrence is
which follows the order in the SQL, so two views may name them the other way round and then share less.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from headwater.algebra.expressions.tree import Column, Expr, equal, spark_sql

__all__ = ["Input", "Names", "Relation", "Sharing", "column_of", "input_of"]

Names = frozenset[str]  # of inputs


def input_of(column: str) -> str:
    """The input that a canonical column (`input.column`) belongs to."""
    return column.rpartition(".")[0]


def column_of(column: str) -> str:
    """A canonical column's own name, without its input."""
    return column.rpartition(".")[2]


@dataclass(frozen=True, slots=True, order=True)
class Input:
    """An occurrence of a source or view. Its columns are called `name.column` everywhere in a plan."""

    name: str  # "tweets", or "tweets#2" for the second occurrence
    relation: str  # the source or view
    filters: tuple[Expr, ...] = ()  # over its own columns, sorted by text


@dataclass(frozen=True, slots=True)
class Relation:
    """A join of inputs; with `view`, what the tail of that view makes of the join."""

    inputs: tuple[Input, ...]
    equal: tuple[tuple[str, ...], ...] = ()  # classes of equal columns, each and all sorted
    conditions: tuple[Expr, ...] = ()  # other conditions between inputs, sorted by text
    view: str = ""
    _hash: int = field(init=False, repr=False, compare=False)  # deep values are dictionary keys everywhere

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.inputs, self.equal, self.conditions, self.view)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def names(self) -> Names:
        return frozenset(input.name for input in self.inputs)

    @property
    def is_base(self) -> bool:
        """A source (or another view) just as it is."""
        return not self.view and len(self.inputs) == 1 and not self.inputs[0].filters

    def join_conditions(self) -> tuple[Expr, ...]:
        """All conditions that join the inputs, equalities first; filters of one input are not among them."""
        chains = (pair for group in self.equal for pair in zip(group, group[1:], strict=False))
        return (*(equal(Column(left), Column(right)) for left, right in chains), *self.conditions)

    @property
    def text(self) -> str:
        """For people: `tweets * urls[urls.url LIKE 'x%'] * users`, or the view's name."""
        if self.view:
            return self.view
        inputs = " * ".join(map(_input_text, self.inputs))
        return inputs + "".join(f" ON {_plain_sql(condition)}" for condition in self.conditions)


def _input_text(input: Input) -> str:
    return input.name + (f"[{' AND '.join(map(_plain_sql, input.filters))}]" if input.filters else "")


def _plain_sql(expr: Expr) -> str:
    return spark_sql(expr).replace("`", "")


@dataclass(frozen=True, slots=True)
class Sharing:
    """A view as the planner sees it. `tail` is "" for select-project-join, else what is done last."""

    view: str
    core: Relation
    site: str = "default"
    freshness: timedelta = timedelta(minutes=1)
    penalty: Decimal = Decimal(0)
    tail: str = ""  # "aggregate", or "compute" for anything else that is no select-project-join
    also: tuple[Input, ...] = ()  # what the tail reads besides the core: it must be at the view's site

    @property
    def result(self) -> Relation:
        """The relation that the view's own vertex keeps."""
        core = self.core
        return Relation(core.inputs, core.equal, core.conditions, self.view) if self.tail else core

"""What a plan's vertices stand for: joins of filtered inputs, written so that equal ones are equal values.

A view is read as a **sharing**: some inputs (sources or other views, each with its own filters) joined on
equal columns and perhaps further conditions, then perhaps a tail (an aggregate, an outer join, ...) that is
computed where the view lies.  Any connected part of the inputs is a **relation** that some machine could
keep; two views that both need it get the same value, whatever their SQL calls it.

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

from headwater.algebra.expressions import Column, Expr, columns_of, equal, spark_sql

__all__ = ["Input", "Relation", "Sharing"]


@dataclass(frozen=True, slots=True, order=True)
class Input:
    """An occurrence of a source or view. Its columns are called `name.column` everywhere in a plan."""

    name: str  # "tweets", or "tweets#2" for the second occurrence
    relation: str  # the source or view
    filters: tuple[Expr, ...] = ()  # over its own columns, sorted by text


@dataclass(frozen=True, slots=True)
class Relation:
    """A join of inputs, or (`view`) what a view's tail makes of one: its name stands for it then."""

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
    def names(self) -> frozenset[str]:
        return frozenset(one.name for one in self.inputs)

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
        return " * ".join(
            one.name + (f"[{' AND '.join(map(_plain, one.filters))}]" if one.filters else "")
            for one in self.inputs
        ) + "".join(f" ON {_plain(one)}" for one in self.conditions)


@dataclass(frozen=True, slots=True)
class Sharing:
    """A view as the planner sees it. `tail` is "" for select-project-join, else what is done last."""

    view: str
    core: Relation
    site: str = "default"
    freshness: timedelta = timedelta(minutes=1)
    penalty: Decimal = Decimal(0)
    tail: str = ""  # "aggregate", or "compute" for anything else that is no select-project-join
    also: tuple[Input, ...] = ()  # what the tail reads besides the core: it must lie where the view lies

    @property
    def result(self) -> Relation:
        """The relation that the view's own vertex keeps."""
        return (
            Relation(self.core.inputs, self.core.equal, self.core.conditions, self.view)
            if self.tail
            else self.core
        )

    def part(self, names: frozenset[str]) -> Relation:
        """The join of some of the inputs, with every condition that concerns only those."""
        chosen = tuple(one for one in self.core.inputs if one.name in names)
        groups = (tuple(one for one in group if one.rsplit(".", 1)[0] in names) for group in self.core.equal)
        return Relation(
            chosen,
            tuple(group for group in groups if len({one.rsplit(".", 1)[0] for one in group}) > 1),
            tuple(one for one in self.core.conditions if _inputs_of(one) <= names),
        )

    def connected(self, names: frozenset[str]) -> bool:
        """Whether the inputs hang together by conditions: joining others would be a cross product."""
        if not names:
            return False
        links = [frozenset(one.rsplit(".", 1)[0] for one in group) for group in self.core.equal]
        links += [_inputs_of(one) for one in self.core.conditions]
        reached, waiting = set(), [min(names)]
        while waiting:
            reached.add(name := waiting.pop())
            waiting += [other for link in links if name in link for other in (link & names) - reached]
        return reached == names


def _inputs_of(condition: Expr) -> frozenset[str]:
    return frozenset(column.rsplit(".", 1)[0] for column in columns_of(condition))


def _plain(expr: Expr) -> str:
    return spark_sql(expr).replace("`", "")

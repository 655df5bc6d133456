"""How many rows a relation of a plan has, how many changes a second, and how wide they are.

For a join of inputs, each with r rows of which a share passes its filters:

    rows   product of r * share over the inputs, divided for every class of equal columns by the numbers of
           different values of all its columns but the least: each further column must meet a value of it
    rate   a change of an input becomes rows / (r * share) changes of the join; summed over the inputs
    bytes  the inputs' bytes added up: projections are not known here, so this is an upper estimate

    tweets 7,000,000 rows, 1,000/s, uid of 2,100,000    users 2,100,000 rows, 300/s, uid is a key
    tweets * users   7e6 * 2.1e6 / 2.1e6 = 7,000,000 rows,  1,000 * 1 + 300 * 3.33 = 2,000 changes/s

A column whose number of values is not known has as many as the largest known one of its class (a foreign key
and its key); if none is known, as many as the smallest input of the class has rows (one of them is a key).

What is stored has been measured, and what is measured replaces the formula for that very relation (not for
larger joins of it: those are measured when they are stored).  A relation counts as at least one row.

Doubt: columns are taken as independent and evenly spread, so skew is not seen; and a new row of a key side is
taken to meet as many partners as an old one, which inserts seldom do: such rates are upper estimates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from headwater.algebra.expressions import Call, Column, Expr, Literal, columns_of
from headwater.sharing.facts import DEFAULT_RATE, DEFAULT_ROWS, Facts, Origin
from headwater.sharing.relations import Input, Relation

__all__ = ["Size", "input_size", "passing", "sizes"]

EQUALS = 0.1  # of a column whose values are not counted
RANGE = 1 / 3
LIKE = 0.25
NULLS = 0.05
OTHERWISE = 0.5
CHANGES_PER_CHANGE = 2.0  # a tail replaces a row: the old one goes, the new one comes

UNKNOWN = Facts(DEFAULT_ROWS, DEFAULT_RATE, Origin.DEFAULT, Origin.DEFAULT)


@dataclass(frozen=True, slots=True)
class Size:
    rows: float
    rate: float  # changes per second
    bytes_per_row: float

    @property
    def gigabytes(self) -> float:
        return self.rows * self.bytes_per_row / 1e9


def sizes(relation: Relation, facts: Mapping[str, Facts], measured: Mapping[Relation, Facts]) -> Size:
    """The size of a relation: measured if it is stored, else from what is known of its inputs."""
    found = measured.get(relation)
    if found is not None:
        return Size(found.rows, found.rate, found.bytes_per_row)
    if relation.view:
        return _of_view(relation, facts, measured)
    parts = [input_size(one, facts) for one in relation.inputs]
    rows = prod(one.rows for one in parts)
    for group in relation.equal:
        counts = sorted(_distinct_of(group, relation, facts))
        rows /= prod(counts[1:])
    rows *= prod(passing(one, {}) for one in relation.conditions)
    rate = sum(one.rate * rows / one.rows for one in parts if one.rows > 0)
    return Size(rows, rate, sum(one.bytes_per_row for one in parts))


def _of_view(relation: Relation, facts: Mapping[str, Facts], measured: Mapping[Relation, Facts]) -> Size:
    """What a tail makes: as the view's own facts say, else no more rows than its core, each change two."""
    if relation.view in facts:
        known = facts[relation.view]
        return Size(known.rows, known.rate, known.bytes_per_row)
    core = sizes(Relation(relation.inputs, relation.equal, relation.conditions), facts, measured)
    return Size(core.rows, CHANGES_PER_CHANGE * core.rate, core.bytes_per_row)


def input_size(one: Input, facts: Mapping[str, Facts]) -> Size:
    """An input after its filters."""
    known = facts.get(one.relation, UNKNOWN)
    counts = {f"{one.name}.{column}": count for column, count in _counts(known).items()}
    share = prod(passing(condition, counts) for condition in one.filters)
    return Size(max(known.rows, 1.0) * share, known.rate * share, known.bytes_per_row)


def _counts(known: Facts) -> dict[str, float]:
    keys = {key[0]: known.rows for key in known.keys if len(key) == 1}
    return {name: max(count, 1.0) for name, count in {**keys, **known.distinct}.items()}


def _distinct_of(group: tuple[str, ...], relation: Relation, facts: Mapping[str, Facts]) -> list[float]:
    """The numbers of values of the columns of a class."""
    inputs = {one.name: facts.get(one.relation, UNKNOWN) for one in relation.inputs}
    owners = [column.rsplit(".", 1) for column in group]
    counts = [_counts(inputs[owner]).get(column) for owner, column in owners]
    known = [count for count in counts if count is not None]
    instead = max(known) if known else min(max(inputs[owner].rows, 1.0) for owner, _ in owners)
    return [instead if count is None else count for count in counts]


def passing(condition: Expr, counts: Mapping[str, float]) -> float:
    """The share of rows that pass a condition; `counts` are numbers of values of columns."""
    match condition:
        case Literal(value, _):
            return 1.0 if value is True else 0.0
        case Call("and", (left, right), _):
            return passing(left, counts) * passing(right, counts)
        case Call("or", (left, right), _):
            one, other = passing(left, counts), passing(right, counts)
            return one + other - one * other
        case Call("not", (inner,), _):
            return 1.0 - passing(inner, counts)
        case Call("eq" | "nulleq", _, _):
            return _equals(condition, counts)
        case Call("neq", _, _):
            return 1.0 - _equals(condition, counts)
        case Call("in", (_, *items), _):
            return min(1.0, len(items) * _equals(condition, counts))
        case Call("lt" | "lte" | "gt" | "gte", _, _):
            return RANGE
        case Call("between" | "like", _, _):
            return LIKE
        case Call("is_null", _, _):
            return NULLS
        case Column() | Call():
            return OTHERWISE


def _equals(condition: Expr, counts: Mapping[str, float]) -> float:
    known = [counts[column] for column in columns_of(condition) if column in counts]
    return 1.0 / max(known) if known else EQUALS

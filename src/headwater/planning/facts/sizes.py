"""How many rows a relation of a plan has, how many changes a second, and how wide they are.

For a join of inputs, each with r rows of which a share passes its filters:

    rows   product of r * share over the inputs, divided for every class of equal columns by the numbers of
           different values of all its columns but the least: each further column must meet a value of it
    rate   a change of an input becomes rows / (r * share) changes of the join; summed over the inputs
    bytes  the inputs' bytes added up: projections are not known here, so this is an upper estimate

    tweets 7,000,000 rows, 1,000/s, uid of 2,100,000    users 2,100,000 rows, 300/s, uid is a key
    tweets * users   7e6 * 2.1e6 / 2.1e6 = 7,000,000 rows,  1,000 * 1 + 300 * 3.33 = 2,000 changes/s

A column whose number of values is not stated has as many as the largest stated one of its class (a foreign
key and its key); if none is stated, as many as the smallest input of the class has rows (one of them is a
key).

What is stored has been measured, and what is measured replaces the formula for that very relation (not for
larger joins of it: those are measured when they are stored).  A relation counts as at least one row.

Doubt: columns are taken as independent and evenly spread, so skew is not seen; and a new row of a key side is
taken to meet as many partners as an old one, which inserts seldom do: such rates are upper estimates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from headwater.algebra.expressions.tree import Call, Expr, Literal, columns_of
from headwater.planning.facts.facts import DEFAULT_RATE, DEFAULT_ROWS, Facts, Origin
from headwater.planning.relations.relations import Input, Relation, column_of, input_of

__all__ = ["Size", "input_size", "passing", "size_of"]

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


def size_of(relation: Relation, facts: Mapping[str, Facts], measured: Mapping[Relation, Facts]) -> Size:
    """The size of a relation: measured if it is stored, else estimated from the facts of its inputs."""
    if relation in measured:
        return _as_stated(measured[relation])
    if relation.view:
        return _tail_size(relation, facts, measured)
    inputs = [input_size(input, facts) for input in relation.inputs]
    rows = prod(input.rows for input in inputs)
    for group in relation.equal:
        counts = sorted(_distinct_values(group, relation, facts))
        rows /= prod(counts[1:])
    rows *= prod(passing(condition, {}) for condition in relation.conditions)
    rate = sum(input.rate * rows / input.rows for input in inputs if input.rows > 0)
    return Size(rows, rate, sum(input.bytes_per_row for input in inputs))


def _as_stated(facts: Facts) -> Size:
    return Size(facts.rows, facts.rate, facts.bytes_per_row)


def _tail_size(relation: Relation, facts: Mapping[str, Facts], measured: Mapping[Relation, Facts]) -> Size:
    """What a tail makes: as the view's own facts say, else no more rows than its core, each change two."""
    if relation.view in facts:
        return _as_stated(facts[relation.view])
    core = size_of(Relation(relation.inputs, relation.equal, relation.conditions), facts, measured)
    return Size(core.rows, CHANGES_PER_CHANGE * core.rate, core.bytes_per_row)


def input_size(input: Input, facts: Mapping[str, Facts]) -> Size:
    """An input after its filters."""
    whole = facts.get(input.relation, UNKNOWN)
    counts = {f"{input.name}.{column}": count for column, count in _counts(whole).items()}
    share = prod(passing(condition, counts) for condition in input.filters)
    return Size(max(whole.rows, 1.0) * share, whole.rate * share, whole.bytes_per_row)


def _counts(facts: Facts) -> dict[str, float]:
    """The number of different values of each column for which there is one."""
    keys = {key[0]: facts.rows for key in facts.keys if len(key) == 1}
    return {name: max(count, 1.0) for name, count in {**keys, **facts.distinct}.items()}


def _distinct_values(group: tuple[str, ...], relation: Relation, facts: Mapping[str, Facts]) -> list[float]:
    """The number of different values of each column of a class."""
    inputs = {input.name: facts.get(input.relation, UNKNOWN) for input in relation.inputs}
    owners = [inputs[input_of(column)] for column in group]
    counts = [_counts(owner).get(column_of(column)) for owner, column in zip(owners, group, strict=True)]
    stated = [count for count in counts if count is not None]
    default = max(stated) if stated else min(max(owner.rows, 1.0) for owner in owners)
    return [default if count is None else count for count in counts]


def passing(condition: Expr, counts: Mapping[str, float]) -> float:
    """The share of rows that pass a condition; `counts` are numbers of values of columns."""
    match condition:
        case Literal(value, _):
            return 1.0 if value is True else 0.0
        case Call("and", (left, right), _):
            return passing(left, counts) * passing(right, counts)
        case Call("or", (left, right), _):
            first, second = passing(left, counts), passing(right, counts)
            return first + second - first * second
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
        case _:
            return OTHERWISE


def _equals(condition: Expr, counts: Mapping[str, float]) -> float:
    stated = [counts[column] for column in columns_of(condition) if column in counts]
    return 1.0 / max(stated) if stated else EQUALS

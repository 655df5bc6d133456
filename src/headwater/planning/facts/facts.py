"""How large a relation is and how fast it changes, and whether that was measured, expected or assumed.

For sources the numbers come, in this order, from the timeline's statistics, from what the user expects
(EXPECT in DDL, `expect:` in headwater.yml), or from defaults that are printed wherever they were used.  For
what is computed they follow from the plan:

    Filter, Semi, Anti    half of the rows pass, and half of the changes
    Join                  as many rows as its largest input: joins mostly follow a key.  A change of an input
                          becomes (rows of the join) / (rows of the input) changes, at least one
    outer joins           as Join
    Union                 sums
    Windows               each row once for every window it falls into
    Explode               three rows of each
    Over                  as many rows; a change replaces a row or two of its partition
    Aggregate             a tenth as many groups as rows; a change replaces a row: two changes, at most

Doubt: without histograms a skewed join is priced as if it were even.  Once a stage is stored its own row
count replaces the guess, and measured pushes replace the guess of how long they take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import assert_never

from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Windows,
)
from headwater.model import Expectation

__all__ = ["DEFAULT_BYTES", "DEFAULT_RATE", "DEFAULT_ROWS", "Facts", "Origin", "facts_of", "source_facts"]

DEFAULT_ROWS = 100_000
DEFAULT_RATE = 10.0  # changes per second
DEFAULT_BYTES = 64.0  # of a row, compressed
PASSING = 0.5
ROWS_PER_GROUP = 10.0
ROWS_PER_EXPLODE = 3.0


class Origin(Enum):
    """Where a number comes from."""

    STATISTICS = "statistics"
    EXPECTED = "expected"
    DEFAULT = "default"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class Facts:
    """A relation's rows and changes per second, and where each number comes from."""

    rows: float
    rate: float
    rows_from: Origin = Origin.DERIVED
    rate_from: Origin = Origin.DERIVED
    bytes_per_row: float = DEFAULT_BYTES
    # The number of different values of a column, by its name in the relation.  For an integer it may be the
    # size of the range that its values come from, even if that exceeds the rows: joins need to know how
    # likely a value is to find a partner.
    distinct: Mapping[str, float] = field(default_factory=dict, hash=False)
    keys: tuple[tuple[str, ...], ...] = ()


def source_facts(rows: int | None, rate: float | None, expected: Expectation) -> Facts:
    """A source's facts: what was measured (None: nothing was), else what is expected, else the defaults."""
    number, rows_from = _best_known(rows, expected.rows, DEFAULT_ROWS)
    per_second, rate_from = _best_known(rate, expected.rate_per_second, DEFAULT_RATE)
    return Facts(number, per_second, rows_from, rate_from)


def _best_known(measured: float | None, expected: float | None, default: float) -> tuple[float, Origin]:
    if measured is not None:
        return float(measured), Origin.STATISTICS
    if expected is not None:
        return float(expected), Origin.EXPECTED
    return float(default), Origin.DEFAULT


def facts_of(plan: Plan, relations: Mapping[str, Facts]) -> Facts:
    """The facts of a plan by the rules above, from those of the relations that it reads."""
    match plan:
        case Scan():
            return Facts(relations[plan.relation].rows, relations[plan.relation].rate)
        case Project() | Negate():
            return facts_of(plan.child, relations)
        case Filter() | Restrict():
            return _times(facts_of(plan.child, relations), PASSING)
        case Explode():
            return _times(facts_of(plan.child, relations), ROWS_PER_EXPLODE)
        case Over():
            return _partitions(facts_of(plan.child, relations), plan)
        case Windows():
            return _times(facts_of(plan.child, relations), max(1.0, plan.size / plan.slide))
        case Join():
            return _joined([facts_of(input, relations) for input in plan.inputs])
        case OuterJoin():
            return _joined([facts_of(plan.left, relations), facts_of(plan.right, relations)])
        case SemiJoin():
            left = facts_of(plan.left, relations)
            return _times(_joined([left, facts_of(plan.right, relations)]), PASSING, rows=left.rows)
        case Union():
            inputs = [facts_of(input, relations) for input in plan.inputs]
            return Facts(sum(input.rows for input in inputs), sum(input.rate for input in inputs))
        case Aggregate():
            input = facts_of(plan.child, relations)
            groups = max(1.0, input.rows / ROWS_PER_GROUP) if plan.keys else 1.0
            return Facts(groups, 2.0 * input.rate)
        case _:
            assert_never(plan)


def _partitions(input: Facts, plan: Over) -> Facts:
    """A change makes its partition's rows anew, some of which come out changed."""
    if plan.most is None:
        return Facts(input.rows, 2.0 * input.rate)
    partitions = max(1.0, input.rows / ROWS_PER_GROUP) if plan.partition else 1.0
    return Facts(min(input.rows, partitions * plan.most[1]), 2.0 * input.rate)


def _times(facts: Facts, share: float, rows: float | None = None) -> Facts:
    return Facts((facts.rows if rows is None else rows) * share, facts.rate * share)


def _joined(inputs: list[Facts]) -> Facts:
    rows = max(input.rows for input in inputs)
    return Facts(rows, sum(input.rate * max(1.0, rows / max(input.rows, 1.0)) for input in inputs))

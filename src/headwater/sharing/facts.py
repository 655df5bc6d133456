"""How large a relation is and how fast it changes: measured, expected, or assumed, and which of them it was.

For sources the numbers come, in this order, from the timeline's statistics, from what the user expects
(EXPECT in DDL, `expect:` in headwater.yml), or from defaults that are printed wherever they were used.  For
what is computed they follow from the plan:

    Filter, Semi, Anti    half of the rows pass, and half of the changes
    Join                  as many rows as its largest input: joins mostly follow a key.  A change of an input
                          becomes (rows of the join) / (rows of the input) changes, at least one
    outer joins           as Join
    Union                 sums
    Windows               each row once for every window it falls into
    Aggregate             a tenth as many groups as rows; a change replaces a row: two changes, at most

Doubt: without histograms a skewed join is priced as if it were even.  Once a stage is stored its own row
count replaces the guess, and measured pushes replace the guess of how long they take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import assert_never

from headwater.algebra.nodes import (
    Aggregate,
    Filter,
    Join,
    Negate,
    OuterJoin,
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
    # Different values of a column, by its name in the relation.  The size of the range that an integer's
    # values come from may stand for it, also when it is larger than the number of rows: that is how often
    # a value finds its like elsewhere, which is what joins need to know.
    distinct: Mapping[str, float] = field(default_factory=dict, hash=False)
    keys: tuple[tuple[str, ...], ...] = ()


def source_facts(rows: int | None, rate: float | None, expected: Expectation) -> Facts:
    """A source's facts: what was measured (None: nothing was), else what is expected, else the defaults."""
    sized, size_from = _first(rows, expected.rows, DEFAULT_ROWS)
    paced, pace_from = _first(rate, expected.rate_per_second, DEFAULT_RATE)
    return Facts(sized, paced, size_from, pace_from)


def _first(measured: float | None, expected: float | None, default: float) -> tuple[float, Origin]:
    if measured is not None:
        return float(measured), Origin.STATISTICS
    if expected is not None:
        return float(expected), Origin.EXPECTED
    return float(default), Origin.DEFAULT


def facts_of(plan: Plan, known: Mapping[str, Facts]) -> Facts:
    """What the rules say of a plan over relations that are known."""
    match plan:
        case Scan():
            return Facts(known[plan.relation].rows, known[plan.relation].rate)
        case Project() | Negate():
            return facts_of(plan.child, known)
        case Filter() | Restrict():
            return _times(facts_of(plan.child, known), PASSING)
        case Windows():
            return _times(facts_of(plan.child, known), max(1.0, plan.size / plan.slide))
        case Join():
            return _joined([facts_of(one, known) for one in plan.inputs])
        case OuterJoin():
            return _joined([facts_of(plan.left, known), facts_of(plan.right, known)])
        case SemiJoin():
            left = facts_of(plan.left, known)
            return _times(_joined([left, facts_of(plan.right, known)]), PASSING, rows=left.rows)
        case Union():
            inputs = [facts_of(one, known) for one in plan.inputs]
            return Facts(sum(one.rows for one in inputs), sum(one.rate for one in inputs))
        case Aggregate():
            below = facts_of(plan.child, known)
            groups = max(1.0, below.rows / ROWS_PER_GROUP) if plan.keys else 1.0
            return Facts(groups, 2.0 * below.rate)
        case _:
            assert_never(plan)


def _times(one: Facts, share: float, rows: float | None = None) -> Facts:
    return Facts((one.rows if rows is None else rows) * share, one.rate * share)


def _joined(inputs: list[Facts]) -> Facts:
    rows = max(one.rows for one in inputs)
    return Facts(rows, sum(one.rate * max(1.0, rows / max(one.rows, 1.0)) for one in inputs))

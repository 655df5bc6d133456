"""Partial states: what an aggregate must remember, so that results of parts give the result of the whole.

    count(x)             count(x)                            the count
    count_if(c)          count(1 where c)                    the count
    sum(x)               count(x), sum(x)                    the sum
    avg(x)               count(x), sum(x)                    sum / count
    variance, stddev     count(x), sum(x), sum(x * x)        (squares - mean * sum) / (count - 1), its root
    bool_and, bool_or    count(x), count(1 where x)          equal; above zero
    min(x), max(x)       the value itself
    any other            none smaller than its input

Counts and sums are linear: the state of a + b is the state of a plus the state of b, for deletions too.  The
state of min and max can be merged with that of new rows, but nothing can be taken out of it.

This is the one description of those states.  Who stores them says how (`States`): a stage of a view
(`stages.states`) adds in Spark's exact types, a view of a bounded query (`bounds.views`) in plain columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from typing import Protocol

from headwater.algebra.expressions.build import ZERO, choose, divide, number, positive, when
from headwater.algebra.expressions.functions import plain
from headwater.algebra.expressions.nodes import AggregateCall, Expr
from headwater.algebra.expressions.tree import call, equal
from headwater.errors import InternalError

__all__ = ["MERGED", "Family", "States", "family_of", "merge_function", "result_of", "state_of_row"]


class Family(Enum):
    """Aggregates that need the same states."""

    COUNT = auto()
    COUNT_IF = auto()
    SUM = auto()
    AVERAGE = auto()
    VARIANCE = auto()
    DEVIATION = auto()
    ALL = auto()
    ANY = auto()
    EXTREME = auto()
    OTHER = auto()


_NAMES: dict[Family, Iterable[str]] = {
    Family.COUNT: ("count",),
    Family.COUNT_IF: ("countif",),
    Family.SUM: ("sum",),
    Family.AVERAGE: ("avg", "mean"),
    Family.VARIANCE: ("variance", "varsamp"),
    Family.DEVIATION: ("stddev", "stddevsamp", "std"),
    Family.ALL: ("booland", "every", "logicaland"),
    Family.ANY: ("boolor", "any", "some", "logicalor"),
    Family.EXTREME: ("min", "max"),
}
_FAMILIES = {name: family for family, names in _NAMES.items() for name in names}


_ADDED = (
    "named_struct('n', a.n + b.n, 'mean', a.mean + (b.mean - a.mean) * b.n / (a.n + b.n),"
    " 'spread', a.spread + b.spread + (b.mean - a.mean) * (b.mean - a.mean) * a.n * b.n / (a.n + b.n))"
)
_VARIANCE = (
    "aggregate(collect_list(CASE WHEN {0} > 0 THEN named_struct('n', CAST({0} AS DOUBLE), 'mean', {1},"
    " 'spread', {2} * {0}) END), named_struct('n', 0D, 'mean', 0D, 'spread', 0D), (a, b) -> "
    f"{_ADDED}, s -> CASE WHEN s.n > 1D THEN s.spread / (s.n - 1D) END)"
)
# Results of the parts of a group that no single function merges, and how Spark SQL writes that.  Variances
# are merged by counts, means and spreads, as Spark itself does: a difference of large sums would lose digits.
MERGED = {
    "merged_average": "(sum({0}) / nullif(sum({1}), 0))",
    "merged_variance": _VARIANCE,
    "merged_deviation": f"sqrt({_VARIANCE})",
}


def family_of(aggregate: AggregateCall) -> Family:
    return _FAMILIES.get(plain(aggregate.function), Family.OTHER)


class States(Protocol):
    """Where the states of a group are kept: gives each as an expression, and knows how to compute with it."""

    def count(self, where: Expr | None, *arguments: Expr) -> Expr:
        """How many rows pass `where` with no NULL among the arguments."""

    def total(self, where: Expr | None, argument: Expr, spark_type: str) -> Expr:
        """The sum of the argument over the rows that pass `where`."""

    def sum_of(self, total: Expr, spark_type: str) -> Expr:
        """The result of sum(x), if there are values."""

    def average_of(self, total: Expr, present: Expr, spark_type: str) -> Expr:
        """The result of avg(x), if there are values."""

    def unless_empty(self, present: Expr, value: Expr) -> Expr:
        """The value if `present` counts any, else NULL."""


def result_of(aggregate: AggregateCall, states: States) -> Expr:
    """The aggregate's value from its states, each of which is asked for."""
    family, where = family_of(aggregate), aggregate.where
    if family is Family.COUNT:
        return states.count(where, *aggregate.arguments)
    argument = aggregate.arguments[0]
    if family is Family.COUNT_IF:
        return states.count(where, when(argument, number(1)))
    present = states.count(where, argument)
    if family in (Family.ALL, Family.ANY):
        true = states.count(where, when(argument, number(1)))
        value: Expr = equal(true, present) if family is Family.ALL else positive(true)
    else:
        value = _numeric(aggregate, family, present, states)
    return states.unless_empty(present, value)


def _numeric(aggregate: AggregateCall, family: Family, present: Expr, states: States) -> Expr:
    argument, where, kind = aggregate.arguments[0], aggregate.where, aggregate.type
    total = states.total(where, argument, kind)
    if family is Family.SUM:
        return states.sum_of(total, kind)
    mean = states.average_of(total, present, kind)
    if family is Family.AVERAGE:
        return mean
    if family not in (Family.VARIANCE, Family.DEVIATION):
        raise InternalError("HW907", f'the aggregate "{aggregate.function}" has no partial states')
    squares = states.total(where, call("mul", argument, argument), kind)
    spread = call("sub", squares, call("mul", mean, total))
    variance = divide(spread, call("sub", present, number(1)))
    return variance if family is Family.VARIANCE else call("sqrt", variance)


def merge_function(state: AggregateCall) -> str:
    """The aggregate that makes one state of several: counts are added, others merge by their own function."""
    return "sum" if family_of(state) is Family.COUNT else state.function


def state_of_row(state: AggregateCall, one: Expr) -> Expr:
    """The share of a single row in a count or a sum; `one` is how the number 1 is written."""
    match family_of(state), state.arguments:
        case Family.COUNT, ():
            return one
        case Family.COUNT, (argument,):
            return choose(call("not_null", argument), one, ZERO)
        case Family.SUM, (argument,):
            return argument
        case _:
            raise InternalError("HW907", f'the state "{state.function}" is not a sum over rows')

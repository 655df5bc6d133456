"""The states that a grouped view stores, and how a reader finishes them.

    count(*)  cnt                          count(x)   cnt_x
    sum(x)    sum_x, cnt_x                 avg(x)     sum_x / cnt_x
    variance, stddev                       cnt_x, sum_x and the sum of x * x

Which states an aggregate needs is described in algebra.expressions.partial_states; here they are plain
columns.  All of them only add, so a change is an increment, in any order.  MIN and MAX do not: when the
largest value of a group is deleted, the next one must be found.  Where the groups are of one table, that is
one read of an index (`extremes.py`); the largest value of no group is read from an ordered index or view
(`optimize.extreme`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.algebra.expressions.build import ZERO, aggregate_of, divide
from headwater.algebra.expressions.partial_states import Family, family_of, merge_function, result_of
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, Literal, call
from headwater.bounds.views.refused import Refused

__all__ = ["is_extreme", "partial_states", "read_state"]

_MAINTAINABLE = {Family.COUNT, Family.SUM, Family.AVERAGE, Family.VARIANCE, Family.DEVIATION}
_ROW_COUNT = aggregate_of("count")
_DECIMAL_ONE = Literal(1.0, "1.0")  # makes a division of whole numbers exact in every dialect


def partial_states(
    aggregates: tuple[AggregateCall, ...], extremes: bool = False
) -> tuple[AggregateCall, ...]:
    """The states to store, always with the number of rows: a group without rows is deleted.

    `extremes`: MIN and MAX may be read again after each change.
    """
    states = _Wanted([_ROW_COUNT])
    for aggregate in aggregates:
        if extremes and is_extreme(aggregate):
            states.calls.append(_plain_extreme(aggregate))
            continue
        _refuse_unmaintainable(aggregate)
        result_of(aggregate, states)
    return tuple(dict.fromkeys(states.calls))


def is_extreme(state: Expr) -> bool:
    """MIN or MAX of a column."""
    return (
        isinstance(state, AggregateCall)
        and family_of(state) is Family.EXTREME
        and len(state.arguments) == 1
        and isinstance(state.arguments[0], Column)
    )


def _plain_extreme(aggregate: AggregateCall) -> AggregateCall:
    """DISTINCT changes nothing."""
    return aggregate_of(aggregate.function, *aggregate.arguments)


def read_state(aggregate: AggregateCall, stored: Mapping[Expr, Expr], merged: bool) -> Expr:
    """The aggregate from stored states: of one row, or (`merged`) added up over several."""
    if is_extreme(aggregate):
        column = stored[_plain_extreme(aggregate)]
        return aggregate_of(aggregate.function, column) if merged else column
    value = result_of(aggregate, _Stored(stored, merged))
    count = family_of(aggregate) is Family.COUNT
    return call("coalesce", value, ZERO) if count and merged else value


def _refuse_unmaintainable(aggregate: AggregateCall) -> None:
    family = family_of(aggregate)
    if family is Family.EXTREME:
        raise Refused(
            f"{sql_of(aggregate)} of a group cannot be kept by adding: "
            "after a deletion the next value must be searched for"
        )
    if family not in _MAINTAINABLE or aggregate.distinct or len(aggregate.arguments) > 1:
        raise Refused(f"{sql_of(aggregate)} needs a state that grows with the data")


class _Plain:
    """Arithmetic of plain columns: the sum of no values is NULL by itself."""

    def sum_of(self, total: Expr, spark_type: str) -> Expr:
        return total

    def average_of(self, total: Expr, present: Expr, spark_type: str) -> Expr:
        return divide(call("mul", total, _DECIMAL_ONE), present)

    def unless_empty(self, present: Expr, value: Expr) -> Expr:
        return value


@dataclass(slots=True)
class _Wanted(_Plain):
    """Collects the states that are asked for."""

    calls: list[AggregateCall] = field(default_factory=list)

    def count(self, where: Expr | None, *arguments: Expr) -> Expr:
        return self._noted(aggregate_of("count", *arguments))

    def total(self, where: Expr | None, argument: Expr, spark_type: str) -> Expr:
        return self._noted(aggregate_of("sum", argument))

    def _noted(self, state: AggregateCall) -> Expr:
        self.calls.append(state)
        return state


@dataclass(frozen=True, slots=True)
class _Stored(_Plain):
    """Reads states from the columns of a view."""

    columns: Mapping[Expr, Expr]
    merged: bool

    def count(self, where: Expr | None, *arguments: Expr) -> Expr:
        return self._read(aggregate_of("count", *arguments))

    def total(self, where: Expr | None, argument: Expr, spark_type: str) -> Expr:
        return self._read(aggregate_of("sum", argument))

    def _read(self, state: AggregateCall) -> Expr:
        column = self.columns[state]
        return aggregate_of(merge_function(state), column) if self.merged else column

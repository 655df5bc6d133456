"""The states that a stage stores for its aggregates, and the expressions that rebuild the results from them.

    avg(x)  ->  states  sum(coalesce(x, 0)), count(x)      result  CASE WHEN count > 0 THEN sum / count END

Which states an aggregate needs is described in expressions.partial_states.  Here they get Spark's types: only
counts and exact sums are linear, because a float sum would drift away from a recompute.  Any other function
is its own state; min and max can be merged with those of new rows, the rest must be computed anew.

States are shared: sum(x), avg(x) and count(x) together keep one sum and one count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from headwater.algebra.expressions.build import ZERO, cast, divide, number, positive, when
from headwater.algebra.expressions.partial_states import Family, family_of, merge_function, result_of
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, Literal, call, slots
from headwater.algebra.expressions.types import (
    average_type,
    exact_average,
    is_exact,
    sum_state_type,
    sum_type,
)

__all__ = ["ROW_COUNT", "StageStates", "is_mergeable", "merging", "plain_names", "states_of"]

ROW_COUNT = AggregateCall("_n", "count", (), "count(1)")


@dataclass(frozen=True, slots=True)
class StageStates:
    """`calls` are the states, `results` one expression over them for each aggregate, in order."""

    calls: tuple[AggregateCall, ...]
    results: tuple[Expr, ...]
    linear: bool


@dataclass(slots=True)
class _Collector:
    """Gives each different state one name, also when several aggregates need it; sums are exact."""

    taken: set[str]
    calls: dict[AggregateCall, str] = field(default_factory=dict)

    def keep(self, state: AggregateCall) -> Column:
        nameless = replace(state, name="")
        if nameless not in self.calls:
            self.calls[nameless] = _free(state.name, self.taken)
        return Column(self.calls[nameless])

    def count(self, where: Expr | None, *arguments: Expr) -> Column:
        constant = all(isinstance(value, Literal) and value.value is not None for value in arguments)
        if where is None and constant:
            return self.keep(ROW_COUNT)
        guarded = (guard(where, arguments[0] if arguments else number(1)), *arguments[1:])
        return self.keep(AggregateCall("_count1", "count", guarded, f"count({slots(len(guarded))})"))

    def total(self, where: Expr | None, argument: Expr, spark_type: str) -> Column:
        state = sum_state_type(spark_type)
        added = call("coalesce", cast(guard(where, argument), state), cast(ZERO, state))
        return self.keep(AggregateCall("_sum1", "sum", (added,), "sum({0})", type=spark_type))

    def sum_of(self, total: Expr, spark_type: str) -> Expr:
        result = sum_type(spark_type)
        return total if sum_state_type(spark_type) == result else cast(total, result)

    def average_of(self, total: Expr, present: Expr, spark_type: str) -> Expr:
        result = average_type(spark_type)
        if result == "double":
            return divide(cast(total, "double"), cast(present, "double"))
        return cast(divide(self.sum_of(total, spark_type), cast(present, "decimal(20,0)")), result)

    def unless_empty(self, present: Expr, value: Expr) -> Expr:
        return when(positive(present), value)


def guard(where: Expr | None, argument: Expr) -> Expr:
    """The argument in rows that pass FILTER (WHERE ...), else NULL."""
    return argument if where is None else when(where, argument)


def states_of(aggregates: tuple[AggregateCall, ...], keys: Iterable[str]) -> StageStates:
    """The states of some aggregates; a linear set also counts the rows, to know when a group is empty."""
    collector = _Collector({name.lower() for name in keys})
    linear = all(map(_is_linear, aggregates))
    if linear:
        collector.keep(ROW_COUNT)
    results = tuple(_result(aggregate, collector) for aggregate in aggregates)
    calls = tuple(replace(state, name=name) for state, name in collector.calls.items())
    return StageStates(calls, results, linear)


def _result(aggregate: AggregateCall, collector: _Collector) -> Expr:
    """The aggregate's value from its states; the states are added to the collector."""
    if _is_linear(aggregate):
        return result_of(aggregate, collector)
    return collector.keep(replace(aggregate, name=plain_names([aggregate.name])[0]))


def _is_linear(aggregate: AggregateCall) -> bool:
    """Can its states be kept by adding, deletions included, without rounding?"""
    if aggregate.distinct:
        return False
    match family_of(aggregate):
        case Family.COUNT | Family.COUNT_IF | Family.ALL | Family.ANY:
            return True
        case Family.SUM:
            return is_exact(aggregate.type)
        case Family.AVERAGE:
            return exact_average(aggregate.type)
        case _:
            return False


def is_mergeable(state: AggregateCall) -> bool:
    """Is the state of old and new rows together known from the state of each?"""
    match family_of(state):
        case Family.EXTREME:
            return True
        case Family.COUNT:
            return not state.distinct
        case Family.SUM:
            return not state.distinct and is_exact(state.type)
        case _:
            return False


def merging(state: AggregateCall) -> AggregateCall:
    """The aggregate over stored states that gives the state of all their rows: counts add up."""
    function = merge_function(state)
    kind = state.type
    if function == "sum":
        kind = "bigint" if state.function == "count" else sum_state_type(kind)
    return AggregateCall(state.name, function, (Column(state.name),), f"{function}({{0}})", type=kind)


def plain_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names that any Delta reader takes: letters, digits and _, different also when case is ignored."""
    taken: set[str] = set()
    return tuple(_free(re.sub(r"\W", "_", name.rsplit(".", 1)[-1]) or "column", taken) for name in names)


def _free(name: str, taken: set[str]) -> str:
    """The name, or the name with the next number that makes it new; it is taken afterwards."""
    stem = name.rstrip("0123456789") or name
    suffix = 1
    while name.lower() in taken:
        suffix += 1
        name = f"{stem}{suffix}"
    taken.add(name.lower())
    return name

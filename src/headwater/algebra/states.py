"""What an aggregate must remember: partial states, and the expressions that rebuild the results from them.

    avg(x)  ->  states  sum(coalesce(x, 0)), count(x)      result  CASE WHEN count > 0 THEN sum / count END

A state that is a count or an exact sum is linear: the state of a + b is the state of a plus the state of b,
for deltas with negative weights too.  A state that is a min or a max can still be merged with that of new
rows, but not with that of deleted ones.  Any other function is its own state and must be computed anew.

States are shared: sum(x), avg(x) and count(x) together keep one sum and one count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from headwater.algebra.build import ZERO, cast, divide, number, positive, when
from headwater.algebra.expressions import Column, Expr, Literal, call, equal
from headwater.algebra.nodes import AggregateCall
from headwater.algebra.types import average_type, exact_average, is_exact, sum_state_type, sum_type

__all__ = ["ROW_COUNT", "States", "is_mergeable", "merging", "plain_names", "states_of"]

ROW_COUNT = AggregateCall("_n", "count", (), "count(1)")

ALL = {"bool_and", "every", "logical_and", "logicaland"}
ANY = {"bool_or", "any", "some", "logical_or", "logicalor"}
COUNT_IF = {"count_if", "countif"}


@dataclass(frozen=True, slots=True)
class States:
    """`calls` are the states, `results` one expression over them for each aggregate, in order."""

    calls: tuple[AggregateCall, ...]
    results: tuple[Expr, ...]
    linear: bool


@dataclass(slots=True)
class _Collector:
    """Gives each different state one name, also when several aggregates need it."""

    taken: set[str]
    calls: dict[AggregateCall, str] = field(default_factory=dict)

    def keep(self, state: AggregateCall) -> Column:
        nameless = replace(state, name="")
        if nameless not in self.calls:
            self.calls[nameless] = _free(state.name, self.taken)
        return Column(self.calls[nameless])

    def count(self, where: Expr | None, *arguments: Expr) -> Column:
        """How many rows pass `where` with no NULL among the arguments."""
        if where is None and all(isinstance(one, Literal) and one.value is not None for one in arguments):
            return self.keep(ROW_COUNT)
        guarded = (guard(where, arguments[0] if arguments else number(1)), *arguments[1:])
        slots = ", ".join(f"{{{index}}}" for index in range(len(guarded)))
        return self.keep(AggregateCall("_count1", "count", guarded, f"count({slots})"))

    def sum(self, where: Expr | None, argument: Expr, spark_type: str) -> Column:
        state = sum_state_type(spark_type)
        added = call("coalesce", cast(guard(where, argument), state), cast(ZERO, state))
        return self.keep(AggregateCall("_sum1", "sum", (added,), "sum({0})", type=state))


def guard(where: Expr | None, argument: Expr) -> Expr:
    """The argument in rows that pass FILTER (WHERE ...), else NULL."""
    return argument if where is None else when(where, argument)


def states_of(aggregates: tuple[AggregateCall, ...], keys: Iterable[str]) -> States:
    """The states of some aggregates; a linear set also counts the rows, to know when a group is empty."""
    collector = _Collector({name.lower() for name in keys})
    linear = all(_is_linear(one) for one in aggregates)
    if linear:
        collector.keep(ROW_COUNT)
    results = tuple(_result(one, collector) for one in aggregates)
    calls = tuple(replace(state, name=name) for state, name in collector.calls.items())
    return States(calls, results, linear)


def _is_linear(one: AggregateCall) -> bool:
    if one.distinct:
        return False
    match one.function:
        case "count":
            return True
        case "sum":
            return is_exact(one.type)
        case "avg" | "mean":
            return exact_average(one.type)
        case function:
            return function in ALL | ANY | COUNT_IF


def _result(one: AggregateCall, states: _Collector) -> Expr:
    """The aggregate's value from its states; the states are added to the collector."""
    if not _is_linear(one):
        return states.keep(replace(one, name=plain_names([one.name])[0]))
    if one.function == "count":
        return states.count(one.where, *one.arguments)
    argument = one.arguments[0]
    if one.function in COUNT_IF:
        return states.count(one.where, when(argument, number(1)))
    present = states.count(one.where, argument)
    if one.function in ("sum", "avg", "mean"):
        total = states.sum(one.where, argument, one.type)
        value = _sum(total, one.type) if one.function == "sum" else _average(total, present, one.type)
    else:
        true = states.count(one.where, when(argument, number(1)))
        value = equal(true, present) if one.function in ALL else positive(true)
    return when(positive(present), value)


def _sum(total: Expr, spark_type: str) -> Expr:
    result = sum_type(spark_type)
    return total if sum_state_type(spark_type) == result else cast(total, result)


def _average(total: Expr, present: Expr, spark_type: str) -> Expr:
    result = average_type(spark_type)
    if result == "double":
        return divide(cast(total, "double"), cast(present, "double"))
    return cast(divide(_sum(total, spark_type), cast(present, "decimal(20,0)")), result)


def is_mergeable(state: AggregateCall) -> bool:
    """Is the state of old and new rows together known from the state of each?"""
    match state.function:
        case "min" | "max":
            return True
        case "count":
            return not state.distinct
        case "sum":
            return not state.distinct and is_exact(state.type)
        case _:
            return False


def merging(state: AggregateCall) -> AggregateCall:
    """The aggregate over stored states that gives the state of all their rows: counts add up."""
    function = "sum" if state.function == "count" else state.function
    kind = "bigint" if state.function == "count" else state.type
    return AggregateCall(state.name, function, (Column(state.name),), f"{function}({{0}})", type=kind)


def plain_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names that any Delta reader takes: letters, digits and _, different also when case is ignored."""
    taken: set[str] = set()
    return tuple(_free(re.sub(r"\W", "_", name.rsplit(".", 1)[-1]) or "column", taken) for name in names)


def _free(name: str, taken: set[str]) -> str:
    """The name, or the name with the next number that makes it new; it is taken afterwards."""
    stem = name.rstrip("0123456789") or name
    number_ = 1
    while name.lower() in taken:
        number_ += 1
        name = f"{stem}{number_}"
    taken.add(name.lower())
    return name

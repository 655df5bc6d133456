"""What a group remembers, made of what its parts remember.

A stage may be computed from parts of its groups: from fragments of time, or from finer groups.  Each state of
the stage is then an aggregate of states of the parts.

    state                       of a part                              of the whole
    count(x), exact sum(x)      the same                               sum of them
    sum of doubles              the same                               sum of them
    min(x), max(x)              the same                               min, max of them
    avg of doubles              sum(x), count(x)                       merged_average
    variance, stddev            count(x), avg(x), var_pop(x)           merged_variance, merged_deviation
    anything else, DISTINCT     none

avg of exact numbers, count_if, bool_and and bool_or are kept as counts and exact sums already (states.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.algebra.expressions.build import cast
from headwater.algebra.expressions.partial_states import MERGED, Family, family_of, merge_function
from headwater.algebra.expressions.tree import AggregateCall, Column
from headwater.algebra.expressions.types import is_exact, sum_state_type
from headwater.algebra.stages.states import is_mergeable

__all__ = ["Parts", "is_additive", "parts_of"]

_FLOATS = ("double", "float", "real")


@dataclass(frozen=True, slots=True)
class Parts:
    """The states that parts keep, without names, and the function that makes the whole's state of them."""

    states: tuple[AggregateCall, ...]
    function: str
    type: str = ""

    def merged(self, name: str, columns: tuple[str, ...]) -> AggregateCall:
        """The whole's state over the columns that hold the parts'."""
        template = MERGED.get(self.function, f"{self.function}({{0}})")
        return AggregateCall(name, self.function, tuple(map(Column, columns)), template, type=self.type)


def parts_of(state: AggregateCall) -> Parts | None:
    """What parts must keep for a state of a stage; None if nothing smaller than their rows would do."""
    if state.distinct:
        return None
    own = replace(state, name="")
    match family_of(state):
        case Family.COUNT:
            return Parts((own,), "sum", "bigint")
        case Family.SUM if is_exact(state.type) or state.type.lower() in _FLOATS:
            return Parts((own,), "sum", sum_state_type(state.type) if is_exact(state.type) else "double")
        case Family.EXTREME:
            return Parts((own,), merge_function(state), state.type)
        case Family.AVERAGE if state.type.lower() in _FLOATS:
            total = replace(own, function="sum", template="sum({0})")
            return Parts((total, _count(own)), "merged_average", "double")
        case Family.VARIANCE:
            return Parts(_moments(own), "merged_variance", "double")
        case Family.DEVIATION:
            return Parts(_moments(own), "merged_deviation", "double")
        case _:
            return None


def _count(state: AggregateCall) -> AggregateCall:
    return replace(state, function="count", template="count({0})", type="")


def _moments(state: AggregateCall) -> tuple[AggregateCall, ...]:
    """Count, mean and population variance, in doubles as Spark computes them."""
    double = replace(state, arguments=tuple(cast(argument, "double") for argument in state.arguments))
    mean = replace(double, function="avg", template="avg({0})", type="double")
    spread = replace(double, function="var_pop", template="var_pop({0})", type="double")
    return _count(state), mean, spread


def is_additive(state: AggregateCall) -> bool:
    """Whether a state is kept by adding what comes and subtracting what goes, without rounding."""
    return is_mergeable(state) and family_of(state) is not Family.EXTREME

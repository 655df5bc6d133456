"""Partial states of aggregates: what a grouped view stores, and how a reader finishes it.

    count(*)  cnt                          count(x)   cnt_x
    sum(x)    sum_x, cnt_x                 avg(x)     sum_x / cnt_x
    variance, stddev                       cnt_x, sum_x and the sum of x * x

All states only add, so a change is an increment, in any order.  MIN and MAX do not: when the largest value
of a group is deleted, the next one must be found; `optimize.extreme` reads them from an ordered view instead.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.scale.expr import Aggregate, Expr, Fn, Lit, call, sql_of
from headwater.scale.refused import Refused

__all__ = ["MAINTAINABLE", "partial_states", "read_state"]

MAINTAINABLE = ("count", "sum", "avg", "variance", "stddev")
_EVERY = Aggregate("count", (), "COUNT(*)")


def _count(value: Expr) -> Aggregate:
    return Aggregate("count", (value,), "COUNT({0})")


def _sum(value: Expr) -> Aggregate:
    return Aggregate("sum", (value,), "SUM({0})")


def partial_states(wanted: tuple[Aggregate, ...]) -> tuple[Aggregate, ...]:
    """The states to store, the number of rows always among them: a group with none is deleted."""
    found: list[Aggregate] = [_EVERY]
    for one in wanted:
        if one.function not in MAINTAINABLE or one.distinct or len(one.arguments) > 1:
            raise_unmaintainable(one)
        for value in one.arguments:
            found.append(_count(value))
            if one.function != "count":
                found.append(_sum(value))
            if one.function in ("variance", "stddev"):
                found.append(_sum(call("mul", value, value)))
    return tuple(dict.fromkeys(found))


def raise_unmaintainable(one: Aggregate) -> None:
    if one.function in ("min", "max"):
        raise Refused(
            f"{sql_of(one)} of a group cannot be kept by adding: "
            "after a deletion the next value must be searched for"
        )
    raise Refused(f"{sql_of(one)} needs a state that grows with the data")


def read_state(one: Aggregate, mapping: Mapping[Expr, Expr], again: bool) -> Expr:
    """The aggregate from stored states: of one row, or (`again`) added up over several."""

    def state(partial: Aggregate) -> Expr:
        stored = mapping[partial]
        return _sum(stored) if again else stored

    if one.function == "count":
        whole = state(_count(one.arguments[0]) if one.arguments else _EVERY)
        return call("coalesce", whole, Lit(0, "0")) if again else whole
    value = one.arguments[0]
    total, number = state(_sum(value)), state(_count(value))
    if one.function == "sum":
        return total
    mean = call("div", call("mul", total, Lit(1.0, "1.0")), number)
    if one.function == "avg":
        return mean
    squares = state(_sum(call("mul", value, value)))
    spread = call("sub", squares, call("mul", mean, total))
    variance = call("div", spread, call("sub", number, Lit(1, "1")))
    return variance if one.function == "variance" else Fn("sqrt", (variance,), "SQRT({0})")

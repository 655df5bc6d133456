"""Random window functions: ranks, neighbours and aggregates over frames by rows and by range."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, call
from headwater.algebra.expressions.types import is_exact, sum_type
from headwater.algebra.plans.framing import Bound, Edge, Frame, Order, OverCall
from headwater.algebra.plans.nodes import Filter, Over, Plan
from headwater.bench.laws.random_expressions import Typed

__all__ = ["random_over"]

_RANKS = ("row_number", "rank", "dense_rank")
_SHARES = ("percent_rank", "cume_dist")


def random_over(
    random: Random, child: Plan, columns: Typed, name: Callable[[], str]
) -> tuple[Plan, tuple[str, ...]]:
    """Window functions over a plan, now and then with a condition on a rank, and the types of all columns."""
    partition = tuple(
        Column(column) for column, _ in random.sample(columns, min(len(columns), random.choice((0, 1, 1, 2))))
    )
    ordered = random.sample(columns, min(len(columns), random.choice((1, 1, 2))))
    order = tuple(
        Order(Column(column), random.random() < 0.4, random.random() < 0.5) for column, _ in ordered
    )
    by_number = len(ordered) == 1 and ordered[0][1] == "int"
    drawn = [_call(random, columns, name(), by_number) for _ in range(random.choice((1, 1, 2)))]
    over: Plan = Over(child, partition, order, tuple(function for function, _ in drawn))
    ranks = [function.name for function, _ in drawn if function.function in _RANKS]
    if ranks and random.random() < 0.6:
        sign, most = random.choice((("lte", 1), ("lte", 2), ("eq", 1), ("eq", 2), ("lt", 3)))
        over = Filter(over, call(sign, Column(ranks[0]), number(most)))
    return over, (*(kind for _, kind in columns), *(kind for _, kind in drawn))


def _call(random: Random, columns: Typed, name: str, by_number: bool) -> tuple[OverCall, str]:
    column, kind = random.choice(columns)
    argument: Expr = Column(column)
    match random.randrange(5):
        case 0 | 1:
            function = random.choice(_RANKS)
            return OverCall(AggregateCall(name, function, (), f"{function}()")), "int"
        case 2:
            return _other_number(random, name, argument, kind)
        case 3:
            function = random.choice(("first_value", "last_value"))
            frame = _frame(random, by_number)
            return OverCall(AggregateCall(name, function, (argument,), f"{function}({{0}})"), frame), kind
        case _:
            exact = is_exact(kind) and kind in ("int", "bigint")
            function, result = random.choice(
                [
                    ("count", "bigint"),
                    ("max", kind),
                    ("min", kind),
                    *([("sum", sum_type(kind))] if exact else []),
                ]
            )
            aggregate = AggregateCall(name, function, (argument,), f"{function}({{0}})", type=kind)
            return OverCall(aggregate, _frame(random, by_number)), result


def _other_number(random: Random, name: str, argument: Expr, kind: str) -> tuple[OverCall, str]:
    function = random.choice((*_SHARES, "ntile", "lag", "lead"))
    if function in _SHARES:
        return OverCall(AggregateCall(name, function, (), f"{function}()")), "double"
    if function == "ntile":
        return OverCall(AggregateCall(name, function, (number(2),), "ntile({0})")), "int"
    shifted = AggregateCall(
        name, function, (argument, number(random.choice((0, 1, 2)))), f"{function}({{0}}, {{1}})"
    )
    return OverCall(shifted), kind


def _frame(random: Random, by_number: bool) -> Frame | None:
    if random.random() < 0.3:
        return None
    rows = random.random() < 0.6
    offsets = rows or by_number
    starts = [Bound(Edge.START), Bound(Edge.CURRENT)]
    ends = [Bound(Edge.CURRENT), Bound(Edge.END)]
    if offsets:
        starts += [Bound(Edge.BEFORE, number(1)), Bound(Edge.AFTER, number(1))]
        ends += [Bound(Edge.AFTER, number(2)), Bound(Edge.AFTER, number(1))]
    return Frame(rows, random.choice(starts), random.choice(ends))

"""Partial states of parts give the result of the whole, in stages of views and in views of bounded queries."""

from __future__ import annotations

import math
import random

import pytest

from headwater.algebra.expressions.aggregates import Weighted, aggregate, aggregator
from headwater.algebra.expressions.build import aggregate_of
from headwater.algebra.expressions.compile import compile_with
from headwater.algebra.expressions.nodes import AggregateCall
from headwater.algebra.expressions.partial_states import Family, family_of, merge_function, state_of_row
from headwater.algebra.expressions.tree import Column, Expr, Literal
from headwater.bounds.views.partial_states import partial_states, read_state
from headwater.bounds.views.refused import Refused

X = Column("x")
ONE = Literal(1, "1")
ADDITIVE = ("count", "sum", "avg", "variance", "stddev")


def value(expr: Expr, row: dict[Expr, object]) -> object:
    return compile_with(expr, lambda leaf: lambda given: given[leaf], ansi=False)(row)


def merged(state: AggregateCall, parts: list[Weighted]) -> object:
    """The state of all parts, from the state of each."""
    states = [aggregator(state, ("x",))(part) for part in parts]
    whole = aggregate_of(merge_function(state), Column("state"))
    return aggregate(whole, [((state,), 1) for state in states])


@pytest.mark.parametrize("function", ADDITIVE)
@pytest.mark.parametrize("seed", range(20))
def test_parts_give_the_whole(function: str, seed: int) -> None:
    random_ = random.Random(seed)
    rows = [((random_.choice([None, *range(-5, 20)]),), 1) for _ in range(random_.randrange(0, 12))]
    cut = random_.randrange(len(rows) + 1)
    call = aggregate_of(function, X)
    states = partial_states((call,))
    row: dict[Expr, object] = {state: merged(state, [rows[:cut], rows[cut:]]) for state in states}
    finished = value(read_state(call, {state: state for state in states}, merged=False), row)
    expected = aggregator(call, ("x",))(rows)
    assert finished == expected or math.isclose(finished, expected, abs_tol=1e-9)  # type: ignore[arg-type]


def test_the_state_of_a_group_is_the_sum_over_its_rows() -> None:
    rows = [((3,), 1), ((None,), 1), ((4,), 1)]
    for state in partial_states((aggregate_of("stddev", X),)):
        shares = [value(state_of_row(state, ONE), {X: row[0]}) for row, _ in rows]
        assert sum(share or 0 for share in shares) == aggregator(state, ("x",))(rows)  # type: ignore[misc]


def test_names_of_one_family() -> None:
    assert {family_of(aggregate_of(name, X)) for name in ("bool_and", "every", "logical_and")} == {Family.ALL}
    assert family_of(aggregate_of("percentile", X)) is Family.OTHER


@pytest.mark.parametrize("function", ["min", "max", "median", "var_pop", "bool_or"])
def test_what_does_not_add_is_refused_by_a_bounded_view(function: str) -> None:
    with pytest.raises(Refused):
        partial_states((aggregate_of(function, X),))

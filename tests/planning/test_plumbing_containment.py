"""Containment: what is proved is true of every value; what should be proved is."""

from __future__ import annotations

import itertools
import math
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.algebra.expressions.compile import holds
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call
from headwater.algebra.text.expressions import Reader
from headwater.planning.relations.containment import implies, residual
from headwater.planning.relations.relations import Input, Relation
from support.cases import law

pytestmark = pytest.mark.slow

NUMBERS = [None, -1, 0, 1, 2, 3, 4, 5, Decimal("0.5"), Decimal("1.5"), Decimal("3.5"), 7]
COLUMNS = ("t.x", "t.y")


def parse_expr(text: str) -> Expr:
    return Reader(text).expr()


def literal(value: object) -> Literal:
    return Literal(value, "NULL" if value is None else repr(value))


def filters_over(values: st.SearchStrategy[object]) -> st.SearchStrategy[Expr]:
    column = st.sampled_from([Column(name) for name in COLUMNS])
    constant = values.map(literal)
    comparison = st.sampled_from(["eq", "neq", "lt", "lte", "gt", "gte"])
    listed = st.lists(constant, min_size=1, max_size=4)

    def among(column: Column, items: list[Literal]) -> Expr:
        return Call("in", (column, *items), "({0} IN (...))")

    simple = st.one_of(
        st.builds(lambda f, c, v: call(f, c, v), comparison, column, constant),
        st.builds(lambda f, c, v: call(f, v, c), comparison, column, constant),
        st.builds(among, column, listed),
        st.builds(lambda c, v: call("not", among(c, v)), column, listed),
        st.builds(
            lambda c, a, b: Call("between", (c, a, b), "({0} BETWEEN {1} AND {2})"),
            column,
            constant,
            constant,
        ),
        st.builds(lambda c: call("not", call("is_null", c)), column),
        st.builds(lambda c: call("is_null", c), column),
    )
    return st.one_of(
        simple, st.builds(lambda a, b: call("or", a, b), simple, simple),
        st.builds(lambda a, b: call("and", a, b), simple, simple),
    )  # fmt: skip


def all_true(filters: tuple[Expr, ...], row: tuple[object, ...]) -> bool:
    return all(holds(condition, COLUMNS)(row) for condition in filters)


def relation(*filters: Expr) -> Relation:
    return Relation((Input("t", "t", filters),))


FILTERS = st.lists(filters_over(st.sampled_from(NUMBERS)), max_size=4).map(tuple)


@law(900)
@given(FILTERS, FILTERS)
def test_what_is_proved_holds_of_every_row(part: tuple[Expr, ...], whole: tuple[Expr, ...]) -> None:
    rest = residual(relation(*part), relation(*whole))
    if rest is None:
        return
    for row in itertools.product(NUMBERS, NUMBERS):
        kept = all_true(part, row)
        assert not kept or all_true(whole, row)
        assert kept == (all_true(whole, row) and all_true(rest, row))


@law(700)
@given(FILTERS, filters_over(st.sampled_from(NUMBERS)))
def test_an_implied_filter_is_true_wherever_the_others_are(premise: tuple[Expr, ...], wanted: Expr) -> None:
    if implies(premise, wanted):
        for row in itertools.product(NUMBERS, NUMBERS):
            assert not all_true(premise, row) or all_true((wanted,), row)


DOUBLES = [None, -math.inf, -1.0, -0.0, 0.0, 0.5, 2.0, math.inf, math.nan]


@law(900)
@given(
    st.lists(filters_over(st.sampled_from(DOUBLES)), max_size=3).map(tuple),
    filters_over(st.sampled_from(DOUBLES)),
)
def test_doubles_with_nan_and_infinity(premise: tuple[Expr, ...], wanted: Expr) -> None:
    if implies(premise, wanted):
        for row in itertools.product(DOUBLES, DOUBLES):
            assert not all_true(premise, row) or all_true((wanted,), row)


PROVED = [
    ("t.x > 5", "t.x > 3"),
    ("t.x > 5", "t.x >= 5"),
    ("t.x >= 5 AND t.x <> 5", "t.x > 5"),
    ("t.x = 4", "t.x BETWEEN 3 AND 5"),
    ("t.x BETWEEN 3 AND 5", "t.x >= 2"),
    ("t.x BETWEEN 3 AND 3", "t.x = 3"),
    ("t.x IN (1, 2)", "t.x IN (1, 2, 3)"),
    ("t.x IN (1, 2) AND t.x > 1", "t.x = 2"),
    ("t.x < 3", "t.x <> 3"),
    ("t.x = 1", "t.x <> 2"),
    ("t.x < 3", "t.x IS NOT NULL"),
    ("t.x LIKE 'a%'", "t.x LIKE 'a%'"),
    ("t.x LIKE 'a%'", "t.x IS NOT NULL"),
    ("t.x = 'a'", "t.x IN ('a', 'b')"),
    ("t.x <> 'a' AND t.y > 1", "t.x <> 'a'"),
    ("t.x = 1", "t.x = 2 OR t.x < 5"),
    ("t.x > 5 AND t.x < NULL", "t.y = 1"),
]
NOT_PROVED = [
    ("t.x > 3", "t.x > 5"),
    ("t.x >= 5", "t.x > 5"),
    ("t.x > 5", "t.y > 3"),
    ("t.x LIKE 'ab%'", "t.x LIKE 'a%'"),
    ("t.x < '10'", "t.x < '9'"),  # as numbers, false; as texts, true
    ("t.x = '1'", "t.x <> '01'"),  # as numbers, false
    ("t.x > 9007199254740993", "t.x > 9007199254740992"),  # a double cannot tell them apart
    ("t.x IS NULL", "t.x < 3"),
]


@pytest.mark.parametrize(("premise", "wanted"), PROVED)
def test_proved(premise: str, wanted: str) -> None:
    assert implies((parse_expr(premise),), parse_expr(wanted))


@pytest.mark.parametrize(("premise", "wanted"), NOT_PROVED)
def test_not_proved(premise: str, wanted: str) -> None:
    assert not implies((parse_expr(premise),), parse_expr(wanted))


def test_dates_are_ordered() -> None:
    early, late = (Literal(date(2024, month, 1), f"DATE '2024-{month}-01'") for month in (1, 9))
    assert implies((call("gt", Column("t.x"), late),), call("gt", Column("t.x"), early))


def joined(*filters: str, equal: tuple[str, ...] = ("t.uid", "u.uid")) -> Relation:
    inputs = (Input("t", "tweets", tuple(parse_expr(text) for text in filters)), Input("u", "users"))
    return Relation(inputs, (equal,))


def test_the_residual_is_what_the_whole_does_not_say() -> None:
    rest = residual(joined("t.likes > 10", "t.lang = 'de'"), joined("t.likes > 3", "t.lang = 'de'"))
    assert rest == (parse_expr("t.likes > 10"),)
    assert residual(joined("t.likes > 3"), joined("t.likes > 3")) == ()
    assert residual(joined("t.likes > 3"), joined("t.likes > 10")) is None


def test_a_joined_column_is_not_null() -> None:
    assert residual(joined(), joined("t.uid IS NOT NULL")) == ()


def test_other_joins_and_tails_are_other_relations() -> None:
    assert residual(joined("t.likes > 3"), joined(equal=("t.tid", "u.uid"))) is None
    tail = Relation(joined().inputs, joined().equal, (), "totals")
    assert residual(tail, joined()) is None
    assert residual(tail, tail) == ()
    assert residual(Relation((Input("t", "tweets"),)), joined()) is None


def test_conditions_between_inputs_may_be_more() -> None:
    condition = parse_expr("t.at > u.since")
    more = Relation(joined().inputs, joined().equal, (condition,))
    assert residual(more, joined()) == (condition,)
    assert residual(joined(), more) is None

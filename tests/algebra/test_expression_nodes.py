"""One tree for views and for parameterised queries: printing, refusing, evaluating, hashing."""

from __future__ import annotations

import pickle

import pytest

from headwater.algebra.expressions.aggregates import aggregator
from headwater.algebra.expressions.build import aggregate_of, concat, number
from headwater.algebra.expressions.compile import NotEvaluable, compile_expr, compile_with
from headwater.algebra.expressions.equalities import sides_of
from headwater.algebra.expressions.facts import columns_in, is_volatile, parameters_of, substitute
from headwater.algebra.expressions.matching import like_prefix, matches_like
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import (
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Parameter,
    call,
    replace_largest,
    spark_sql,
)
from headwater.algebra.text.expressions import show_expr
from headwater.errors import InternalError

A, B = Column("a"), Column("b")


def text(value: str) -> Literal:
    return Literal(value, f"'{value}'")


@pytest.mark.parametrize(
    ("expr", "sql"),
    [
        (call("mul", call("add", A, B), number(2)), "(a + b) * 2"),
        (call("add", A, call("mul", B, number(2))), "a + b * 2"),
        (call("sub", A, call("sub", B, A)), "a - (b - a)"),
        (call("and", call("or", A, B), A), "(a OR b) AND a"),
        (call("not", call("and", A, B)), "NOT (a AND b)"),
        (call("nulleq", A, B), "a <=> b"),
        (call("in", A, number(1), number(2)), "a IN (1, 2)"),
        (call("lower", A), "LOWER(a)"),
        (concat(A, text("%")), "a || '%'"),
        (Column("weird name", "t"), "t.`weird name`"),
        (call("eq", Column("id", "t"), Parameter("id")), "t.id = :id"),
        (aggregate_of("count"), "COUNT(*)"),
        (aggregate_of("sum", A, distinct=True), "SUM(DISTINCT a)"),
        (Call("like", (A, text("5!%"), text("!")), "({0} LIKE {1} ESCAPE {2})"), "a LIKE '5!%' ESCAPE '!'"),
    ],
)
def test_sql_for_people_has_no_parentheses_too_many(expr: Expr, sql: str) -> None:
    assert sql_of(expr) == sql


@pytest.mark.parametrize(
    "expr", [Parameter("p"), Opaque("rand", (), "RAND()"), aggregate_of("count"), Column("a", "t")]
)
def test_the_algebra_refuses_nodes_of_parameterised_queries(expr: Expr) -> None:
    whole = call("eq", A, expr)
    for use in (spark_sql, show_expr):
        with pytest.raises(InternalError, match="HW906"):
            use(whole)
    with pytest.raises((InternalError, NotEvaluable), match="HW906|HW915"):
        compile_expr(whole, ("a",))


def test_an_opaque_function_is_never_evaluated_by_its_name() -> None:
    """ROUND({0}, 2) has its 2 in the template: the evaluator must not take it for round(x)."""
    opaque = Opaque("round", (A,), "ROUND({0}, 2)")
    with pytest.raises(NotEvaluable):
        compile_expr(opaque, ("a",))
    assert compile_expr(call("round", A, number(2)), ("a",))((1.005,)) == 1.01


def test_a_volatile_part_makes_the_whole_volatile() -> None:
    assert is_volatile(call("lt", Opaque("rand", (), "RAND()", volatile=True), A))
    assert not is_volatile(call("lt", Opaque("interval", (), "INTERVAL '1' DAY"), A))


@pytest.mark.parametrize(
    ("value", "pattern", "escape", "expected"),
    [
        ("50%", r"50\%", None, True),
        ("50x", r"50\%", None, False),
        ("a_c", r"a\_c", None, True),
        ("abc", r"a\_c", None, False),
        ("50%", "50!%", "!", True),
        ("50x", "50!%", "!", False),
        ("a!b", "a!!b", "!", True),
        ("C:\\", "C:\\", "!", True),
        ("a\nb", "a%b", None, True),
        (105, "10_", None, True),
    ],
)
def test_like_with_escapes(value: object, pattern: str, escape: str | None, expected: bool) -> None:
    arguments = [Literal(value, "?"), text(pattern), *([] if escape is None else [text(escape)])]
    like = Call("like", tuple(arguments), "")
    assert compile_expr(like, ())(()) is expected


@pytest.mark.parametrize(
    ("pattern", "prefix", "exact"),
    [
        ("abc%", "abc", True),
        (r"50\%%", "50%", True),
        (r"a\_b%", "a_b", True),
        ("abc", "abc", False),
        ("a%b", "a", False),
        ("a_%", "a", False),
        ("%", "", True),
    ],
)
def test_the_prefix_of_a_pattern(pattern: str, prefix: str, exact: bool) -> None:
    assert like_prefix(pattern) == (prefix, exact)
    if exact:
        assert matches_like(prefix + "anything", pattern)


def test_and_and_or_stop_at_what_decides_them() -> None:
    divided = call("gt", call("div", number(1), A), number(0))
    guarded = call("and", call("neq", A, number(0)), divided)
    either = call("or", call("eq", A, number(0)), divided)
    assert compile_expr(guarded, ("a",))((0,)) is False
    assert compile_expr(either, ("a",))((0,)) is True


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        (True, None, None, True),
        (False, None, False, None),
        (None, None, None, None),
        (1, 0, False, True),
        (2, None, None, True),
    ],
)
def test_three_valued_logic(left: object, right: object, both: object, either: object) -> None:
    for row in ((left, right), (right, left)):
        assert compile_expr(call("and", A, B), ("a", "b"))(row) is both
        assert compile_expr(call("or", A, B), ("a", "b"))(row) is either


def test_without_ansi_division_by_zero_is_null() -> None:
    for function in ("div", "mod", "int_div"):
        lenient = compile_with(call(function, A, B), lambda leaf: lambda row: row[leaf], ansi=False)
        assert lenient({A: 1, B: 0}) is None
        assert lenient({A: 1, B: 1}) is not None


def test_a_list_parameter_is_spread_and_a_struct_is_not() -> None:
    listed = compile_with(call("in", A, Parameter("ids")), lambda leaf: lambda row: row[leaf])
    assert listed({A: 2, Parameter("ids"): [1, 2]}) is True
    assert listed({A: 3, Parameter("ids"): [1, None]}) is None
    assert listed({A: None, Parameter("ids"): []}) is False
    assert compile_expr(call("in", A, B), ("a", "b"))(((1, 2), (1, 2))) is True


def test_words_of_a_text_whichever_side_they_stand_on() -> None:
    for condition in (call("eq", call("token", A), B), call("eq", B, call("token", A))):
        assert compile_expr(condition, ("a", "b"))(("Red Fish", "FISH")) is True
        assert compile_expr(condition, ("a", "b"))(("Red Fish", "fis")) is False
        assert compile_expr(condition, ("a", "b"))((None, "fis")) is None


def test_substitution_and_facts() -> None:
    expr = call("eq", Column("a", "t"), call("add", Parameter("p"), Column("b", "u")))
    assert columns_in(expr) == {Column("a", "t"), Column("b", "u")}
    assert parameters_of(expr) == {"p"}
    assert sql_of(substitute(expr, {Parameter("p"): number(1)})) == "t.a = 1 + u.b"
    assert replace_largest(expr, {expr.arguments[1]: A, Parameter("p"): B}) == call("eq", Column("a", "t"), A)


def test_the_sides_of_an_equality() -> None:
    left, right = Column("l.x"), Column("r.y")
    for condition in (call("eq", left, right), call("eq", right, left)):
        assert sides_of(condition, {"l.x"}, {"r.y"}) == (left, right)
    assert sides_of(call("eq", left, number(1)), {"l.x"}, {"r.y"}) is None


def test_nodes_remember_their_hash_and_forget_it_when_pickled() -> None:
    deep: Expr = A
    for _ in range(50):
        deep = call("add", deep, deep)  # 2 ** 50 nodes as a tree
    assert hash(deep) == hash(call("add", deep.arguments[0], deep.arguments[1]))  # type: ignore[union-attr]
    small = call("eq", A, B)
    hash(small)
    assert pickle.loads(pickle.dumps(small)) == small
    assert repr(A) == "Column(name='a')"  # names of stored stages are hashes of it


def test_count_of_several_arguments_leaves_rows_with_a_null_out() -> None:
    count = aggregator(aggregate_of("count", A, B, distinct=True), ("a", "b"))
    assert count([((1, 2), 1), ((1, None), 1), ((1, 2), 2), ((2, 2), 1)]) == 2

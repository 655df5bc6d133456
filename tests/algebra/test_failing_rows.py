"""The rows that an expression fails for are those that its conditions hold for, and no others."""

from __future__ import annotations

from random import Random

import pytest

from headwater.algebra.expressions.build import cast, divide, number, when
from headwater.algebra.expressions.compile import compile_expr, holds
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call
from headwater.algebra.failures.can_fail import can_fail
from headwater.algebra.failures.failing_rows import failing_calls
from headwater.bench.laws.random_expressions import predicate, scalar, value
from headwater.errors import InputError
from support.cases import scaled

COLUMNS = ("i", "j", "s", "d")
KINDS = ("int", "int", "string", "double")
TYPES = dict(zip(COLUMNS, KINDS, strict=True))
NUMBER, TEXT = Column("i"), Column("s")
RATIO = divide(number(100), NUMBER)


def fails(expr: Expr, row: tuple[object, ...]) -> bool:
    try:
        compile_expr(expr, COLUMNS)(row)
    except InputError:
        return True
    return False


def random_expression(random: Random) -> Expr:
    typed = tuple(TYPES.items())
    parts = [predicate(random, typed, failing=0.6) for _ in range(3)]
    shape = random.randrange(4)
    if shape == 0:
        return call("and", call("or", parts[0], parts[1]), parts[2])
    if shape == 1:
        return when(parts[0], scalar(random, typed, 0.8)[0])
    if shape == 2:
        first, kind = scalar(random, typed, 0.8)
        return call("coalesce", first, Literal(None, "NULL"), call("not", parts[0]))
    return scalar(random, typed, 0.9)[0]


@pytest.mark.parametrize("seed", range(scaled(400)))
def test_a_condition_holds_for_the_rows_that_fail_and_no_others(seed: int) -> None:
    random = Random(seed)
    expr = random_expression(random)
    conditions = [holds(failing.condition, COLUMNS) for failing in failing_calls(expr)]
    for _ in range(60):
        row = tuple(value(random, kind, 0.4) for kind in KINDS)
        assert any(condition(row) for condition in conditions) is fails(expr, row), (expr, row)
        assert can_fail(expr, TYPES) or not fails(expr, row)


def test_the_innermost_call_comes_first() -> None:
    ratio = divide(number(1), cast(TEXT, "int"))
    inner, outer = failing_calls(ratio)
    assert (inner.call, outer.call) == (cast(TEXT, "int"), ratio)
    assert holds(outer.condition, COLUMNS)((1, 1, "0", 1.0))
    assert not holds(outer.condition, COLUMNS)((1, 1, "a", 1.0))


@pytest.mark.parametrize(
    ("expr", "can"),
    [
        (NUMBER, False),
        (call("gt", NUMBER, number(3)), False),
        (call("gt", TEXT, number(3)), True),  # Spark casts the text
        (call("gt", TEXT, Literal("3", "'3'")), False),
        (call("eq", Column("unknown"), number(3)), True),
        (divide(NUMBER, number(10)), False),
        (call("mod", NUMBER, number(0)), True),
        (RATIO, True),
        (call("and", call("neq", NUMBER, number(0)), call("gt", RATIO, number(1))), True),
        (call("add", NUMBER, number(1)), True),
        (call("add", Column("d"), Column("d")), False),
        (call("try_divide", NUMBER, NUMBER), False),
        (cast(NUMBER, "bigint"), False),
        (cast(NUMBER, "smallint"), True),
        (cast(TEXT, "int"), True),
        (cast(NUMBER, "string"), False),
        (cast(NUMBER, "decimal(12,2)"), False),
        (cast(NUMBER, "decimal(10,2)"), True),
        (call("upper", TEXT), False),
        (call("element_at", TEXT, NUMBER), True),
        (Call("of_our_own", (NUMBER,), "of_our_own({0})"), True),
    ],
    ids=str,
)
def test_which_expressions_can_fail(expr: Expr, can: bool) -> None:
    assert can_fail(expr, TYPES) is can

"""Scalar functions with SQL's NULLs, one line each."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from headwater.algebra.expressions.compile import compile_expr
from headwater.algebra.expressions.tree import Call, Column, Literal, call
from headwater.algebra.text.expressions import Reader
from headwater.errors import InputError

ROW = {
    "n": None, "i": 7, "j": -2, "f": 2.5, "d": Decimal("1.25"), "s": "Abc", "b": True, "nan": float("nan"),
    "at": datetime(2024, 5, 17, 13, 45, 30), "day": date(2024, 2, 29),
}  # fmt: skip


def value(text: str) -> object:
    return compile_expr(Reader(text).expr(), tuple(ROW))(tuple(ROW.values()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n = n", None),
        ("n <=> n", True),
        ("i <=> n", False),
        ("n IS NULL", True),
        ("i <> 7", False),
        ("FALSE AND n", False),
        ("TRUE AND n", None),
        ("TRUE OR n", True),
        ("FALSE OR n", None),
        ("NOT n", None),
        ("i IN (1, 7)", True),
        ("i IN (1, NULL)", None),
        ("n IN (1)", None),
        ("day < '2024-03-01'", True),
        ("day = '2024-02-29'", True),
        ("at >= '2024-05-18'", False),
        ("i = '7'", True),
        ("d > '1.5'", False),
        ("i BETWEEN 1 AND n", None),
        ("i BETWEEN 8 AND n", False),
        ("i + j", 5),
        ("i * d", Decimal("8.75")),
        ("f + d", 3.75),
        ("i / 2", 3.5),
        ("d / 2", Decimal("0.625")),
        ("i + n", None),
        ("i % 4", 3),
        ("j % 3", -2),
        ("int_div(j, 4)", 0),
        ("int_div(i, j)", -3),
        ("abs(j)", 2),
        ("neg(i)", -7),
        ("round(f)", 3.0),
        ("round(d, 1)", Decimal("1.3")),
        ("round(2.675D, 2)", 2.68),
        ("floor(f)", 2),
        ("ceil(d)", 2),
        ("sign(j)", -1.0),
        ("upper(s)", "ABC"),
        ("lower(s)", "abc"),
        ("length(s)", 3),
        ("concat(s, 'x')", "Abcx"),
        ("concat(s, n)", None),
        ("substring(s, 2)", "bc"),
        ("substring(s, 2, 1)", "b"),
        ("substring(s, -2, 1)", "b"),
        ("substring(s, 0, 2)", "Ab"),
        ("s LIKE 'A_c'", True),
        ("s LIKE 'b%'", False),
        ("n LIKE 'b%'", None),
        ("CASE WHEN n THEN 1 WHEN b THEN 2 ELSE 3 END", 2),
        ("CASE WHEN n THEN 1 END", None),
        ("if(n, 1, 2)", 2),
        ("coalesce(n, i)", 7),
        ("nullif(i, 7)", None),
        ("nullif(i, n)", 7),
        ("greatest(n, i, 9)", 9),
        ("least(n, i, 9)", 7),
        ("greatest(n, n)", None),
        ("CAST(f AS INT)", 2),
        ("CAST(s AS STRING)", "Abc"),
        ("CAST('12' AS BIGINT)", 12),
        ("CAST(n AS INT)", None),
        ("CAST(d AS DECIMAL(10,1))", Decimal("1.3")),
        ("CAST(i AS DOUBLE)", 7.0),
        ("CAST(b AS STRING)", "true"),
        ("CAST('yes' AS BOOLEAN)", True),
        ("CAST(at AS DATE)", date(2024, 5, 17)),
        ("CAST('2024-05-17 01:02:03' AS TIMESTAMP)", datetime(2024, 5, 17, 1, 2, 3)),
        ("year(at)", 2024),
        ("month(at)", 5),
        ("day(day)", 29),
        ("hour(at)", 13),
        ("quarter(at)", 2),
        ("dayofweek(day)", 5),
        ("date_trunc('month', at)", datetime(2024, 5, 1)),
        ("date_trunc('WEEK', at)", datetime(2024, 5, 13)),
        ("date_trunc('hour', at)", datetime(2024, 5, 17, 13)),
        ("datediff(at, day)", 78),
        ("date_add(day, 1)", date(2024, 3, 1)),
        ("trim(' x ')", "x"),
    ],
)
def test_what_spark_says(text: str, expected: object) -> None:
    result = value(text)
    assert result == expected
    assert type(result) is type(expected)


def test_nan_equals_itself_and_is_above_all() -> None:
    from headwater.algebra.expressions.values import cast_value

    nan = cast_value("nan", "double")
    columns = ("x", "y")
    for function, expected in (("eq", True), ("lt", False), ("gte", True)):
        assert compile_expr(call(function, Column("x"), Column("y")), columns)((nan, nan)) is expected
    assert compile_expr(call("gt", Column("x"), Column("y")), columns)((nan, 1e300)) is True


def test_try_cast_gives_null_for_what_does_not_fit() -> None:
    expr = Call("try_cast", (Column("x"),), "TRY_CAST({0} AS INT)")
    assert [compile_expr(expr, ("x",))((x,)) for x in ("x", "7", None)] == [None, 7, None]


def test_simple_case_and_fields_of_a_window() -> None:
    simple = Call(
        "case", (Column("x"), Literal(1, "1"), Literal("a", "'a'")), "CASE {0} WHEN {1} THEN {2} END"
    )
    assert [compile_expr(simple, ("x",))((x,)) for x in (1, 2, None)] == ["a", None, None]
    end = Call("field", (Column("w"),), "{0}.`end`")
    assert compile_expr(end, ("w",))(((1, 2),)) == 2
    assert compile_expr(end, ("w",))((None,)) is None


@pytest.mark.parametrize(
    "text", ["i / 0", "i % 0", "int_div(i, 0)", "CAST(s AS INT)", "CAST(300 AS TINYINT)"]
)
def test_what_ansi_spark_refuses(text: str) -> None:
    with pytest.raises(InputError):
        value(text)

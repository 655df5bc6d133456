"""Every expression that SQL can hold has a text that reads back as that very expression."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.algebra.expressions.nodes import Call, Column, Expr, Literal
from headwater.algebra.text.expressions import Reader, show_readable
from headwater.errors import InputError
from support.cases import law

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.binary(), st.floats(allow_nan=False), st.dates(),
    st.datetimes().map(lambda at: at.replace(fold=0)), st.timedeltas(), st.decimals(allow_nan=False, allow_infinity=False),
)  # fmt: skip
NAMES = st.text(min_size=1)


def expressions() -> st.SearchStrategy[Expr]:
    leaves = st.one_of(st.builds(Column, NAMES), st.builds(Literal, VALUES, st.text()))
    return st.recursive(
        leaves,
        lambda inner: st.builds(
            lambda name, arguments: Call(
                name, tuple(arguments), "f(" + ", ".join(f"{{{n}}}" for n in range(len(arguments))) + ")"
            ),
            NAMES,
            st.lists(inner, max_size=3),
        ),
        max_leaves=8,
    )


def read(text: str) -> Expr:
    reader = Reader(text)
    expr = reader.expr()
    assert reader.ended()
    return expr


@law(300)
@given(expressions())
def test_any_expression_reads_back(expr: Expr) -> None:
    text = show_readable(expr)
    assert len(text.splitlines()) == 1
    assert repr(read(text)) == repr(expr)


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (date(2024, 1, 1), "DATE '2024-01-01'"),
        (datetime(2024, 1, 1, 12), "TIMESTAMP_NTZ '2024-01-01 12:00:00'"),
        (timedelta(days=3), "INTERVAL '3' DAY"),
        ("it's", "'it\\'s'"),
        ("two\nlines", "'two\nlines'"),
        (b"\x00\xff", "X'00FF'"),
        (Decimal("1"), "1"),
        (1.5, "1.5F"),
    ],
)
def test_constants(value: object, sql: str) -> None:
    expr = Call("gt", (Column("t.d"), Literal(value, sql)), "({0} > {1})")
    assert repr(read(show_readable(expr))) == repr(expr)


def test_what_people_read_stays_plain() -> None:
    assert show_readable(Call("eq", (Column("t.a"), Literal(1, "1")), "({0} = {1})")) == "t.a = 1"


def test_what_is_no_expression_is_refused() -> None:
    for text in ("{", '{"call": 1}', '{"column": 1}', '{"value": {"date": "soon"}, "sql": ""}'):
        with pytest.raises(InputError):
            read(text)

"""Which declared types can hold a column of PostgreSQL: the others are refused before anything is captured."""

from __future__ import annotations

import pytest

from headwater.capture.postgres.checks import check_table, holds_all, holds_some
from headwater.capture.postgres.declared import declare
from headwater.capture.postgres.remote import RemoteColumn, RemoteTable
from headwater.errors import InputError
from headwater.model import Column, Table


def numeric(precision: int, scale: int) -> RemoteColumn:
    return RemoteColumn("numeric", "N", (precision, scale))


@pytest.mark.parametrize(
    ("kind", "column", "holds"),
    [
        ("int", RemoteColumn("int4", "N"), True),
        ("bigint", RemoteColumn("int4", "N"), True),
        ("int", RemoteColumn("int8", "N"), False),
        ("smallint", RemoteColumn("int4", "N"), False),
        ("decimal(19,0)", RemoteColumn("int8", "N"), True),
        ("decimal(10,2)", RemoteColumn("int8", "N"), False),
        ("int", RemoteColumn("numeric", "N"), False),
        ("bigint", RemoteColumn("numeric", "N"), False),
        ("decimal(5,1)", RemoteColumn("numeric", "N"), True),
        ("double", RemoteColumn("numeric", "N"), True),
        ("int", numeric(12, 2), False),
        ("decimal(12,2)", numeric(12, 2), True),
        ("decimal(14,3)", numeric(12, 2), True),
        ("decimal(12,3)", numeric(12, 2), False),
        ("decimal(12,1)", numeric(12, 2), False),
        ("int", numeric(9, 0), True),
        ("int", numeric(10, 0), False),
        ("smallint", numeric(3, -2), False),
        ("decimal(5,0)", numeric(3, -2), True),
        ("timestamp", RemoteColumn("timestamptz", "D"), True),
        ("date", RemoteColumn("timestamptz", "D"), False),
        ("string", RemoteColumn("uuid", "U"), True),
        ("int", RemoteColumn("text", "S"), False),
        ("string", RemoteColumn("_text", "A"), False),
    ],
)
def test_what_a_type_can_hold(kind: str, column: RemoteColumn, holds: bool) -> None:
    assert holds_all(kind, column) is holds


@pytest.mark.parametrize(
    ("kind", "column", "holds"),
    [
        ("int", RemoteColumn("int8", "N"), True),
        ("decimal(12,1)", numeric(12, 2), True),
        ("int", RemoteColumn("text", "S"), False),
        ("date", RemoteColumn("int8", "N"), False),
    ],
)
def test_a_column_that_was_altered_after_rows_were_stored(
    kind: str, column: RemoteColumn, holds: bool
) -> None:
    assert holds_some(kind, column) is holds


@pytest.mark.parametrize(
    ("kind", "column", "message"),
    [
        ("int", numeric(12, 2), "is int, in PostgreSQL it is numeric(12,2): declare balance DECIMAL(12,2)"),
        ("int", RemoteColumn("numeric", "N"), "it is numeric: declare balance DECIMAL(38,10)"),
        ("int", RemoteColumn("int8", "N"), "it is int8: declare balance BIGINT"),
        ("decimal(38,2)", numeric(50, 2), "it is numeric(50,2): declare balance STRING"),
        ("int", RemoteColumn("timestamptz", "D"), "it is timestamptz: declare balance TIMESTAMP"),
        ("string", RemoteColumn("_text", "A"), "it is _text: no type can hold it, leave it out"),
    ],
)  # fmt: skip
def test_the_refusal_names_the_type_to_declare(kind: str, column: RemoteColumn, message: str) -> None:
    declared = declare(
        Table(
            "accounts", (Column("balance", kind),), provider="postgres", options={"uri": "postgresql://h/d"}
        )
    )
    with pytest.raises(InputError) as refused:
        check_table(declared, RemoteTable({"balance": column}, "f", ()), 150000)
    assert refused.value.code == "HW874"
    assert refused.value.message.endswith(message)

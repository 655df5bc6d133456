"""Names after AS in double quotes, as in standard SQL: Spark takes those for strings."""

from __future__ import annotations

import pytest

from headwater.errors import InputError
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

TABLE = "CREATE TABLE t (i INT, j INT);\n"


def text_of(select: str) -> str:
    (view,) = resolve(parse_statements(f"{TABLE}CREATE MATERIALIZED VIEW v AS {select};")).views
    return view.sql.text


def test_spark_reads_them_as_names() -> None:
    assert text_of('SELECT i AS "weird name", j FROM t') == "SELECT i AS `weird name`, j FROM t"
    assert text_of('SELECT x.i FROM t AS "x"') == "SELECT x.i FROM t AS `x`"


def test_strings_stay_strings() -> None:
    select = """SELECT concat(CAST(i AS STRING), " as ", 'AS "x"') AS label FROM t WHERE 'a' <> "b" """
    assert text_of(select) == select.strip()


def test_errors_point_at_the_same_place() -> None:
    with pytest.raises(InputError) as caught:
        text_of('SELECT i AS "weird", :p FROM t')
    assert caught.value.place is not None
    assert caught.value.place.column == len('CREATE MATERIALIZED VIEW v AS SELECT i AS "weird", ') + 1

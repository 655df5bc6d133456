"""What other systems have and Spark does not: refused at its place, or written as Spark has it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.errors import InputError
from headwater.model import Column, SqlText, View
from headwater.sql.parsing.forms.in_spark import spark_text_of
from headwater.sql.translate.passes.foreign_functions import instead
from headwater.sql.translate.scalars.spark_functions import AGGREGATES, GENERATORS, SCALARS, WINDOW_FUNCTIONS
from headwater.sql.translate.translation import Translated, translate

COLUMNS = (Column("x", "bigint"), Column("n", "string"), Column("ts", "timestamp"))


def translated(select: str) -> Translated:
    return translate(View("v", SqlText(select), timedelta(seconds=1)), {"t": COLUMNS})


@pytest.mark.parametrize(
    ("select", "message", "at"),
    [
        ("SELECT x FROM t ORDER BY x FETCH FIRST 3 ROWS WITH TIES", "no FETCH ... WITH TIES", ""),
        ("SELECT x FROM t ORDER BY x FETCH FIRST 10 PERCENT ROWS ONLY", "no FETCH ... PERCENT", ""),
        ("SELECT x FROM t WHERE n SIMILAR TO 'a%'", "no SIMILAR TO", "n SIMILAR TO 'a%'"),
        ("SELECT x FROM t WHERE n ~* 'a'", "no ~*", "n ~* 'a'"),
        ("SELECT * REPLACE (x + 1 AS x) FROM t", "* EXCEPT", ""),
        ("SELECT AS STRUCT x, n FROM t", "no SELECT AS STRUCT", ""),
        ("SELECT x, count(*) AS c FROM t GROUP BY x WITH TOTALS", "no WITH TOTALS", ""),
        ("SELECT x, p FROM t, LATERAL explode(array(x)) WITH ORDINALITY AS u(v, p)", "WITH ORDINALITY", ""),
        ("SELECT x FROM t TABLESAMPLE BERNOULLI (10) REPEATABLE (1)", "TABLESAMPLE BERNOULLI", ""),
        ("SELECT * RENAME (x AS y) FROM t", "* EXCEPT", ""),
        ("SELECT * ILIKE 'x%' FROM t", "* EXCEPT", ""),
        ("SELECT x FROM t FOR UPDATE", "locks no rows", ""),
        ("SELECT a.x FROM t a ASOF JOIN t b ON a.x = b.x", "no ASOF JOIN", ""),
        ("SELECT n ->> 'a' AS y FROM t", "no -> and ->>", "n ->> 'a'"),
        ("SELECT date_part('epoch', ts) AS y FROM t", 'extract "epoch"', "date_part('epoch', ts)"),
        ("SELECT x::json AS y FROM t", "no type JSON", ""),
        ("SELECT CAST(ts AS TIME) AS y FROM t", "no type TIME", ""),
        ("SELECT x FROM t WHERE x IN (SELECT x::hugeint FROM t)", "no type INT128", ""),
        ("SELECT ts::timestamp without time zone AS y FROM t", "another name", "without time zone"),
    ],
)
def test_refused_at_its_place(select: str, message: str, at: str) -> None:
    with pytest.raises(InputError) as raised:
        translated(select)
    assert raised.value.code == "HW113"
    assert message in raised.value.message
    assert raised.value.hint
    place = raised.value.place
    assert place is not None
    assert at in place.text


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("SELECT DISTINCT map(n, x) AS m FROM t", 'the map "m"'),
        ("SELECT map(n, x) AS m FROM t UNION SELECT map('a', x) FROM t", 'the map "m"'),
        ("SELECT map(n, x) AS m FROM t EXCEPT SELECT map('a', x) FROM t", 'the map "m"'),
        ("SELECT date_add(ts, INTERVAL 1 DAY) AS d FROM t", "number of days"),
        ("SELECT avg(ts - TIMESTAMP '2024-01-01') AS d FROM t GROUP BY x", "is an interval"),
        ("SELECT array(ts - TIMESTAMP '2024-01-01') AS d FROM t", "is an interval"),
        ("SELECT struct(make_interval(x) AS i) AS d FROM t", "is an interval"),
    ],
)
def test_types_that_spark_refuses_there(select: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        translated(select)
    assert raised.value.code == "HW308"


def test_a_field_may_be_called_interval_and_maps_may_be_put_together() -> None:
    assert translated("SELECT struct(x AS interval) AS d FROM t").types == ("struct<interval:bigint>",)
    assert translated("SELECT map(n, x) AS m FROM t UNION ALL SELECT map('a', x) FROM t").plan is not None


def test_the_digits_of_an_interval_say_nothing_more() -> None:
    select = "SELECT DATE '1998-12-01' - INTERVAL '90' DAY (3) AS d FROM t"
    assert translated(select).plan == translated(select.replace(" (3)", "")).plan
    assert "(3)" not in spark_text_of(select)


@pytest.mark.parametrize(
    ("select", "hint"),
    [
        ("SELECT arg_max(n, ts) AS y FROM t", "write max_by(x, at)"),
        ("SELECT strftime(ts, '%Y') AS y FROM t", "write date_format(at, 'yyyy-MM')"),
        ("SELECT map_agg(n, x) AS y FROM t", "write map_from_entries(collect_list(struct(k, v)))"),
        ("SELECT uper(n) AS y FROM t", 'did you mean "upper"?'),
    ],
)
def test_functions_of_other_systems(select: str, hint: str) -> None:
    with pytest.raises(InputError) as raised:
        translated(select)
    assert (raised.value.code, raised.value.hint) == ("HW323", hint)


def test_no_function_of_spark_is_called_foreign() -> None:
    assert not [name for name in SCALARS | AGGREGATES | GENERATORS | WINDOW_FUNCTIONS if instead(name)]


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("text", "string"), ("varchar", "string"), ("character varying", "string"), ("int8", "bigint"),
        ("int4", "int"), ("int2", "smallint"), ("float8", "double"), ("float4", "float"), ("bool", "boolean"),
        ("double precision", "double"), ("timestamptz", "timestamp"), ("bytea", "binary"),
    ],
)  # fmt: skip
def test_types_of_other_systems(written: str, kind: str) -> None:
    select = f"SELECT n::{written} AS y, CAST(n AS {written}) AS z FROM t"
    assert translated(select).types == (kind, kind)
    assert (
        spark_text_of(select)
        == f"SELECT CAST(n AS {kind.upper()}) AS y, CAST(n AS {kind.upper()}) AS z FROM t"
    )


def test_words_of_other_systems() -> None:
    assert spark_text_of("SELECT x FROM t ORDER BY x FETCH FIRST 3 ROWS ONLY").endswith("LIMIT 3")
    assert spark_text_of("SELECT sum(x) AS s FROM t GROUP BY ()").endswith("GROUP BY GROUPING SETS (())")


def test_columns_may_have_such_names() -> None:
    for select in ("SELECT text, t.uuid, bool AS fetch FROM t", "SELECT char(65) AS c, first(x) FROM t"):
        assert spark_text_of(select) == select

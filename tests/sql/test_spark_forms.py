"""What other dialects have, in forms that Spark has: the same answers, by DuckDB; the text of a user stays."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest

from headwater.errors import InputError
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.parsing.forms.in_spark import spark_text_of
from headwater.sql.translate import Translated, translate

TABLES = "CREATE TABLE t (k INT, v INT, s STRING); CREATE TABLE u (k INT, v INT);"
ROWS = "(1, 2, 'b'), (1, 5, 'a'), (2, NULL, 'c'), (NULL, 3, 'b'), (2, 1, NULL), (3, 3, 'a')"
OTHERS = "(1, 2), (1, 4), (2, NULL), (2, 3), (NULL, 1)"

QUANTIFIED = [
    "SELECT k, v FROM t WHERE v = ANY (SELECT v FROM u)",
    "SELECT k, v FROM t WHERE v <> ALL (SELECT v FROM u)",
    "SELECT k, v FROM t WHERE v <> ALL (SELECT v FROM u WHERE v IS NOT NULL)",
    "SELECT k, v FROM t WHERE v > SOME (SELECT v FROM u)",
    "SELECT k, v FROM t WHERE v >= ALL (SELECT v FROM u WHERE u.k = t.k)",
    "SELECT k, v FROM t WHERE v > 4 OR v < ALL (SELECT v FROM u WHERE v IS NOT NULL)",
    "SELECT k, v FROM t WHERE NOT (v < ANY (SELECT v FROM u WHERE u.k = t.k))",
    "SELECT k, v > ALL (SELECT v FROM u) AS every, v <= ANY (SELECT v FROM u) AS some FROM t",
    "SELECT k, v > ALL (SELECT v FROM u WHERE k > 5) AS every, v <= ANY (SELECT v FROM u WHERE k > 5) AS some FROM t",
    "SELECT k, count(*) AS n FROM t GROUP BY k HAVING count(*) >= ALL (SELECT count(*) FROM u GROUP BY k)",
]


def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {ROWS}) AS r(k, v, s)")
    connection.execute(f"CREATE TABLE u AS SELECT * FROM (VALUES {OTHERS}) AS r(k, v)")
    return connection


@pytest.mark.parametrize("select", QUANTIFIED)
def test_comparisons_with_any_and_all(select: str) -> None:
    written = spark_text_of(select)
    assert "ANY" not in written
    assert "ALL" not in written
    with database() as connection:
        assert Counter(connection.execute(written).fetchall()) == Counter(
            connection.execute(select).fetchall()
        )


SUBQUERIES = [
    "SELECT k, v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k UNION ALL SELECT 1 FROM u WHERE u.v = t.v)",
    "SELECT k, v FROM t WHERE NOT EXISTS (SELECT k FROM u WHERE u.k = t.k UNION SELECT v FROM u WHERE u.v > t.v)",
    "SELECT k, EXISTS (SELECT k FROM u WHERE u.k = t.k UNION (SELECT 1 FROM u WHERE u.v = t.v UNION SELECT 1"
    " FROM t AS o WHERE o.k = t.v)) AS e FROM t",
    "SELECT k, v FROM t WHERE EXISTS (SELECT count(*) AS n FROM u WHERE u.k = t.k HAVING count(*) > 1)",
    "SELECT k, v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k HAVING max(v) > 1) OR v = 5",
    "SELECT k, (SELECT sum(v) FROM u WHERE u.k = t.k HAVING count(*) > 1) AS s FROM t",
    "SELECT k, (SELECT count(*) FROM u WHERE u.k = t.k HAVING count(*) < 2) AS n FROM t",
    "SELECT t.k, x.n FROM t, (SELECT count(*) AS n FROM u HAVING count(*) > 9) AS x WHERE x.n > t.k",
    "SELECT k FROM t WHERE k IN (SELECT count(*) FROM u HAVING count(*) > 9) IS NULL",
    "SELECT k, (SELECT count(*) AS n FROM u HAVING n > 2) AS m FROM t",
]


@pytest.mark.parametrize("select", SUBQUERIES)
def test_unions_in_exists_and_having_without_groups(select: str) -> None:
    """In parts that are kept by deltas; as DuckDB has them both ways."""
    assert translated(select).obstacles == ()
    with database() as connection:
        written = spark_text_of(select)
        assert Counter(connection.execute(written).fetchall()) == Counter(
            connection.execute(select).fetchall()
        )


def test_they_are_rewritten_only_where_they_are_one_condition_or_value() -> None:
    assert "UNION" not in spark_text_of(SUBQUERIES[1])
    assert "HAVING" not in spark_text_of(SUBQUERIES[4])
    for select in SUBQUERIES[-3:]:  # a relation, what IN compares with, a name of the select list
        assert spark_text_of(select) == select


def translated(select: str) -> Translated:
    declared = resolve(parse_statements(f"{TABLES} CREATE MATERIALIZED VIEW v AS {select};"))
    return translate(declared.views[0], {table.name: table.columns for table in declared.tables})


@pytest.mark.parametrize(
    ("select", "written"),
    [
        ("SELECT k, v = ANY (array(1, k)) AS x FROM t", "exists(array(1, k), _v -> v = _v)"),
        ("SELECT k FROM t WHERE s <> ALL (ARRAY['a', 'b'])", "forall(array('a', 'b'), _v -> s <> _v)"),
        ("SELECT sum(v) OVER (ORDER BY timestamp_seconds(k) RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL '1' SECOND PRECEDING) AS x FROM t",
         "RANGE BETWEEN INTERVAL '86400' SECOND PRECEDING AND INTERVAL '1' SECOND PRECEDING"),
        ("SELECT sum(v) OVER (ORDER BY timestamp_seconds(k) RANGE BETWEEN INTERVAL 1 WEEK PRECEDING AND INTERVAL 2 DAYS FOLLOWING) AS x FROM t",
         "RANGE BETWEEN INTERVAL '7' DAY PRECEDING AND INTERVAL '2' DAY FOLLOWING"),
        ("SELECT k, (SELECT max(v) FROM u WHERE u.k = t.k) AS m, count(*) AS n FROM t GROUP BY k", "GROUP BY k, 2"),
        ("SELECT coalesce((SELECT max(v) FROM u WHERE u.k = t.k), 0) AS m, k FROM t GROUP BY k HAVING k > 1",
         "GROUP BY k, 1 HAVING k > 1"),
        ("SELECT k FROM t WHERE v > ALL (1, 2)", "forall(array(1, 2), _v -> v > _v)"),
        ("SELECT k FROM t WHERE v = ANY (1, k) OR v < SOME (3)", "exists(array(3), _v -> v < _v)"),
        ("SELECT k, string_agg(s, ',' ORDER BY v DESC) AS x FROM t GROUP BY k",
         "string_agg(s, ',') WITHIN GROUP (ORDER BY v DESC, s)"),
        ("SELECT k, listagg(s, ',') WITHIN GROUP (ORDER BY v NULLS LAST) FILTER (WHERE v > 1) AS x FROM t GROUP BY k",
         "listagg(s, ',') WITHIN GROUP (ORDER BY v NULLS LAST, s) FILTER(WHERE v > 1)"),
        ("SELECT k, array_agg(s ORDER BY v DESC) AS x FROM t GROUP BY k",
         "transform(sort_array(collect_list(named_struct('k0', v, 'x', s)) FILTER(WHERE NOT s IS NULL), FALSE), _e -> _e.x)"),
        ("SELECT k, array_agg(DISTINCT s ORDER BY s DESC) FILTER (WHERE v > 1) AS x FROM t GROUP BY k",
         "sort_array(collect_set(s) FILTER(WHERE v > 1), FALSE)"),
        ("SELECT first_value(v IGNORE NULLS) OVER (PARTITION BY k ORDER BY s) AS x FROM t",
         "first_value(v) IGNORE NULLS OVER (PARTITION BY k ORDER BY s)"),
    ],
)  # fmt: skip
def test_how_they_are_written(select: str, written: str) -> None:
    assert written.upper() in spark_text_of(select).upper()
    view = translated(select)
    assert view.plan is not None
    assert view.sql == select


@pytest.mark.parametrize(
    "select",
    [
        "SELECT k, array_agg(s) OVER (PARTITION BY k) AS x, 'ANY (' AS y FROM t",
        "SELECT k, listagg(DISTINCT s, ',') WITHIN GROUP (ORDER BY s) AS x FROM t GROUP BY k",
        "SELECT k, any(v > 1) AS x FROM t GROUP BY k HAVING TRUE = any(v > 1)",
        "SELECT k FROM t WHERE s LIKE ANY ('a%', 'b%')",
        "SELECT k, (SELECT max(v) FROM u WHERE u.k = t.k) + count(*) AS n FROM t GROUP BY k",
        "SELECT k FROM (SELECT k, v FROM t) x GROUP BY k",
        "SELECT sum(v) OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM t",
        "SELECT k FROM t UNION ALL (SELECT k FROM u)",
    ],
)
def test_what_spark_has_stays_as_it_is(select: str) -> None:
    assert spark_text_of(select) is select


@pytest.mark.parametrize(
    ("select", "columns", "reads"),
    [
        ("TABLE u", ("k", "v"), ("u",)),
        ("(TABLE u) UNION ALL TABLE u", ("k", "v"), ("u",)),
        ("WITH w AS (SELECT k FROM t) TABLE w", ("k",), ("t",)),
        ("VALUES (1, 'a'), (2, 'b')", ("col1", "col2"), ("t",)),
        ("VALUES 1, 2", ("col1",), ("t",)),
        ("SELECT k FROM u UNION ALL VALUES (1)", ("k",), ("u",)),
        ("SELECT k FROM u WHERE v IN (VALUES (1), (2))", ("k",), ("u",)),
        ("WITH w AS (VALUES (1, 2)) SELECT u.k, w.col2 FROM u JOIN w ON w.col1 = u.v", ("k", "col2"), ("u",)),
        ("SELECT 1 AS one", ("one",), ("t",)),
        ("FROM u SELECT k WHERE v > 1", ("k",), ("u",)),
        ("SELECT k AS `my id`, v AS `my,id` FROM u", ("my_id", "my_id_2"), ("u",)),
    ],
)
def test_short_queries_and_constants(select: str, columns: tuple[str, ...], reads: tuple[str, ...]) -> None:
    view = translated(select)
    assert view.plan is not None
    assert (view.columns, view.reads) == (columns, reads)


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("SELECT k, array_agg(DISTINCT s ORDER BY v) AS x FROM t GROUP BY k", "no ORDER BY inside array_agg"),
        ("SELECT k, max(s ORDER BY v) AS x FROM t GROUP BY k", "ORDER BY inside max"),
        ("SELECT k, array_agg(s ORDER BY v) OVER (PARTITION BY k) AS x FROM t", "ORDER BY inside array_agg"),
        ("SELECT k FROM t WHERE s = ANY ('a')", "any cannot be used in WHERE"),
    ],
)
def test_what_has_no_such_form_is_refused(select: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        translated(select)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "select",
    [
        "SELECT k, (SELECT count(b.v) FROM u a LEFT JOIN u b ON b.k = a.k AND b.v > t.v) AS n FROM t",
        "SELECT k FROM t WHERE (SELECT count(*) FROM (SELECT max(v) AS m FROM u WHERE u.k = t.k) q WHERE q.m IS NULL) > 0",
        "SELECT k FROM t WHERE (SELECT count(*) FROM u WHERE u.k = t.k OR u.v = t.v) > 1",
        "SELECT k FROM t WHERE v = (SELECT max(v) FROM u WHERE u.k <=> t.k)",
    ],
)
def test_what_names_the_query_around_in_another_way_is_left_to_spark(select: str) -> None:
    view = translated(select)
    assert view.plan is None
    assert view.obstacles

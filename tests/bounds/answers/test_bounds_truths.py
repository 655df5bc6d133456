"""IS TRUE, IS FALSE, IS DISTINCT FROM and rows in a list where unknown is not the same as false: shown, and under NOT."""

from __future__ import annotations

import sqlite3

import pytest

from headwater.bounds.answers.answer import Level
from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import MemoryStore
from support.bounds.asking import answer_of, assert_unbounded

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, b INT, c INT NOT NULL, CARDINALITY LIMIT 5 (c));"
ROWS = [(1, 1, 0), (2, None, 0), (3, 2, 0), (4, 1, 1)]
TESTS = [
    f"{value} IS {no}{wanted}"
    for value in ("(b = 1)", "(b IS NULL)")
    for no in ("", "NOT ")
    for wanted in ("TRUE", "FALSE", "NULL")
] + [f"b IS {no}DISTINCT FROM {value}" for no in ("", "NOT ") for value in ("1", "NULL", "c")]


@pytest.mark.parametrize("test", TESTS)
def test_unknown_is_neither_true_nor_false(test: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (id INT, b INT, c INT)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
    data = {"t": [dict(zip(("id", "b", "c"), row, strict=True)) for row in ROWS]}
    for query in (
        f"SELECT id, {test} AS f FROM t WHERE c = 0",
        f"SELECT id, 0 AS f FROM t WHERE c = 0 AND {test}",
        f"SELECT id, 0 AS f FROM t WHERE c = 0 AND NOT ({test})",
        f"SELECT id, 0 AS f FROM t WHERE c = 0 AND ({test} OR NOT (NOT ({test}) AND id < 3))",
        f"SELECT id, CASE WHEN NOT ({test}) THEN 1 ELSE 0 END AS f FROM t WHERE c = 0",
    ):
        answer = answer_of("", SCHEMA, query)
        assert answer.bounded_plan is not None
        assert answer.catalog is not None
        result = execute(answer.bounded_plan.plan, MemoryStore.of(answer.catalog, data), answer.catalog, {})
        assert sorted(tuple(row.values()) for row in result.rows) == connection.execute(query).fetchall()


ROWS_IN = "(id, b) IN (SELECT z.{}, b FROM t z WHERE {})"


@pytest.mark.parametrize("column", ["id", "c"])
@pytest.mark.parametrize("where", ["c = 0", "z.id = 3", "c = 1 AND z.b = 1"])
def test_a_row_among_those_of_a_query(column: str, where: str) -> None:
    test = ROWS_IN.format(column, where)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (id INT, b INT, c INT)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
    data = {"t": [dict(zip(("id", "b", "c"), row, strict=True)) for row in ROWS]}
    for query in (
        f"SELECT id FROM t WHERE c = 0 AND {test}",
        f"SELECT id FROM t WHERE c = 0 AND ({test} OR id = 2)",
        f"SELECT CASE WHEN {test} THEN 1 ELSE 0 END AS f FROM t WHERE c = 0",
    ):
        answer = answer_of("", SCHEMA, query)
        assert answer.bounded_plan is not None
        assert answer.catalog is not None
        result = execute(answer.bounded_plan.plan, MemoryStore.of(answer.catalog, data), answer.catalog, {})
        assert result.operations <= answer.bounded_plan.bound.operations
        expected = connection.execute(query).fetchall()
        assert sorted(tuple(row.values()) for row in result.rows) == sorted(expected)


def test_a_row_that_is_a_key_among_those_of_a_query() -> None:
    schema = "CREATE TABLE w (a INT, b INT, PRIMARY KEY (a, b)); CREATE TABLE t (id INT PRIMARY KEY, k INT, v INT);"
    query = "SELECT a, b FROM w WHERE (a, b) {}IN (SELECT k, v FROM t WHERE id = :id)"
    assert answer_of("", schema, query.format("")).level is Level.SI_0
    assert_unbounded("", schema, query.format("NOT "))
    assert_unbounded("", schema, query.format("").replace("(a, b) IN", "(a, a) IN"))


@pytest.mark.parametrize("part", ["d IS FALSE", "d IS NOT TRUE", "d IS TRUE", "k IS NOT DISTINCT FROM 0"])
def test_a_partial_key_counts_where_the_same_is_asked(part: str) -> None:
    schema = "CREATE TABLE t (id bigint PRIMARY KEY, s text, k int, d boolean);"
    index = f"CREATE UNIQUE INDEX i ON t (s) WHERE {part};"
    answer = answer_of("postgres", schema + index, f"SELECT id FROM t WHERE s = $1 AND {part}")
    assert answer.results == 1
    assert answer_of("postgres", schema + index, "SELECT id FROM t WHERE s = $1").results is None


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("SELECT * FROM t JOIN u USING (ID)", ["id", "b", "c", "v"]),
        ("SELECT * FROM t NATURAL JOIN u", ["id", "b", "c", "v"]),
        ("SELECT * FROM u RIGHT JOIN t USING (id)", ["id", "v", "b", "c"]),
        ("SELECT * FROM t JOIN u USING (id) JOIN u w ON w.id = t.b", ["id", "b", "c", "v", "id_2", "v_2"]),
        ("SELECT t.*, u.* FROM t JOIN u USING (id)", ["id", "b", "c", "id_2", "v"]),
    ],
)
def test_a_star_shows_a_column_of_using_once(query: str, shown: list[str]) -> None:
    schema = SCHEMA + "CREATE TABLE u (id INT PRIMARY KEY, v INT);"
    answer = answer_of("", schema, f"{query} WHERE t.id = 7")
    assert answer.query is not None
    assert list(answer.query.columns) == shown

"""What ON says of an outer join's partner is all checked, however it is found."""

from __future__ import annotations

import sqlite3

import pytest

from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import MemoryStore
from support.bounds.asking import answer_of

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT NOT NULL, CARDINALITY LIMIT 9 (b), CARDINALITY LIMIT 9 (c));"
ROWS = [(1, 2, 3, 0), (2, 3, 3, 0), (3, 1, 2, 0), (4, None, 1, 0), (5, 4, 4, 1)]


@pytest.mark.parametrize(
    "on",
    [
        "y.id = x.a AND y.id = x.b",
        "y.id = x.a AND x.b = y.id AND y.b = x.a",
        "y.b = x.a AND y.b = x.id",
        "y.id = x.a AND y.id = 3",
        "y.id = x.a AND y.id = :p",
        "y.b = :p AND y.b = x.b",
        "y.id = x.a AND x.a = x.b",
        "y.id = x.a AND x.a = 3",
        "y.b = 3 AND y.b = :p",
    ],
)
def test_one_value_of_several_that_a_partner_must_equal(on: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (id INT, a INT, b INT, c INT)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
    data = {"t": [dict(zip(("id", "a", "b", "c"), row, strict=True)) for row in ROWS]}
    for query in (
        f"SELECT x.id, y.id AS y, z.id AS z FROM t x LEFT JOIN t y ON {on} LEFT JOIN t z ON z.id = y.a AND z.id = x.id WHERE x.c = 0",
        f"SELECT x.id, y.id AS y FROM t x LEFT JOIN t y ON {on} WHERE x.c = 0 AND COALESCE(y.b, :p) > 0",
        f"SELECT x.id FROM t x LEFT JOIN t y ON {on} WHERE x.c = 0 AND y.id IS NULL",
        f"SELECT d.id, e.id AS e FROM (SELECT id, a, b, c FROM t WHERE c = 0) d"
        f" LEFT JOIN (SELECT id, a, b FROM t WHERE b = 3) e ON {on.replace('x.', 'd.').replace('y.', 'e.')}",
    ):
        answer = answer_of("", SCHEMA, query)
        assert answer.bounded_plan is not None
        assert answer.catalog is not None
        given = {"p": 3}
        result = execute(
            answer.bounded_plan.plan, MemoryStore.of(answer.catalog, data), answer.catalog, given
        )
        expected = connection.execute(query, given).fetchall()
        rows = [tuple(row.values()) for row in result.rows]
        assert sorted(rows, key=repr) == sorted(expected, key=repr), query

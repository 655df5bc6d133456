"""Forms that are read as others (semi-joins, orders by subqueries, IS NOT DISTINCT FROM): SQLite gives the same rows."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import MemoryStore
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.reading.read import read_query
from headwater.bounds.reading.sources import read_sql
from headwater.model import SqlText
from headwater.sql.parsing.parser import normalised_tree
from support.bounds.sqlite_answers import ask, sqlite_of
from support.bounds.view_upkeep import build

SCHEMA = """CREATE TABLE p (id BIGINT PRIMARY KEY, g BIGINT NOT NULL, n BIGINT, CARDINALITY LIMIT 9 (g));
CREATE TABLE c (id BIGINT PRIMARY KEY, p BIGINT NOT NULL REFERENCES p (id), v BIGINT, CARDINALITY LIMIT 9 (p));
"""
DATA: dict[str, list[dict[str, Any]]] = {
    "p": [{"id": id_, "g": id_ % 2, "n": None if id_ % 3 == 0 else id_ % 4} for id_ in range(1, 13)],
    "c": [
        {"id": id_, "p": 1 + id_ * id_ % 12, "v": None if id_ % 5 == 0 else id_ % 3} for id_ in range(1, 25)
    ],
}
FORMS = [
    ("SELECT id, (SELECT COUNT(*) FROM c WHERE c.p = p.id) AS k FROM p WHERE g = :g ORDER BY k DESC, id LIMIT 3", ""),
    ("SELECT id FROM p WHERE g = :g ORDER BY (SELECT COUNT(*) FROM c WHERE c.p = p.id) DESC, id LIMIT 3 OFFSET 1", ""),
    ("SELECT id FROM p WHERE g = :g ORDER BY (SELECT MAX(v) FROM c WHERE c.p = p.id), id DESC LIMIT 4", ""),
    ("SELECT id FROM p WHERE g = :g ORDER BY (SELECT MAX(id) FROM c), id LIMIT 4", ""),
    ("SELECT DISTINCT n, (SELECT MAX(id) FROM c WHERE c.v = p.n) AS k FROM p WHERE g = :g ORDER BY k, n LIMIT 3", ""),
    ("SELECT p.id, COUNT(c.id) AS k FROM p LEFT JOIN c ON c.p = p.id WHERE p.g = :g GROUP BY p.id ORDER BY k, p.id LIMIT 4", ""),
    ("SELECT id FROM p LEFT SEMI JOIN c ON c.p = p.id AND c.v = 1 WHERE p.g = :g ORDER BY id",
     "SELECT id FROM p WHERE g = :g AND EXISTS (SELECT 1 FROM c WHERE c.p = p.id AND c.v = 1) ORDER BY id"),
    ("SELECT id FROM p LEFT ANTI JOIN c ON c.p = p.id AND c.v = 1 WHERE p.g = :g ORDER BY id",
     "SELECT id FROM p WHERE g = :g AND NOT EXISTS (SELECT 1 FROM c WHERE c.p = p.id AND c.v = 1) ORDER BY id"),
    ("SELECT id FROM p WHERE g = :g AND n <=> :n ORDER BY id", "SELECT id FROM p WHERE g = :g AND n IS :n ORDER BY id"),
    ("SELECT id FROM p WHERE g = :g AND n <=> :g ORDER BY id", "SELECT id FROM p WHERE g = :g AND n IS :g ORDER BY id"),
    ("SELECT COUNT(*) AS k, MAX(id) AS m FROM p WHERE 1 = 0", ""),
    ("SELECT g, COUNT(*) AS k FROM p WHERE NULL GROUP BY g", ""),
    ("SELECT id FROM p WHERE id IN (:g, 4) AND (1 = 0 OR g = 0)", ""),
    ("WITH w AS MATERIALIZED (SELECT id, n FROM p WHERE g = :g) SELECT n, COUNT(*) AS k FROM w WHERE id > 3 GROUP BY n ORDER BY n", ""),
    ("SELECT * EXCEPT (g) FROM p WHERE g = :g ORDER BY id", "SELECT id, n FROM p WHERE g = :g ORDER BY id"),
    ("SELECT p.id, SUM(c.v) AS s FROM p JOIN (SELECT p, v FROM c) c ON c.p = p.id WHERE p.id = :g GROUP BY p.id", ""),
    ("SELECT p.id, c.id AS c FROM p LEFT JOIN c ON c.p = p.id WHERE p.n = :g ORDER BY p.id LIMIT 2 OFFSET 1",
     "SELECT p.id, c.id AS c FROM p LEFT JOIN c ON c.p = p.id WHERE p.n = :g ORDER BY p.id, c.id LIMIT 2 OFFSET 1"),
    ("SELECT c.id, p.n FROM c JOIN p ON p.id = c.p WHERE c.v = :g ORDER BY p.id DESC, c.id LIMIT 4", ""),
    ("SELECT v FROM c WHERE p = :g UNION SELECT n FROM p WHERE g = :g ORDER BY v LIMIT 2",
     "SELECT v FROM c WHERE p = :g UNION SELECT n AS v FROM p WHERE g = :g ORDER BY v LIMIT 2"),
    ("SELECT n FROM p WHERE g = :g UNION SELECT n FROM p WHERE g = 0 ORDER BY n DESC LIMIT 3 OFFSET 1", ""),
    ("SELECT MAX_BY(id, v) AS a, MIN_BY(id, v) AS b FROM c WHERE p = :g",
     "SELECT (SELECT id FROM c WHERE p = :g AND v IS NOT NULL ORDER BY v DESC, id DESC LIMIT 1), (SELECT id FROM c WHERE p = :g AND v IS NOT NULL ORDER BY v, id LIMIT 1)"),
    ("SELECT n, COUNT(*) AS k FROM p WHERE g = :g + 7", ""),
    ("SELECT n + 1 AS m, MAX(id) AS k FROM p WHERE id = :g + 700", ""),
    ("SELECT id FROM p WHERE id = GREATEST(:g, 2) OR id = LEAST(:g, 2)", "SELECT id FROM p WHERE id IN (1, 2)"),
    ("SELECT a.id, t.k FROM p a JOIN (SELECT p, COUNT(*) AS k FROM c GROUP BY p) t ON t.p = a.id WHERE a.id = :g", ""),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "same"), FORMS)
def test_the_rows_are_those_of_sqlite(sql: str, same: str) -> None:
    catalog = Catalog.of(read_sql(SCHEMA, "schema.sql").tables.values())
    text = SqlText(sql)
    query = read_query(normalised_tree(text), catalog.tables, text)
    answer = analyse(Subject("q", query, catalog))
    assert answer.bounded_plan is not None, answer.reasons
    assert answer.catalog is not None
    connection = sqlite_of(catalog, DATA)
    store = MemoryStore.of(answer.catalog, DATA)
    for view in answer.choice.views if answer.choice is not None else ():
        build(store, view, connection)
    params = {"g": 1, "n": None}
    result = execute(answer.bounded_plan.plan, store, answer.catalog, params)
    expected = ask(connection, same or sql, {name: params[name] for name in params if f":{name}" in sql})
    rows = [tuple(row.values()) for row in result.rows]
    assert (rows == expected) if "ORDER BY" in sql else (sorted(rows) == sorted(expected))
    assert result.operations <= answer.bounded_plan.bound.operations
    assert result.read <= answer.bounded_plan.bound.read

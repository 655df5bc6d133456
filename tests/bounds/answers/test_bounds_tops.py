"""The first rows of each partition, LATERAL and VALUES: bounded where every partition is one read."""

from __future__ import annotations

import pytest

from headwater.bounds.answers.answer import Answer
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options

SCHEMA = """CREATE TABLE p (id BIGINT PRIMARY KEY, k BIGINT NOT NULL);
CREATE TABLE c (id BIGINT PRIMARY KEY, p BIGINT NOT NULL REFERENCES p (id), v BIGINT, u BIGINT NOT NULL, at TIMESTAMP NOT NULL);
"""
RANKED = "SELECT id, p, v, ROW_NUMBER() OVER (PARTITION BY p ORDER BY at DESC) AS rn FROM c"
OF_EACH = "SELECT DISTINCT ON ({0}) {0} AS k, id, at FROM c WHERE u = :u ORDER BY {0}, at DESC"
NEWEST = "SELECT c.id FROM c WHERE c.p = p.id ORDER BY c.at DESC LIMIT 3"


def ask(sql: str) -> Answer:
    (answer,) = check(read_sql(f"{SCHEMA}-- name: q\n{sql};", "q.sql"), Options(), advice=False)
    return answer


@pytest.mark.parametrize(
    ("sql", "level", "operations"),
    [
        (f"SELECT * FROM ({RANKED} WHERE p IN (:a, :b)) t WHERE rn <= 3", "SI-1", 2),
        (f"SELECT * FROM ({RANKED}) t WHERE rn <= 3 AND p = :p AND v > :v", "SI-1", 1),
        (f"SELECT * FROM ({RANKED}) t WHERE rn <= 3", "unbounded", None),
        (f"SELECT * FROM ({RANKED} WHERE u = :u) t WHERE rn <= 3", "unbounded", None),
        (f"SELECT * FROM ({RANKED} WHERE p = :p) t WHERE rn <= :n", "unbounded", None),
        (f"SELECT * FROM ({RANKED} WHERE p = :p) t WHERE rn <= 3 OR v = 1", "unbounded", None),
        (f"SELECT * FROM ({RANKED.replace('ROW_NUMBER', 'RANK')} WHERE p = :p) t WHERE rn <= 3", "unbounded", None),
        (f"SELECT * FROM ({RANKED} WHERE p = :p AND v > :v) t WHERE rn <= 3", "unbounded", None),
        (f"SELECT p.id, l.id AS c FROM p CROSS JOIN LATERAL ({NEWEST}) l WHERE p.id = :id", "SI-1", 2),
        (f"SELECT p.id, l.id AS c FROM p CROSS JOIN LATERAL ({NEWEST}) l WHERE p.k = :k", "unbounded", None),
        (
            f"SELECT p.id, l.id AS c FROM p LEFT JOIN LATERAL ({NEWEST}) l ON TRUE WHERE p.k = :k ORDER BY p.id LIMIT 10",
            "SI-1",
            11,
        ),
        (
            "SELECT p.id, l.n FROM p CROSS JOIN LATERAL (SELECT COUNT(*) AS n FROM c WHERE c.p = p.id) l WHERE p.id = :id",
            "SI-2",
            2,
        ),
        ("SELECT DISTINCT ON (p) id, p FROM c WHERE p IN (:a, :b) ORDER BY p, at DESC", "SI-1", 2),
        ("SELECT DISTINCT ON (p) id, p FROM c WHERE u = :u ORDER BY p, at DESC", "unbounded", None),
        ("SELECT id FROM c WHERE p = :p QUALIFY ROW_NUMBER() OVER (PARTITION BY p ORDER BY at) <= 2", "SI-1", 1),
        ("SELECT p.k FROM (VALUES (1), (:x)) AS v (n) JOIN p ON p.id = v.n", "SI-0", 2),
        # Groups in the order of their newest: a view and a read of each, unless a group may be NULL.
        (f"SELECT * FROM ({OF_EACH.format('p')}) n ORDER BY n.at DESC LIMIT 20", "SI-2", 21),
        (f"SELECT * FROM ({OF_EACH.format('v')}) n ORDER BY n.at DESC LIMIT 20", "unbounded", None),
        ("SELECT * FROM (SELECT p, COUNT(*) AS n FROM c GROUP BY p) t WHERE p = :p", "SI-2", 1),
        ("SELECT * FROM (SELECT p, COUNT(*) AS n FROM c GROUP BY p) t WHERE n > :n", "unbounded", None),
    ],
)  # fmt: skip
def test_levels(sql: str, level: str, operations: int | None) -> None:
    answer = ask(sql)
    assert (answer.level.value, answer.operations) == (level, operations)

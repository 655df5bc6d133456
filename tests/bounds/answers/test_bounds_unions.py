"""Conditions and cuts around a UNION ALL reach its branches: views over partitions."""

from __future__ import annotations

import pytest

from headwater.bounds.answers.answer import Level
from support.bounds.asking import answer_of

SCHEMA = """CREATE TABLE q1 (id bigint PRIMARY KEY, k bigint NOT NULL, at timestamptz NOT NULL);
CREATE TABLE q2 (id bigint PRIMARY KEY, k bigint NOT NULL, at timestamptz NOT NULL);
CREATE VIEW u AS SELECT id, k, at, 1 AS part FROM q1 UNION ALL SELECT id, k, at, 2 FROM q2;
CREATE VIEW cut AS SELECT * FROM (SELECT id, k FROM q1 UNION ALL SELECT id, k FROM q2) x ORDER BY id LIMIT 5;
CREATE VIEW distinct_rows AS SELECT id, k FROM q1 UNION SELECT id, k FROM q2;
CREATE VIEW grouped AS SELECT k, count(*) AS id FROM q1 GROUP BY k UNION ALL SELECT id, k FROM q2;"""


@pytest.mark.parametrize(
    ("query", "level"),
    [
        ("SELECT * FROM u WHERE id = $1", Level.SI_0),
        ("SELECT id, part + 1 FROM u WHERE id = $1 AND part = 2", Level.SI_0),
        ("SELECT * FROM u WHERE k = $1 ORDER BY at DESC LIMIT 10", Level.SI_1),
        ("SELECT * FROM u WHERE k = $1 ORDER BY at DESC LIMIT 10 OFFSET 5", Level.SI_1),
        ("SELECT * FROM u ORDER BY id LIMIT 3", Level.SI_0),
        ("SELECT id FROM u WHERE k = $1", Level.UNBOUNDED),
        ("SELECT id FROM u WHERE id = $1 OR k = $2", Level.UNBOUNDED),
        ("SELECT DISTINCT k FROM u WHERE at > $1", Level.UNBOUNDED),
        ("SELECT count(*) FROM u WHERE k = $1", Level.UNBOUNDED),
        ("SELECT id FROM u WHERE k = $1 ORDER BY at + id LIMIT 10", Level.UNBOUNDED),
        ("SELECT id FROM cut WHERE k = $1", Level.UNBOUNDED),
        ("SELECT id FROM distinct_rows WHERE k = $1 LIMIT 5", Level.UNBOUNDED),
        ("SELECT id FROM grouped WHERE k = $1 LIMIT 5", Level.UNBOUNDED),
    ],
)
def test_a_view_over_partitions(query: str, level: Level) -> None:
    assert answer_of("postgres", SCHEMA, query).level is level

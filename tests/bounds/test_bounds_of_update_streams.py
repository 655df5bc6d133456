"""Bounds of queries over views of update streams: what is shown under overload has rows of several times."""

from __future__ import annotations

import pytest

from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options

STREAMS = """
CREATE TABLE sectors (name STRING PRIMARY KEY, CARDINALITY LIMIT 20 ());
CREATE TABLE places (id INT PRIMARY KEY, symbol STRING, seat INT UNIQUE, sector STRING NOT NULL REFERENCES sectors (name),
  UPDATE KEY ({key}), CARDINALITY LIMIT 5 (sector)) {policy};
CREATE MATERIALIZED VIEW v {clause} AS SELECT id, symbol, seat, sector FROM places;
CREATE MATERIALIZED VIEW w {clause} AS SELECT id, symbol, seat, sector FROM v;
"""
BEST = "ON OVERLOAD UPDATES best"


@pytest.mark.parametrize("relation", ["v", "w"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT symbol FROM {} WHERE id = :id",
        "SELECT symbol FROM {} WHERE seat = :seat",
        "SELECT symbol FROM {} WHERE sector = :sector",
        "SELECT DISTINCT sector FROM {}",
    ],
)
def test_what_is_shown_of_an_update_stream_keeps_no_limit_but_by_its_update_key(
    sql: str, relation: str
) -> None:
    """Under overload rows of several times are shown beside each other: the id of one may be another's by now."""

    def bounded(key: str, policy: str, clause: str) -> bool:
        schema = STREAMS.format(key=key, policy=policy, clause=clause)
        inputs = read_sql(schema, "schema.sql")
        inputs.queries += read_sql(f"-- name: q\n{sql.format(relation)};", "q.sql").queries
        (answer,) = check(inputs, Options())
        return answer.level.value != "unbounded"

    certain = bounded("symbol", "", "")
    assert bounded("symbol", BEST, "REFRESH EVERY CHANGE") == certain
    assert not bounded("symbol", BEST, "")
    assert bounded("id", BEST, "") == (certain and "id = :id" in sql)
    assert certain or "DISTINCT" in sql or "sector = " in sql

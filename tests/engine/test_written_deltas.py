"""What is written for Spark of changes, for few rows and for many, run by DuckDB push after push."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest

from headwater.engine.push import pusher
from support.overload.spark_in_duckdb import InDuckDb, PushesInDuckDb
from support.spark.keeping import Keeping

TABLES = """
CREATE TABLE t (id BIGINT PRIMARY KEY, k BIGINT, x BIGINT);
CREATE TABLE u (id BIGINT PRIMARY KEY, y BIGINT);
"""
VIEWS = {
    "sums": "SELECT k, count(*) AS n, sum(x) AS s FROM t GROUP BY k",
    "of_a_join": "SELECT u.y, count(t.x) AS n, sum(t.x) AS s FROM t JOIN u ON t.k = u.id GROUP BY u.y",
    "shown": "SELECT k, sum(x) AS s FROM t GROUP BY k HAVING count(*) > 1",
    "partners": "SELECT t.id, t.x, u.y FROM t LEFT JOIN u ON t.k = u.id",
    "known": "SELECT id FROM t WHERE k IN (SELECT id FROM u WHERE y > 1)",
}
# Of many rows, the groups that lost their extreme are computed first, by Spark.
OF_FEW = {"highest": "SELECT k, max(x) AS high, min(x) AS low FROM t GROUP BY k"}
ROUNDS = 6


def rows_of(table: str, chance: random.Random) -> dict[str, int | None]:
    if table == "u":
        return {"id": chance.randrange(4), "y": chance.randrange(3)}
    return {"id": chance.randrange(12), "k": chance.randrange(4), "x": chance.choice([None, 1, 2, 5])}


@pytest.mark.parametrize("few", [True, False], ids=["few rows", "many rows"])
def test_views_are_what_their_sql_says(few: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pusher, "run_action", PushesInDuckDb())
    monkeypatch.setattr(InDuckDb, "one_task", few)
    views = VIEWS | (OF_FEW if few else {})
    ddl = "".join(
        f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '9' SECOND REFRESH POLICY INCREMENTAL AS {sql};\n"
        for name, sql in views.items()
    )
    chance = random.Random(5)
    kept = Keeping(cast(Any, None), tmp_path, TABLES + ddl)
    state: dict[str, dict[int | None, dict[str, int | None]]] = {"t": {}, "u": {}}
    for turn in range(ROUNDS):
        for table, held in state.items():
            changes = []
            for _ in range(chance.randint(1, 5)):
                row = rows_of(table, chance)
                if row["id"] in held and chance.random() < 0.4:
                    changes.append({"op": "delete", "row": held.pop(row["id"])})
                elif row["id"] in held:
                    held[row["id"]] = row
                    changes.append({"op": "update", "row": row})
                else:
                    held[row["id"]] = row
                    changes.append({"op": "insert", "row": row})
            kept.ingest(table, changes)
        kept.push()
        database = duckdb.connect()
        database.execute(
            "CREATE TABLE t (id BIGINT, k BIGINT, x BIGINT); CREATE TABLE u (id BIGINT, y BIGINT)"
        )
        for table, held in state.items():
            for row in held.values():
                database.execute(
                    f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", list(row.values())
                )
        for name, sql in views.items():
            assert Counter(kept.rows(name)) == Counter(database.sql(sql).fetchall()), f"{name}, round {turn}"

"""Random SQL, random restarts and kills: the timeline always ends equal to PostgreSQL's own table."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from psycopg import sql

from headwater.capture.postgres import copied_rows, snapshot
from headwater.capture.postgres import server as statements
from headwater.capture.postgres.stream import difference, rounds
from headwater.storage.warehouse import Warehouse
from support.postgres import capture, drain, rows_in_postgres, rows_of, table

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]
COLUMNS = ("id", "part", "body", "n")
KINDS = (("id", "int"), ("part", "string"), ("body", "string"), ("n", "decimal(10,2)"))


def statement(rng: random.Random, name: str) -> tuple[str, tuple[Any, ...]]:
    big = rng.choice("xyz") * rng.choice([3, 3000, 20_000])
    key, other = rng.randrange(12), rng.randrange(12)
    return rng.choice(
        [
            (f"INSERT INTO {name} VALUES (%s, 'p', %s, %s) ON CONFLICT DO NOTHING", (key, big, rng.random())),
            (f"INSERT INTO {name} VALUES (%s, 'q', NULL, NULL) ON CONFLICT DO NOTHING", (key,)),
            (f"UPDATE {name} SET n = %s WHERE id = %s", (round(rng.random(), 2), key)),
            (f"UPDATE {name} SET n = n + 1 WHERE id > %s", (key,)),
            (f"UPDATE {name} SET body = %s WHERE id = %s", (big, key)),
            (
                f"UPDATE {name} SET id = %s WHERE id = %s AND NOT EXISTS (SELECT FROM {name} WHERE id = %s)",
                (other, key, other),
            ),
            (f"UPDATE {name} SET id = id + 100, part = part || 'r' WHERE id = %s", (key,)),
            (f"DELETE FROM {name} WHERE id = %s", (key,)),
            (f"DELETE FROM {name} WHERE id > 100", ()),
            (f"TRUNCATE {name}", ()),
        ][: 10 if rng.random() < 0.08 else 9]
    )  # fmt: skip


def shrink(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> None:
    """Pieces of a few rows, so that transactions, snapshots and comparisons consist of many."""
    monkeypatch.setattr(rounds, "PIECE", rng.choice([1, 2, 5, 20]))
    monkeypatch.setattr(copied_rows, "PIECE", rng.choice([1, 3, 50]))
    monkeypatch.setattr(snapshot, "ROWS_AT_ONCE", rng.choice([1, 4, 50]))
    monkeypatch.setattr(difference, "ROWS_IN_MEMORY", rng.choice([0, 5, 1000]))


@pytest.mark.parametrize("seed", range(10))
def test_random_transactions(
    uri: str, connection: Connection, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)
    if seed % 2:
        shrink(monkeypatch, rng)
    for name, identity in (("keyed", "DEFAULT"), ("whole", "FULL")):
        connection.execute(
            sql.SQL(
                "CREATE TABLE {0} (id int, part text, body text, n numeric(10,2), PRIMARY KEY (id, part));"
                "ALTER TABLE {0} ALTER body SET STORAGE EXTERNAL; ALTER TABLE {0} REPLICA IDENTITY {1}"
            ).format(sql.Identifier(name), sql.SQL(identity))  # type: ignore[arg-type]
        )
    tables = [table(uri, name, *KINDS) for name in ("keyed", "whole")]
    source = capture(warehouse, *tables)
    advance = statements.advance_slot
    for _ in range(25):
        with connection.transaction(force_rollback=rng.random() < 0.1):
            for _ in range(rng.randrange(1, 8)):
                text, values = statement(rng, rng.choice(["keyed", "whole"]))
                connection.execute(text, values)  # type: ignore[call-overload]
        match rng.randrange(8):
            case 0 | 1:
                drain(source)
            case 4:  # in the middle of whatever there is to do
                for _ in range(rng.randrange(1, 5)):
                    assert source.poll().error is None
            case 5 if rng.random() < 0.3:
                source.drop()
            case 2:  # a kill before the slot advances
                monkeypatch.setattr(statements, "advance_slot", lambda *_: None)
                drain(source)
                monkeypatch.setattr(statements, "advance_slot", advance)
                source.close()
                source = capture(warehouse, *tables)
            case 3:
                source.close()
                source = capture(warehouse, *tables)
    drain(source)
    for name in ("keyed", "whole"):
        assert rows_of(warehouse, name) == rows_in_postgres(connection, name, *COLUMNS)
    source.close()

"""Rows that came and went are found by their keys: what is left has positive weights and is the same relation.

The query is Spark's; DuckDB runs it here, in sqlglot's translation.
"""

from __future__ import annotations

import random
from collections import Counter

import duckdb
import pytest
import sqlglot

from headwater.engine.query.net_rows import net_rows
from headwater.engine.query.query import Query
from support.cases import scaled

Row = tuple[int, int | None]
Changes = list[tuple[Row, int]]


def net(added: Changes, mixed: Changes, key: tuple[str, ...]) -> list[tuple[Row, int]]:
    query = net_rows(Query("added", ("id", "n")), Query("mixed", ("id", "n")), key)
    text = sqlglot.transpile(f"SELECT id, n, _weight FROM {query.text} AS q", "spark", "duckdb")[0]
    with duckdb.connect() as database:
        for name, changes in (("added", added), ("mixed", mixed)):
            database.execute(f"CREATE TABLE {name} (id BIGINT, n BIGINT, _weight BIGINT)")
            rows = [(*row, weight) for row, weight in changes]
            if rows:
                database.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
        return [((number, value), weight) for number, value, weight in database.execute(text).fetchall()]


def summed(changes: Changes) -> Counter[Row]:
    total: Counter[Row] = Counter()
    for row, weight in changes:
        total[row] += weight
    return Counter({row: weight for row, weight in total.items() if weight})


def random_history(chance: random.Random) -> tuple[Changes, Changes]:
    """Rows, equal ones among them, that come and go; each change in a file with or without deletions."""
    there: list[Row] = []
    added: Changes = []
    mixed: Changes = []
    for _ in range(chance.randrange(30)):
        if there and chance.random() < 0.4:
            mixed.append((there.pop(chance.randrange(len(there))), -1))
        else:
            row = chance.randrange(5), chance.choice([None, 1, 2])
            there.append(row)
            (mixed if chance.random() < 0.3 else added).append((row, 1))
    return added, mixed


@pytest.mark.parametrize("key", [(), ("id",)])
def test_what_is_left_is_the_same_relation(key: tuple[str, ...]) -> None:
    for seed in range(scaled(25)):
        added, mixed = random_history(random.Random(seed))
        left = net(added, mixed, key)
        assert all(weight > 0 for _, weight in left)
        assert summed(left) == summed([*added, *mixed])

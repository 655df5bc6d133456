"""Random views over tables and views: every kind of SELECT that a view may be, under random names."""

from __future__ import annotations

import random
from dataclasses import dataclass

from headwater.bench.fuzz.names import Name, random_name
from headwater.bench.fuzz.tables import RandomTable

__all__ = ["RandomView", "random_view"]


@dataclass(frozen=True, slots=True)
class RandomView:
    name: Name
    select: str
    clauses: str
    may_fail: bool = False  # a row may make it fail

    @property
    def sql(self) -> str:
        return f"CREATE MATERIALIZED VIEW {self.name.sql}{self.clauses} AS {self.select};"


def random_view(
    chance: random.Random, wild: bool, taken: set[str], tables: list[RandomTable], views: list[RandomView]
) -> RandomView:
    name = random_name(chance, wild, taken)
    taken.add(name.text.lower())
    clauses = chance.choice(
        (
            f" FRESHNESS = INTERVAL '{chance.randint(5, 600)}' SECOND",
            " TBLPROPERTIES ('headwater.freshness' = '1 minute')",
            " FRESHNESS = INTERVAL '2' MINUTE OWNER = 'team a'",
            " FRESHNESS = INTERVAL '1' HOUR PENALTY = 0.01",
            "",
        )
    )
    if views and chance.random() < 0.2:
        below = chance.choice(views)
        return RandomView(name, f"SELECT * FROM {below.name.sql}", clauses, below.may_fail)
    select, may_fail = _select(chance, wild, tables)
    return RandomView(name, select, clauses, may_fail)


def _select(chance: random.Random, wild: bool, tables: list[RandomTable]) -> tuple[str, bool]:
    table = chance.choice(tables)
    other = chance.choice(tables)
    column, key = chance.choice(table.columns), table.key
    columns = {column.name.text.lower() for column in table.columns}  # a result's names differ
    name, alias = random_name(chance, wild, columns).sql, random_name(chance, wild, columns).sql
    source, k, c = table.name.sql, key.name.sql, column.name.sql
    numbers = [number for number in table.columns if number.is_number]
    n = chance.choice(numbers).name.sql
    selects = [
        f"SELECT {k}, {c} AS {name} FROM {source}" if c != k else f"SELECT {k} FROM {source}",
        f"SELECT {c} FROM {source} WHERE {c} IS NOT NULL",
        f"SELECT {c}, count(*) AS {name} FROM {source} GROUP BY {c}",
        f"SELECT DISTINCT {c} FROM {source}",
        f"SELECT count(*) AS {name}, sum({n}) AS s_, min({k}) AS m_ FROM {source}",
        f"SELECT {alias}.{k} FROM {source} AS {alias} WHERE {alias}.{k} > 2",
        f"SELECT l.{k}, r.{other.key.name.sql} AS {name} FROM {source} l "
        f"JOIN {other.name.sql} r ON l.{k} = r.{other.key.name.sql}",
        f"SELECT l.{k}, r.{other.key.name.sql} AS {name} FROM {source} l "
        f"LEFT JOIN {other.name.sql} r ON l.{k} = r.{other.key.name.sql}",
        f"SELECT {k} FROM {source} UNION ALL SELECT {other.key.name.sql} FROM {other.name.sql}",
        f"SELECT {k}, row_number() OVER (ORDER BY {k}) AS {name} FROM {source}",
        f"SELECT {k} AS {name} FROM {source} ORDER BY {k} LIMIT 3",
        f"WITH {alias} AS (SELECT {k} FROM {source}) SELECT {k} FROM {alias}",
        f"SELECT * FROM {source}",
        f"SELECT CASE WHEN {c} IS NULL THEN 'none' ELSE 'it''s' END AS {name}, {k} FROM {source}",
    ]
    if chance.random() < 0.1:
        return f"SELECT {k}, 10 / {n} AS {name} FROM {source}", True
    return chance.choice(selects), False

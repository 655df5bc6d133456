"""Random window joins: tables of events, a view that joins them within a window, and changes to the tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import duckdb

from headwater.model import Table, View
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

DUCKDB = duckdb.connect(config={"threads": 1})
START = datetime(2026, 3, 1, 12)
Row = tuple[int, int | None, int, datetime | None]  # id, k, n, at
Rows = dict[str, list[Row]]


@dataclass(frozen=True)
class WindowJoin:
    """A view over some of the tables a, b, c, under the names x0, x1, ..; `matches` is its join without the window."""

    tables: Mapping[str, Table]
    view: View
    aliases: tuple[str, ...]
    names: tuple[str, ...]  # the tables, in the order of the aliases
    matches: str

    def matches_of(self, suffix: str) -> str:
        """The same over tables of other names: each input has one of its own."""
        text = self.matches
        for name, alias in zip(self.names, self.aliases, strict=True):
            text = text.replace(f" {name} {alias} ", f" {alias}{suffix} {alias} ")
        return text


def table_ddl(name: str) -> str:
    return f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, k BIGINT, n BIGINT, ts TIMESTAMP TEMPORAL);\n"


def random_join(chance: random.Random, clauses: str = "") -> WindowJoin:
    inputs = chance.randint(2, 4)
    names = [chance.choice("abc") for _ in range(inputs)]  # a table may be joined with itself
    aliases = tuple(f"x{index}" for index in range(inputs))
    joined = f"{names[0]} x0"
    for index in range(1, inputs):
        partner = chance.randrange(index)
        more = chance.choice(["", f" AND x{index}.n <> x{partner}.n", f" AND x{index}.n < x{partner}.n + 2"])
        joined += f" JOIN {names[index]} x{index} ON x{index}.k = x{partner}.k{more}"
    where = chance.choice(["", "x0.n > 1", "x0.n > 2 OR x1.n > 2"])
    listed = ", ".join(f"{alias}.id AS i{index}" for index, alias in enumerate(aliases))
    if chance.random() < 0.2 and not clauses:
        listed, group = "x0.n, count(*) AS c, sum(x1.n) AS s", " GROUP BY x0.n"
    else:
        group = ""
    seconds = chance.choice([0.5, 2, 5, 10])
    written = f"SELECT {listed} FROM {joined}{f' WHERE {where}' if where else ''}{group}"
    ddl = (
        "".join(map(table_ddl, "abc"))
        + f"CREATE MATERIALIZED VIEW v FRESHNESS = '9 seconds' WINDOW = '{seconds} seconds' {clauses} AS {written};"
    )
    declared = resolve(parse_statements(ddl))
    near = (
        f"greatest({', '.join(f'{alias}.ts' for alias in aliases)}) - INTERVAL '{int(seconds * 1000)}' MILLISECOND"
        f" <= least({', '.join(f'{alias}.ts' for alias in aliases)})"
        + "".join(f" AND {alias}.ts IS NOT NULL" for alias in aliases)
    )
    condition = f"({where}) AND {near}" if where else near
    matches = f"SELECT {listed} FROM {joined} WHERE {condition}{group}"
    return WindowJoin(
        {table.name: table for table in declared.tables}, declared.views[0], aliases, tuple(names), matches
    )


def random_changes(chance: random.Random, rows: Rows, turn: int, most: int = 6) -> dict[str, Counter[Row]]:
    """Rows come, go and are replaced; `rows` changes along."""
    changes: dict[str, Counter[Row]] = {name: Counter() for name in rows}
    for name, held in rows.items():
        for _ in range(chance.randint(0, most)):
            if held and chance.random() < 0.35:
                gone = held.pop(chance.randrange(len(held)))
                changes[name][gone] -= 1
                if chance.random() < 0.5:
                    row = random_row(chance, turn, gone[0])
                    held.append(row)
                    changes[name][row] += 1
            else:
                row = random_row(chance, turn, chance.randrange(10**9))
                held.append(row)
                changes[name][row] += 1
    return changes


def random_row(chance: random.Random, turn: int, number: int) -> Row:
    at = (
        None
        if chance.random() < 0.05
        else START + timedelta(seconds=4 * turn + chance.choice([0, 0.5, 1, 2, -3, -8]))
    )
    return number, None if chance.random() < 0.05 else chance.randrange(2), chance.randrange(4), at


def by_duckdb(sql: str, rows: Rows) -> Counter[tuple[object, ...]]:
    """What DuckDB answers, over the rows as they are."""
    for name, held in rows.items():
        DUCKDB.execute(f"CREATE OR REPLACE TABLE {name} (id BIGINT, k BIGINT, n BIGINT, ts TIMESTAMP)")
        if held:
            DUCKDB.execute(
                f"INSERT INTO {name} VALUES {', '.join(['(?, ?, ?, ?)'] * len(held))}", sum(held, ())
            )
    return Counter(tuple(map(_plain, row)) for row in DUCKDB.execute(sql).fetchall())


def _plain(value: object) -> object:
    return int(value) if isinstance(value, int) else value

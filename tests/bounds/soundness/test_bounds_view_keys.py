"""Keys and limits of a project's views follow from their definitions: random views over random rows keep them.

A view is a table to the queries that read it, so a key or a limit that its rows break is a false bound.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import duckdb

from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options, tables_with_views
from headwater.model import Table
from support.cases import scaled

Row = tuple[object, ...]

SCHEMA = """
CREATE TABLE a (id BIGINT NOT NULL, k INT NOT NULL, f BOOLEAN NOT NULL, u INT, PRIMARY KEY (id), UNIQUE (u), CARDINALITY LIMIT 2 (k));
CREATE TABLE b (bid BIGINT NOT NULL, aid BIGINT, g BOOLEAN, h BOOLEAN NOT NULL, x INT NOT NULL, PRIMARY KEY (bid), CARDINALITY LIMIT 3 (aid));
CREATE TABLE c (p INT NOT NULL, q INT NOT NULL, v INT, w BOOLEAN NOT NULL, PRIMARY KEY (p, q), CARDINALITY LIMIT 2 (p));
CREATE TABLE d (s INT NOT NULL, t INT, UPDATE KEY (s));
"""
TABLES = read_sql(SCHEMA, "schema.sql").tables
NUMBERS = {"a": ("id", "k", "u"), "b": ("bid", "aid", "x"), "c": ("p", "q", "v"), "d": ("s", "t")}
KEYS = {"a": ("id", "k"), "b": ("aid",), "c": ("p", "q"), "d": ("s",)}  # what people join by
FLAGS = {"a": ("f",), "b": ("g", "h"), "c": ("w",), "d": ()}


def test_what_follows_for_views_holds_for_their_rows() -> None:
    told, database = Counter[str](), _database()
    for seed in range(scaled(400)):
        chance = random.Random(seed)
        rows = {name: [*_rows(chance, table)] for name, table in TABLES.items()}
        text = _view(chance)
        derived = tables_with_views(read_sql(f"{SCHEMA}\nCREATE MATERIALIZED VIEW z AS {text};", "views.sql"))
        if "z" in derived.tables:
            answer = _answer(database, text, rows)
            told.update(_check(derived["z"], answer, f"seed {seed}: {text}"))
    assert min(told["key"], told["limit"]) > scaled(400) // 20


def level_of(declared: str, query: str) -> str:
    inputs = read_sql(f"{SCHEMA}\n{declared}", "views.sql")
    inputs.queries += read_sql(f"-- name: q\n{query};", "q.sql").queries
    (answer,) = check(inputs, Options())
    return f"{answer.level.value} {answer.results}"


def test_an_update_key_is_a_key() -> None:
    assert level_of("", "SELECT t FROM d WHERE s = :s") == "SI-1 1"


def test_columns_that_follow_from_the_rest_of_a_key_are_not_needed() -> None:
    view = "CREATE MATERIALIZED VIEW z AS SELECT b.aid, a.f, b.x, count(*) AS n FROM b {} JOIN a ON a.id = b.aid GROUP BY b.aid, a.f, b.x;"
    query = "SELECT n FROM z WHERE aid = :aid AND x = :x"
    assert level_of(view.format(""), query) == "SI-0 1"
    assert level_of(view.format("LEFT"), query) == "SI-0 1"
    also = "LEFT JOIN a ON a.id = b.aid AND b.g GROUP BY"  # of one aid rows with a partner, and without
    assert (
        level_of(view.format("LEFT").replace("LEFT JOIN a ON a.id = b.aid GROUP BY", also), query) != "SI-0 1"
    )


def test_a_column_of_few_values_is_null_as_well_where_there_is_no_partner() -> None:
    view = "CREATE MATERIALIZED VIEW z AS SELECT a.k, b.h, count(*) AS n FROM a LEFT JOIN b ON b.aid = a.id GROUP BY a.k, b.h;"
    assert level_of(view, "SELECT n FROM z WHERE k = :k") == "SI-0 3"


def _check(view: Table, rows: Sequence[Row], case: str) -> Iterator[str]:
    if view.key:
        yield "key"
        assert _most(view, view.key, rows) <= 1, f"{case}: key {view.key}"
    for limit in view.cardinalities:
        yield "limit"
        certain = [row for row in rows if None not in _values(view, limit.columns, row)]
        assert _most(view, limit.columns, certain) <= limit.limit, f"{case}: {limit}"


def _most(view: Table, columns: Sequence[str], rows: Sequence[Row]) -> int:
    return max(Counter(_values(view, columns, row) for row in rows).values(), default=0)


def _values(view: Table, columns: Sequence[str], row: Row) -> Row:
    return tuple(row[view.column_names.index(column)] for column in columns)


def _rows(chance: random.Random, table: Table) -> Iterator[Row]:
    """Random rows that keep what the table declares."""
    limits = [(key, 1) for key in (table.key, table.update_key, *table.unique) if key]
    limits += [(limit.columns, limit.limit) for limit in table.cardinalities]
    seen = Counter[tuple[object, ...]]()
    for _ in range(chance.randrange(18)):
        row = tuple(
            None
            if column.nullable and chance.random() < 0.25
            else chance.random() < 0.5
            if column.type == "boolean"
            else chance.randrange(5)
            for column in table.columns
        )
        held = [(columns, _values(table, columns, row)) for columns, _ in limits]
        if all(
            seen[each] < most for each, (_, most) in zip(held, limits, strict=True) if None not in each[1]
        ):
            seen.update(held)
            yield row


def _view(chance: random.Random) -> str:
    tables = [chance.choice([*TABLES]) for _ in range(chance.choice((1, 2, 2, 2, 3)))]
    aliases = [f"r{number}" for number in range(len(tables))]
    text = f"{tables[0]} AS r0"
    for number in range(1, len(tables)):
        conditions = [_tie(chance, tables, aliases, number)]
        conditions += [_tie(chance, tables, aliases, number)] if chance.random() < 0.4 else []
        conditions += [_filter(chance, tables, aliases, number + 1)] if chance.random() < 0.2 else []
        kind = chance.choice(("JOIN", "LEFT JOIN", "LEFT JOIN"))
        text += f" {kind} {tables[number]} AS {aliases[number]} ON {' AND '.join(conditions)}"
    if chance.random() < 0.4:
        text += f" WHERE {_filter(chance, tables, aliases, len(tables))}"
    every = {
        f"{alias}.{column}"
        for alias, table in zip(aliases, tables, strict=True)
        for column in chance.choice(((*KEYS[table], *FLAGS[table]), TABLES[table].column_names))
    }
    shown = chance.sample(sorted(every), min(len(every), chance.choice((1, 2, 2, 3, 3, 4, 8))))
    outputs = [f"{column} AS c{number}" for number, column in enumerate(shown)]
    if chance.random() < 0.6:
        return f"SELECT {', '.join(outputs)}, count(*) AS n FROM {text} GROUP BY {', '.join(shown)}"
    return f"SELECT {', '.join(outputs)} FROM {text}"


def _number(chance: random.Random, table: str) -> str:
    return chance.choice((NUMBERS if chance.random() < 0.3 else KEYS)[table])


def _tie(chance: random.Random, tables: Sequence[str], aliases: Sequence[str], number: int) -> str:
    """A column of an input compared with one of an earlier input."""
    earlier = chance.randrange(number)
    own, other = _number(chance, tables[number]), _number(chance, tables[earlier])
    return f"{aliases[number]}.{own} = {aliases[earlier]}.{other}"


def _filter(chance: random.Random, tables: Sequence[str], aliases: Sequence[str], among: int) -> str:
    number = chance.randrange(among)
    column = f"{aliases[number]}.{_number(chance, tables[number])}"
    return chance.choice((f"{column} = {chance.randrange(5)}", f"{column} > 1", f"{column} IS NOT NULL"))


def _answer(database: duckdb.DuckDBPyConnection, text: str, rows: Mapping[str, Sequence[Row]]) -> list[Row]:
    for name in TABLES:
        database.execute(f"DELETE FROM {name}")
        if rows[name]:
            values = ", ".join(str(row).replace("None", "NULL").replace(",)", ")") for row in rows[name])
            database.execute(f"INSERT INTO {name} VALUES {values}")
    return database.execute(text).fetchall()


def _database() -> duckdb.DuckDBPyConnection:
    """Without constraints: the rows keep them by themselves."""
    database = duckdb.connect()
    for table in TABLES.values():
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        database.execute(f"CREATE TABLE {table.name} ({columns})")
    return database

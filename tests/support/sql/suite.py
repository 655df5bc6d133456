"""Views as people write them: TPC-H, TPC-DS, Nexmark, typical models, joins of all kinds, streams, idioms.

retail.sql holds TPC-DS over its own tables, idioms.sql what subqueries, NULLs, groups, windows and sets are put to,
dbt.sql models of a shop, ledgers.sql finance and puzzles, syntax.sql forms that are seldom written, views over views
and Nexmark's words, benchmarks.sql order books, SSB, JOB and CH, nested.sql what is put into each other.

Each file of views/ (here, and beside `headwater bench plan`) declares tables and views.  Rows are drawn from
small domains: integers 0 to 4, a few days, and the texts that the views themselves compare with, so that conditions hold and joins find partners.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

import duckdb
import sqlglot

from headwater.algebra.expressions.types import decimal_of
from headwater.algebra.oracle.zsets import ZSet, add, zset
from headwater.bench.planning.projects import VIEW_FILES, VIEW_FOLDER
from headwater.catalog import Catalog, build
from headwater.model import Project, Table
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

FOLDER = Path(__file__).parent / "views"
FIRST = 24  # rows drawn for each table to begin with; of those with the same key the last stays
NEW = ("dbt", "ledgers", "syntax", "benchmarks", "nested")
FILES = (*VIEW_FILES, "joins", "streams", "idioms", "retail", *NEW)
NULL_ORDER = "SET default_null_order = 'nulls_first_on_asc_last_on_desc'"
_COMPARED = r"\b{column}(?:, 1, 2\))?\s+(?:NOT\s+)?(?:=|<>|LIKE|IN)\s*\(?((?:'[^']*'(?:,\s*)?)+)"
_OTHERS = ("a", "b")

Rows = dict[str, ZSet]
Texts = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Suite:
    name: str
    catalog: Catalog
    texts: Texts  # of each column of texts, those that the views compare it with

    @property
    def tables(self) -> dict[str, Table]:
        return dict(self.catalog.project.tables)


@cache
def suite(name: str) -> Suite:
    text = ((VIEW_FOLDER if name in VIEW_FILES else FOLDER) / f"{name}.sql").read_text()
    declared = resolve(parse_statements(text))
    tables = {table.name: table for table in declared.tables}
    views = {view.name: view for view in declared.views}
    catalog = build(Project(name, "", "", tables, views, {}, {}))
    columns = {
        column.name for table in declared.tables for column in table.columns if column.type == "string"
    }
    return Suite(name, catalog, {column: _texts(text, column) for column in columns})


def _texts(text: str, column: str) -> tuple[str, ...]:
    lists = re.findall(_COMPARED.format(column=re.escape(column)), text)
    compared = [part.replace("%", "") for listed in lists for part in re.findall(r"'([^']*)'", listed)]
    return (*dict.fromkeys(compared), *_OTHERS)


def drawn(chance: random.Random, spark_type: str, texts: tuple[str, ...]) -> object:
    """A value of a type; a text is mostly the first that the views compare with."""
    decimal = decimal_of(spark_type)
    if decimal is not None:
        return Decimal(chance.randint(0, 300)).scaleb(-decimal[1])
    match spark_type:
        case "string":
            return texts[0] if chance.random() < 0.85 else chance.choice(texts)
        case "date":
            return date(1995, 1, 1) + timedelta(days=40 * chance.randint(0, 4))
        case "timestamp":
            return datetime(2024, 1, 1) + timedelta(seconds=chance.randint(0, 9))
        case "boolean":
            return chance.random() < 0.5
        case "double":
            return chance.randint(0, 8) / 4
        case _:
            return chance.randint(0, 4)


def row(chance: random.Random, table: Table, texts: Texts) -> tuple[object, ...]:
    """NULL now and then, but not in a key or where NOT NULL is declared."""
    return tuple(
        None
        if column.nullable and column.name not in table.key and chance.random() < 0.05
        else drawn(chance, column.type, texts.get(column.name, _OTHERS))
        for column in table.columns
    )


def changes(
    chance: random.Random, table: Table, rows: ZSet, count: int, texts: Texts, going: float = 0.4
) -> ZSet:
    """Rows that come and go; a new row with the key of an old one takes its place."""
    change: ZSet = {}
    for _ in range(count):
        now = add(rows, change)
        if now and chance.random() < going:
            gone = chance.choice(sorted(now, key=repr))
            change = add(change, {gone: -1})
            continue
        new = row(chance, table, texts)
        places = [index for index, column in enumerate(table.columns) if column.name in table.key]
        twins = [old for old in now if places and all(old[place] == new[place] for place in places)]
        change = add(change, dict.fromkeys(twins, -1), {new: 1})
    return change


def batches(chance: random.Random, of: Suite, number: int) -> list[Rows]:
    """The first rows of all tables, then changes of some."""
    rows: Rows = {name: zset([]) for name in of.tables}
    made: list[Rows] = []
    for index in range(number):
        batch: Rows = {}
        for name, table in of.tables.items():
            if index == 0 or chance.random() < 0.6:
                count, going = (FIRST, 0.0) if index == 0 else (4, 0.4)
                batch[name] = changes(chance, table, rows[name], count, of.texts, going)
                rows[name] = add(rows[name], batch[name])
        made.append(batch)
    return made


def duckdb_of(of: Suite) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect()
    database.execute("SET threads = 1")
    database.execute(NULL_ORDER)
    for name, table in of.tables.items():
        listed = ", ".join(f'"{column.name}" {_duck(column.type)}' for column in table.columns)
        database.execute(f"CREATE TABLE {name} ({listed})")
    return database


def _duck(spark_type: str) -> str:
    return "VARCHAR" if spark_type == "string" else spark_type


def load(database: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    for name, contents in rows.items():
        database.execute(f"DELETE FROM {name}")
        listed = [list(record) for record, weight in contents.items() for _ in range(weight)]
        if listed:
            places = ", ".join("?" for _ in listed[0])
            database.executemany(f"INSERT INTO {name} VALUES ({places})", listed)


def by_duckdb(database: duckdb.DuckDBPyConnection, sql: str) -> Counter[tuple[object, ...]]:
    (written,) = sqlglot.transpile(sql, read="spark", write="duckdb", identify=True)
    return Counter(tuple(map(plain, record)) for record in database.execute(written).fetchall())


def plain(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, Decimal | float | int):
        return value
    return float(f"{float(value):.6g}")

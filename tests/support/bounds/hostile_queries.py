"""Random queries of the kinds that once had false proofs, as text that goes through all of `check`.

Each case is two texts of one meaning: what is checked, and what SQLite answers.  `RAND()` is there `noise(...)`, a
fixed function of a row of every source, which is what a volatile call may be for all that a proof knows.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.algebra.expressions.matching import words
from headwater.bounds.query.catalog import Catalog
from headwater.model import Column, Table
from support.bounds.random_queries import Case, Generator, ViewGenerator

TEXTS = ["ape", "bee cat", "ape bee", "cat ape bee", "", "bee", "7", "07", "-7", "-07"]


@dataclass
class HostileCase(Case):
    text: str = ""  # what is checked; `sql` is what SQLite answers
    given: dict[str, Any] = field(default_factory=dict)  # the parameters under the names they have in `text`
    unknown: bool = False  # a function that nobody knows stands in it


def noise(*values: Any) -> float:
    """Looks random, and is the same for the same values."""
    state = 17
    for value in values:
        state = (
            state * 31 + hash(str(value)) % 1009 if isinstance(value, str) else state * 31 + int(value)
        ) % 10007
    return (state * 7919 % 10007) / 10007


def with_functions(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.create_function("noise", -1, noise, deterministic=True)
    connection.create_function("match_any", 2, lambda text, query: bool(words(text) & words(query)))
    connection.create_function("contains_token", 2, lambda text, word: str(word).lower() in words(text))
    connection.create_function("mystery", 1, lambda value: value)
    connection.create_function("as_number", 1, _as_number, deterministic=True)
    return connection


def _as_number(text: str | None) -> float | None:
    """TRY_CAST(text AS DOUBLE), which SQLite lacks."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def ddl(table: Table) -> str:
    parts = [
        f"{column.name} {column.type}{'' if column.nullable else ' NOT NULL'}{' TEMPORAL' if column.temporal else ''}"
        for column in table.columns
    ]
    parts += [f"PRIMARY KEY ({', '.join(table.key)})"] if table.key else []
    parts += [f"UNIQUE ({', '.join(names)})" for names in table.unique]
    parts += [
        f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {key.table} ({', '.join(key.referenced)})"
        for key in table.foreign_keys
    ]
    parts += [
        f"CARDINALITY LIMIT {limit.limit} ({', '.join(limit.columns)})" for limit in table.cardinalities
    ]
    warn = " ON VIOLATION WARN" if table.warn_on_violation else ""
    unique = f" CREATE UNIQUE INDEX ON {table.name} (LOWER(s)) WHERE flag = TRUE;"
    more = unique if "unique" in table.options else table.options.get("sql", "")
    return f"CREATE TABLE {table.name} ({', '.join(parts)}){warn};{more}"


def _with_nulls_placed(sql: str) -> str:
    """ORDER BY with NULLS FIRST or LAST as SQLite has them by default; PostgreSQL has it the other way."""
    body, order, rest = sql.rpartition(" ORDER BY ")
    if not order or ")" in rest:  # none, or that of a subquery
        return sql
    items, limit, number = rest.partition(" LIMIT ")
    placed = [
        f"{item} NULLS {'LAST' if item.endswith(' DESC') else 'FIRST'}" for item in items.split(", ") if item
    ]
    return body + order + ", ".join(placed) + limit + number


class Hostile:
    """What both generators below share: hostile conditions, orders and spellings."""

    random: Any
    params: dict[str, Any]

    def table(self, name: str, earlier: list[Table]) -> Table:
        table = super().table(name, earlier)  # type: ignore[misc]
        if self.chance(0.2):  # type: ignore[attr-defined]
            table = replace(table, warn_on_violation=True)
        if self.chance(0.4):  # type: ignore[attr-defined]
            columns = [replace(column, values=5 if column.name == "b" else None) for column in table.columns]
            table = replace(table, columns=tuple(columns))
        if self.chance(0.4):  # type: ignore[attr-defined]
            columns = [replace(column, temporal=column.name == "c") for column in table.columns]
            table = replace(table, columns=tuple(columns))
        return table

    def value(self, column: Column) -> Any:
        value = super().value(column)  # type: ignore[misc]
        return self.random.choice(TEXTS) if isinstance(value, str) else value

    def condition(self, alias: str, table: Table) -> str:
        if alias == "z" or self.random.random() < 0.55:  # z: a row of a subquery
            return super().condition(alias, table)  # type: ignore[misc,no-any-return]
        number = lambda low, high: self.param(self.random.randint(low, high))  # type: ignore[attr-defined]  # noqa: E731
        text = self.param(self.random.choice(TEXTS))  # type: ignore[attr-defined]
        return self.random.choice(  # type: ignore[no-any-return]
            [
                f"{alias}.a % {number(2, 3)} = 0",
                f"{alias}.a + {alias}.b * {number(0, 2)} = {number(0, 4)}",
                f"COALESCE({number(0, 3)}, {alias}.b) <= {alias}.b",
                "RAND() < 0.6",
                f"{alias}.a > RAND() * 4",
                f"MATCH({alias}.s) AGAINST ({text})",
                f"CONTAINS_TOKEN({alias}.s, {self.param(self.random.choice(['ape', 'bee', 'cat']))})",  # type: ignore[attr-defined]
                f"mystery({alias}.a) = {number(0, 4)}"
                if self.random.random() < 0.3
                else f"{alias}.b IS NULL",
                f'{alias}."a" = {number(0, 4)}',
                f"{alias}.{self.random.choice(['id', 'b', 'c'])} <> {number(0, 4)}",
                f"{alias}.{self.random.choice(['id', 'b', 'c'])} NOT IN (0, {number(1, 4)})",
                f"NOT EXISTS (SELECT 1 FROM {table.name} z WHERE z.a = {number(0, 4)} AND z.id = {alias}.id)",
                '"b" = 3',
            ]
        )

    def shape(self, body: str, sources: list[tuple[str, Table]]) -> Case:
        case: Case = super().shape(body, sources)  # type: ignore[misc]
        alias, _ = self.random.choice(sources)
        if self.random.random() < 0.5:
            return case
        first = self.random.choice(
            [
                f"ABS({alias}.a - {self.param(2)})",  # type: ignore[attr-defined]
                f"{alias}.b * {self.param(3)}",  # type: ignore[attr-defined]
                f"CASE WHEN {alias}.c = {self.param(1)} THEN 0 ELSE 1 END",  # type: ignore[attr-defined]
                "RAND()",
                f"{alias}.c",
                f"ABS({alias}.c)",
            ]
        )
        sql = f"SELECT {first} AS o0, {alias}.a AS o1, {alias}.b AS o2 FROM {body}"
        case = Case(Catalog({}), {}, sql, {}, {}, 1, unlimited=sql, limit=self.random.randint(1, 4))
        case.sql += f" ORDER BY o0{self.random.choice([' DESC', ''])} LIMIT {case.limit}"
        return case

    def counted(self, body: str, sources: list[tuple[str, Table]]) -> Case:
        alias, _ = self.random.choice(sources)
        if self.random.random() < 0.4:
            return super().counted(body, sources)  # type: ignore[misc,no-any-return]
        mark = self.param(self.random.randint(1, 3))  # type: ignore[attr-defined]
        shown = self.random.choice(
            [
                f"COUNT(*) FILTER (WHERE {alias}.a > {mark})",
                f"SUM({alias}.b * {mark})",
                f"MAX({alias}.b * {mark})",
                f"{alias}.a % {mark}, COUNT(*)",
                "SUM(RAND())",
            ]
        )
        group = f" GROUP BY {alias}.a % {mark}" if "%" in shown else ""
        sql = f"SELECT {shown} FROM {body}{group}"
        return Case(Catalog({}), {}, sql, {}, {}, unlimited=sql)

    def allowed(self, table: Table, kept: list[Any], row: dict[str, Any], data: dict[str, Any]) -> bool:
        """A table that only warns accepts what breaks its limits and references."""
        if table.warn_on_violation:
            table = replace(table, cardinalities=(), foreign_keys=())
        return super().allowed(table, kept, row, data)  # type: ignore[misc,no-any-return]

    def rows(self, table: Table, data: dict[str, Any]) -> list[dict[str, Any]]:
        bare = replace(table, foreign_keys=()) if table.warn_on_violation else table
        return super().rows(bare, data)  # type: ignore[misc,no-any-return]

    def hostile_cases(self, number: int) -> list[HostileCase]:
        cases: list[Case] = self.cases(number)  # type: ignore[attr-defined]
        return [self._hostile(case) for case in cases]

    def _hostile(self, case: Case) -> HostileCase:
        case = replace(case, sql=_with_nulls_placed(case.sql))
        aliases = sorted(set(re.findall(r"\b(?:JOIN|FROM) \w+ (x\d)\b", case.sql)))
        rows = ", ".join(f"COALESCE({alias}.a, -1)" for alias in aliases)

        def for_sqlite(text: str) -> str:
            text = re.sub(
                r"(x\d\.s) (=|IN|BETWEEN) (-?7|\(7|CASE|\(SELECT (MAX\(v|v))", r"as_number(\1) \2 \3", text
            )
            text = re.sub(r"(x\d\.a) = '(\d)'", r"\1 = \2", text)
            text = re.sub(r"MATCH\((.*?)\) AGAINST \((.*?)\)", r"match_any(\1, \2)", text)
            return text.replace("RAND()", f"noise({rows})")

        text, given = case.sql, dict(case.params)
        listed = [name for name, value in case.params.items() if isinstance(value, list)]
        if not listed and self.random.random() < 0.3:  # every parameter as a question mark
            order = re.findall(r":(p\d+)\b", text)
            text = re.sub(r":p\d+\b", "?", text)
            given = {f"?{number}": case.params[name] for number, name in enumerate(order, 1)}
        return HostileCase(
            **{name: getattr(case, name) for name in Case.__dataclass_fields__}
            | {"sql": for_sqlite(case.sql), "unlimited": for_sqlite(case.unlimited)},
            text=text,
            given=given,
            unknown="mystery" in text,
        )


class HostileGenerator(Hostile, Generator):
    """Queries answered by indexes, if at all."""


class HostileViewGenerator(Hostile, ViewGenerator):
    """Queries that ask for a view."""


class ChildGenerator(HostileViewGenerator):
    """Aggregates of a joined child, DISTINCT values, and unique indexes on expressions of part of a table."""

    def table(self, name: str, earlier: list[Table]) -> Table:
        table = super().table(name, earlier)
        return replace(table, options={"unique": "lower"}) if self.chance(0.5) else table

    def allowed(self, table: Table, kept: list[Any], row: dict[str, Any], data: dict[str, Any]) -> bool:
        twins = (other for other in kept if other["flag"] and row["flag"] and other["s"] == row["s"])
        if table.options and row["s"] is not None and any(twins):
            return False
        return super().allowed(table, kept, row, data)

    def value(self, column: Column) -> Any:
        many_nulls = column.nullable and column.name in "bc" and self.chance(0.7)
        return None if many_nulls else super().value(column)

    def query(self, tables: list[Table], data: dict[str, list[dict[str, Any]]]) -> Case:
        parent, child = self.random.choice(tables), self.random.choice(tables)
        column = self.random.choice("abc")
        kind = self.random.random()
        if not parent.key or kind < 0.2:
            return super().query(tables, data)
        sql, order = self._child_query(parent, child, column, kind)
        case = Case(Catalog.of(tables), data, sql, self.params, self.maxima, unlimited=sql)
        if self.chance(0.7):
            case.limit, case.order = self.random.randint(1, 4), order
            case.sql += f" ORDER BY {', '.join(f'o{number}' for number in range(order))} LIMIT {case.limit}"
        return case

    def _child_query(self, parent: Table, child: Table, column: str, kind: float) -> tuple[str, int]:
        key = ", ".join(f"x0.{name}" for name in parent.key)
        shown = ", ".join(f"x0.{name} AS o{number}" for number, name in enumerate(parent.key))
        where = f"WHERE x0.{self.random.choice('abc')} = {self.param(self.random.randint(0, 4))}"
        value = self.random.choice(
            ["COUNT(x1.a)", "SUM(x1.b)", "AVG(x1.c)", "MAX(x1.b)", "COUNT(DISTINCT x1.b)"]
        )
        if kind < 0.3:
            operator = self.random.choice(["<>", "="])
            excluded = f"WHERE x0.{column} {operator} {self.param(self.random.randint(0, 4))}"
            return f"SELECT {shown} FROM {parent.name} x0 {excluded}", len(parent.key)
        if kind < 0.6:
            more = self.random.choice(["", " AND x1.flag = TRUE", f" AND x1.b > {self.param(1)}"])
            body = f"{parent.name} x0 LEFT JOIN {child.name} x1 ON x1.{column} = x0.{column}{more} {where}"
            having = self.random.choice(["", "", f" HAVING {value} > 1"])
            if self.chance(0.3):  # groups of several parents
                return f"SELECT x0.c AS o0, {value} AS n FROM {body} GROUP BY x0.c{having}", 1
            return f"SELECT {shown}, {value} AS n FROM {body} GROUP BY {key}{having}", len(parent.key)
        if kind < 0.8:
            value = value.replace("COUNT(x1.a)", self.random.choice(["COUNT(*)", "COUNT(x1.a)"]))
            grouped = f"SELECT x1.{column} AS k, {value} AS n FROM {child.name} x1 GROUP BY x1.{column}"
            body = f"{parent.name} x0 LEFT JOIN ({grouped}) d ON d.k = x0.{column} {where}"
            return f"SELECT {shown}, d.n AS n FROM {body}", len(parent.key)
        if kind < 0.85 and child.key:
            inner = f"SELECT z.{column} FROM {child.name} z WHERE z.b = {self.param(2)}"
            first = f"{inner} ORDER BY {', '.join(f'z.{name}' for name in child.key)} LIMIT 2"
            return f"SELECT {shown} FROM {parent.name} x0 WHERE x0.{column} IN ({first})", len(parent.key)
        if kind < 0.9:
            return f"SELECT DISTINCT x0.{column} AS o0 FROM {parent.name} x0 {where}", 1
        text = self.param(self.random.choice(TEXTS))
        part = self.random.choice(["", " AND x0.flag = TRUE"])
        return (
            f"SELECT x0.s AS o0, x0.a AS o1 FROM {parent.name} x0 WHERE LOWER(x0.s) = {text}{part}",
            1,
        )

"""Random schemas, constraints, data that satisfies them, and queries with parameters: material for soundness tests."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.bounds.query.catalog import Catalog
from headwater.model import Cardinality, Column, ForeignKey, Table

WORDS = ["ape", "apple", "bee", "beetle", "cat", ""]


@dataclass
class Case:
    catalog: Catalog
    data: dict[str, list[dict[str, Any]]]
    sql: str
    params: dict[str, Any]
    maxima: dict[str, int]
    order: int = 0  # the first so many outputs are the order
    limit: int | None = None
    offset: int = 0
    unlimited: str = ""
    notes: list[str] = field(default_factory=list)


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.params: dict[str, Any] = {}
        self.maxima: dict[str, int] = {}

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # schema

    def table(self, name: str, earlier: list[Table]) -> Table:
        columns = [Column("id", "int"), Column("a", "int"), Column("b", "int"), Column("c", "int")]
        columns += [Column("s", "string"), Column("flag", "boolean")]
        columns = [replace(column, nullable=self.chance(0.5)) for column in columns]
        key: tuple[str, ...] = self.random.choice(
            [("id",), ("a", "id"), ("a", "b"), ("id", "b"), ("a", "b", "c"), ()]
        )
        columns = [replace(column, nullable=column.nullable and column.name not in key) for column in columns]
        unique = ((("b", "c"),) if self.chance(0.3) else ()) + ((("s",),) if self.chance(0.1) else ())
        limits = [Cardinality((letter,), self.random.randint(2, 4)) for letter in "abc" if self.chance(0.45)]
        limits += [Cardinality(("a", "c"), 2)] if self.chance(0.2) else []
        limits += [Cardinality((), 9)] if self.chance(0.1) else []
        foreign = [
            ForeignKey((self.random.choice(["a", "b", "c"]),), target.name, target.key)
            for target in earlier
            if len(target.key) == 1 and self.chance(0.7)
        ]
        return Table(name, tuple(columns), key, unique, tuple(foreign), tuple(limits))

    def rows(self, table: Table, data: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = []
        for _ in range(self.random.choice([0, 6, 25])):
            row = {column.name: self.value(column) for column in table.columns}
            for reference in table.foreign_keys:
                choices = [
                    tuple(referenced[name] for name in reference.referenced)
                    for referenced in data[reference.table]
                ]
                if not choices:
                    row |= dict.fromkeys(reference.columns, None)
                elif all(row[name] is not None for name in reference.columns):
                    row |= dict(zip(reference.columns, self.random.choice(choices), strict=True))
            if self.allowed(table, kept, row, data):
                kept.append(row)
        return kept

    def value(self, column: Column) -> Any:
        if column.nullable and self.chance(0.2):
            return None
        match column.type:
            case "string":
                return self.random.choice(WORDS)
            case "boolean":
                return self.random.choice([True, False])
            case _:
                return self.random.randint(0, 9 if column.name == "id" else 4)

    def allowed(
        self, table: Table, kept: list[dict[str, Any]], row: dict[str, Any], data: dict[str, Any]
    ) -> bool:
        if any(row[column.name] is None for column in table.columns if not column.nullable):
            return False
        for reference in table.foreign_keys:
            values = tuple(row[name] for name in reference.columns)
            targets = [
                tuple(referenced[name] for name in reference.referenced)
                for referenced in data[reference.table]
            ]
            if None not in values and values not in targets:
                return False
        for key in ((table.key,) if table.key else ()) + table.unique:
            values = [row[name] for name in key]
            if None not in values and any([other[name] for name in key] == values for other in kept):
                return False
        for limit in table.cardinalities:
            values = [row[name] for name in limit.columns]
            if None in values:  # not counted, as at capture
                continue
            if sum([other[name] for name in limit.columns] == values for other in kept) >= limit.limit:
                return False
        return True

    # queries

    def param(self, value: Any) -> str:
        name = f"p{len(self.params)}"
        self.params[name] = value
        return f":{name}"

    def constant(self, column: Column) -> str:
        value = None if self.chance(0.03) else self.value(replace(column, nullable=False))
        if self.chance(0.7) or value is None:
            return self.param(value)
        return {str: f"'{value}'", bool: str(value).upper(), int: str(value)}[type(value)]

    def condition(self, alias: str, table: Table) -> str:
        column = self.random.choice(table.columns)
        if table.key and self.chance(0.55):
            wanted = self.random.choice(table.key)
            column = next(column for column in table.columns if column.name == wanted)
        term = f"{alias}.{column.name}"
        kind = self.random.random()
        if kind < 0.5:
            return f"{term} = {self.constant(column)}"
        if kind < 0.53:
            return f"{alias}.a % 3 = {self.param(self.random.randint(0, 2))}"
        if kind < 0.56:
            return f"lower({alias}.s) = {self.param(self.random.choice(WORDS))}"
        if kind < 0.6:
            if self.chance(0.5):
                name = f"p{len(self.params)}"
                self.params[name] = [
                    self.value(replace(column, nullable=False)) for _ in range(self.random.randint(1, 3))
                ]
                self.maxima[name] = 3
                return f"{term} IN (:{name})"
            return f"{term} IN ({self.constant(column)}, {self.constant(column)})"
        if kind < 0.7 and column.type == "string":
            return f"{term} LIKE {self.param(self.random.choice(['a', 'be', '']))} || '%'"
        if kind < 0.8 and column.type != "boolean":
            return f"{term} {self.random.choice(['<', '<=', '>', '>='])} {self.constant(column)}"
        if kind < 0.85 and column.type == "int":
            low = self.param(self.random.randint(0, 5))
            return f"{term} BETWEEN {low} AND {low} + 2"
        if kind < 0.9:
            return f"{term} IS {self.random.choice(['', 'NOT '])}NULL"
        if kind < 0.92:
            low, high = self.param(self.random.randint(0, 4)), self.param(self.random.randint(0, 4))
            return f"({alias}.a, {alias}.b) {self.random.choice(['<', '>='])} ({low}, {high})"
        if kind < 0.95:
            other = self.random.choice(table.columns)
            return f"({term} = {self.constant(column)} OR {alias}.{other.name} = {self.constant(other)})"
        return f"{term} <> {self.constant(column)}"

    def join(self, alias: str, table: Table, others: list[tuple[str, Table]]) -> str:
        """Tie a source to an earlier one, often by a foreign key."""
        other, partner = self.random.choice(others)
        ties = [
            (f.columns, f.referenced, alias, other) for f in table.foreign_keys if f.table == partner.name
        ]
        ties += [
            (f.columns, f.referenced, other, alias) for f in partner.foreign_keys if f.table == table.name
        ]
        if ties and self.chance(0.8):
            columns, referenced, left, right = self.random.choice(ties)
            return " AND ".join(f"{left}.{a} = {right}.{b}" for a, b in zip(columns, referenced, strict=True))
        pairs = [(self.random.choice("abc"), self.random.choice(table.key or ("a",))) for _ in range(1)]
        pairs += [("b", "b")] if self.chance(0.3) else []
        return " AND ".join(f"{other}.{a} = {alias}.{b}" for a, b in pairs)

    def subquery(self, alias: str, table: Table, tables: list[Table]) -> str:
        inner = self.random.choice(tables)
        own = [self.condition("z", inner) for _ in range(self.random.randint(0, 2))]
        if self.chance(0.5):
            where = " WHERE " + " AND ".join(own) if own else ""
            negation = "NOT " if self.chance(0.2) else ""
            return f"{alias}.{self.random.choice('abc')} {negation}IN (SELECT z.{self.random.choice('abc')} FROM {inner.name} z{where})"
        own.append(f"z.{self.random.choice(inner.key or ('a',))} = {alias}.{self.random.choice('abc')}")
        negation = "NOT " if self.chance(0.3) else ""
        return f"{negation}EXISTS (SELECT 1 FROM {inner.name} z WHERE {' AND '.join(own)})"

    def cases(self, number: int) -> list[Case]:
        """Several queries over one schema and its data."""
        first = self.case()
        cases = [first]
        for _ in range(number - 1):
            self.params, self.maxima = {}, {}
            cases.append(self.query(list(first.catalog.tables.values()), first.data))
        return cases

    def case(self) -> Case:
        tables: list[Table] = []
        data: dict[str, list[dict[str, Any]]] = {}
        for name in ("t", "u", "v")[: self.random.randint(1, 3)]:
            tables.append(self.table(name, tables))
            data[name] = self.rows(tables[-1], data)
        return self.query(tables, data)

    def query(self, tables: list[Table], data: dict[str, list[dict[str, Any]]]) -> Case:
        sources = [
            (f"x{i}", self.random.choice(tables)) for i in range(self.random.choice([1, 1, 1, 2, 2, 2, 3]))
        ]
        text = f"{sources[0][1].name} x0"
        where = []
        for number, (alias, table) in enumerate(sources[1:], 1):
            tie = self.join(alias, table, sources[:number])
            side = "LEFT JOIN" if self.chance(0.2) else "JOIN"
            text += f" {side} {table.name} {alias} ON {tie}"
        for alias, table in sources:
            where += [self.condition(alias, table) for _ in range(self.random.choice([0, 1, 1, 2]))]
        where += [self.condition(*sources[0])] if not where else []
        if self.chance(0.15):
            where.append(self.subquery(*self.random.choice(sources), tables))
        clause = " WHERE " + " AND ".join(where) if where else ""
        case = self.shape(text + clause, sources)
        return replace(case, catalog=Catalog.of(tables), data=data, params=self.params, maxima=self.maxima)

    def shape(self, body: str, sources: list[tuple[str, Table]]) -> Case:
        empty = Catalog({})
        alias, table = self.random.choice(sources)
        if self.chance(0.12):
            functions = [
                "COUNT(*)",
                f"SUM({alias}.a)",
                f"MIN({alias}.b)",
                f"MAX({alias}.c)",
                f"COUNT(DISTINCT {alias}.b)",
            ]
            chosen = self.random.sample(functions, self.random.randint(1, 2))
            if self.chance(0.4):
                sql = f"SELECT {alias}.a AS g, {', '.join(chosen)} FROM {body} GROUP BY {alias}.a"
            else:
                sql = f"SELECT {', '.join(chosen)} FROM {body}"
            return Case(empty, {}, sql, {}, {}, unlimited=sql)
        order = [
            f"{a}.{self.random.choice(t.columns).name}"
            for a, t in [self.random.choice(sources) for _ in range(self.random.choice([0, 0, 1, 1, 2]))]
        ]
        if order and sources[0][1].key and self.chance(0.5):
            order = [f"x0.{name}" for name in sources[0][1].key]
        order = list(dict.fromkeys(order))
        outputs = order + [f"{a}.{self.random.choice(t.columns).name}" for a, t in sources]
        if self.chance(0.08):
            column = self.random.choice("abc")
            outputs.append(
                f"(SELECT COUNT(*) FROM {table.name} n WHERE n.{column} = x0.{self.random.choice('abc')})"
            )
        if self.chance(0.2):
            outputs += [f"{alias}.{column.name}" for column in table.columns]
        listed = ", ".join(f"{one} AS o{i}" for i, one in enumerate(outputs))
        sql = f"SELECT {'DISTINCT ' if self.chance(0.1) else ''}{listed} FROM {body}"
        case = Case(empty, {}, sql, {}, {}, len(order), unlimited=sql)
        if order:
            directions = [self.random.choice(["", " DESC"]) if self.chance(0.7) else "" for _ in order]
            sql += " ORDER BY " + ", ".join(a + b for a, b in zip(order, directions, strict=True))
        if self.chance(0.65):
            case.limit = self.random.randint(1, 6)
            if self.chance(0.3):
                sql += f" LIMIT {self.param(case.limit)}"
            else:
                sql += f" LIMIT {case.limit}"
            if self.chance(0.2):
                case.offset = self.random.randint(1, 2)
                sql += f" OFFSET {case.offset}"
        case.sql = sql
        return case


class ViewGenerator(Generator):
    """Cases whose queries mostly need a view: joins of popular values, counters, rankings."""

    def table(self, name: str, earlier: list[Table]) -> Table:
        table = super().table(name, earlier)
        if not table.key and self.chance(0.8):
            columns = tuple(
                replace(column, nullable=column.nullable and column.name != "id") for column in table.columns
            )
            table = replace(table, key=("id",), columns=columns)
        return table

    def query(self, tables: list[Table], data: dict[str, list[dict[str, Any]]]) -> Case:
        sources = [(f"x{i}", self.random.choice(tables)) for i in range(self.random.choice([1, 2, 2, 3]))]
        text = f"{sources[0][1].name} x0"
        for number, (alias, table) in enumerate(sources[1:], 1):
            other, partner = self.random.choice(sources[:number])
            limited = [limit.columns[0] for limit in table.cardinalities if len(limit.columns) == 1] or [
                "a",
                "b",
            ]
            column = self.random.choice(limited)
            tie = f"{other}.{column} = {alias}.{column}"
            if self.chance(0.4):
                tie = self.join(alias, table, sources[:number])
            text += f" {'LEFT JOIN' if self.chance(0.1) else 'JOIN'} {table.name} {alias} ON {tie}"
        where = [f"{alias}.{column} = {self.constant(next(c for c in table.columns if c.name == column))}"
                 for alias, table in sources for column in [self.random.choice(["a", "b", "c", "s", "flag"])]
                 if self.chance(0.8)]  # fmt: skip
        where += [self.condition(*self.random.choice(sources))] if self.chance(0.3) else []
        clause = " WHERE " + " AND ".join(where) if where else ""
        case = (
            self.counted(text + clause, sources) if self.chance(0.5) else self.shape(text + clause, sources)
        )
        return replace(case, catalog=Catalog.of(tables), data=data, params=self.params, maxima=self.maxima)

    def counted(self, body: str, sources: list[tuple[str, Table]]) -> Case:
        alias, _ = self.random.choice(sources)
        choices = [
            "COUNT(*)",
            f"COUNT({alias}.a)",
            f"SUM({alias}.b)",
            f"AVG({alias}.c)",
            f"SUM({alias}.b + {alias}.c)",
        ]
        chosen = self.random.sample(choices, self.random.randint(1, 2))
        if self.chance(0.15):
            chosen = [f"{self.random.choice(['MIN', 'MAX'])}({alias}.b)"]
        elif self.chance(0.15):
            chosen = ["COUNT(*)", f"MAX({alias}.b)"]
        empty = Catalog({})
        group = [f"{a}.{self.random.choice('abc')}" for a, _ in sources if self.chance(0.4)]
        outputs = chosen + group
        if not group:
            sql = f"SELECT {', '.join(f'{one} AS o{i}' for i, one in enumerate(outputs))} FROM {body}"
            return Case(empty, {}, sql, {}, {}, unlimited=sql)
        sql = f"SELECT {', '.join(f'{one} AS o{i}' for i, one in enumerate(outputs))} FROM {body} GROUP BY {', '.join(group)}"
        if self.chance(0.3):
            sql += " HAVING COUNT(*) > 1"
        case = Case(empty, {}, sql, {}, {}, 1, unlimited=sql)
        case.limit = self.random.randint(1, 4)
        case.sql = sql + f" ORDER BY o0{self.random.choice([' DESC', ''])} LIMIT {case.limit}"
        return case

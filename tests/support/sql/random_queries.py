"""Random Spark SELECTs over random tables: joins of all kinds, subqueries, groups, unions, common tables.

Queries are made to be valid and to stay clear of what DuckDB and Spark mean differently (integer division,
text compared with numbers); everything else is left to chance.  Long because it is one grammar, whose
clauses are made of each other.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INT, TEXT, FLAG = "int", "string", "boolean"
VALUES = {
    INT: [None, 0, 1, 2, 3, 5, -4],
    TEXT: [None, "", "a", "b", "ab", "A", "%x"],
    FLAG: [None, True, False],
}
LITERALS = {INT: ["0", "1", "2", "-4"], TEXT: ["'a'", "'b'", "'ab'", "''"], FLAG: ["TRUE", "FALSE"]}


@dataclass(frozen=True)
class Attribute:
    name: str
    type: str
    nullable: bool = True


@dataclass(frozen=True)
class World:
    """Tables with rows; copies and NULLs are likely."""

    tables: dict[str, list[Attribute]]
    rows: dict[str, list[tuple[object, ...]]]


def random_world(chance: random.Random) -> World:
    tables, rows = {}, {}
    for name in ["t", "u", "Vee", "w_1"][: chance.randint(2, 4)]:
        columns = [Attribute("k", INT, chance.random() < 0.6), Attribute("g", INT)]
        columns += [
            Attribute(f"c{index}", chance.choice([INT, INT, TEXT, TEXT, FLAG]), chance.random() < 0.7)
            for index in range(chance.randint(1, 3))
        ]
        tables[name] = columns
        rows[name] = [
            random_row(columns, chance) for _ in range(chance.choice([0, *[3, 5, 7, 9, 12, 14] * 3]))
        ]
        rows[name] += [chance.choice(rows[name]) for _ in range(chance.randint(0, 3)) if rows[name]]
    return World(tables, rows)


def random_row(columns: list[Attribute], chance: random.Random) -> tuple[object, ...]:
    return tuple(
        chance.choice([value for value in VALUES[column.type] if column.nullable or value is not None])
        for column in columns
    )


@dataclass
class Source:
    """An item of FROM: its text, and its columns as they can be named."""

    sql: str
    columns: list[tuple[str, str]]  # (qualified name, type)


@dataclass
class Maker:
    """Makes one query."""

    world: World
    chance: random.Random
    aliases: int = 0
    ctes: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)

    def view(self) -> str:
        """A whole statement, perhaps with common table expressions."""
        parts = []
        for index in range(self.chance.choice([0, 0, 0, 1, 2])):
            sql, columns = self.query(1)
            parts.append(f"cte{index} AS ({sql})")
            self.ctes.append((f"cte{index}", columns))
        sql, _ = self.query(self.chance.choice([1, 1, 2]))
        return f"WITH {', '.join(parts)} {sql}" if parts else sql

    def query(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        kind = self.chance.random()
        if depth and kind < 0.15:
            return self.set_operation(depth - 1)
        if kind < 0.45:
            return self.grouped(depth)
        return self.plain(depth)

    def set_operation(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        left, columns = self.query(depth)
        word = self.chance.choice(["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"])
        source = self.source(depth)
        items = [self.expression(source.columns, kind) for _, kind in columns]
        names = [f"{item} AS {name}" for item, (name, _) in zip(items, columns, strict=True)]
        right = f"SELECT {', '.join(names)} FROM {source.sql}{self.where(source.columns, depth)}"
        return f"({left}) {word} ({right})", columns

    def plain(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        source = self.sources(depth)
        if self.chance.random() < 0.1 and len({name.split(".")[1] for name, _ in source.columns}) == len(
            source.columns
        ):
            columns = [(name.split(".")[1], kind) for name, kind in source.columns]
            return f"SELECT * FROM {source.sql}{self.where(source.columns, depth)}", columns
        kinds = [self.chance.choice([INT, INT, TEXT, FLAG]) for _ in range(self.chance.randint(1, 3))]
        items = [self.expression(source.columns, kind) for kind in kinds]
        if self.chance.random() < 0.2:
            for place in range(min(len(items), self.chance.choice([1, 1, 2]))):
                items[place], kinds[place] = self.window(source.columns)
        distinct = "DISTINCT " if self.chance.random() < 0.2 else ""
        stem = self.alias()
        listed = ", ".join(f"{item} AS {stem}x{index}" for index, item in enumerate(items))
        sql = f"SELECT {distinct}{listed} FROM {source.sql}{self.where(source.columns, depth)}"
        if self.chance.random() < 0.1:
            sql += self.limit([f"{stem}x{index}" for index in range(len(kinds))])
        return sql, [(f"{stem}x{index}", kind) for index, kind in enumerate(kinds)]

    def limit(self, names: list[str]) -> str:
        """Ordered by all columns: rows that are left equal are the same."""
        listed = ", ".join(self.ordered(name) for name in names)
        offset = self.chance.choice(["", "", " OFFSET 1"])
        return f" ORDER BY {listed} LIMIT {self.chance.randint(0, 4)}{offset}"

    def ordered(self, value: str) -> str:
        return f"{value}{self.chance.choice(['', ' DESC'])} NULLS {self.chance.choice(['FIRST', 'LAST'])}"

    def window(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        """A window function for which rows that the order leaves equal are all the same."""
        by = self.expression(columns, self.any_type())
        order = f"ORDER BY {self.ordered(self.expression(columns, INT))}"
        if self.chance.random() < 0.4:
            function, kind = self.chance.choice(["rank()", "dense_rank()"]), INT
        else:
            name, kind = self.chance.choice([("sum", INT), ("count", INT), ("max", INT), ("min", TEXT)])
            function = f"{name}({self.expression(columns, kind)})"
            frames = [
                "",
                "",
                " RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
                " RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING",
            ]
            order = self.chance.choice(["", order + self.chance.choice(frames)])
        partition = self.chance.choice(["", f"PARTITION BY {by} "])
        return f"{function} OVER ({partition}{order})", kind

    def grouped(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        source = self.sources(depth)
        keys = [
            (self.expression(source.columns, kind), kind)
            for kind in self.chance.sample([INT, TEXT, FLAG], self.chance.randint(0, 2))
        ]
        if depth and self.chance.random() < 0.12:
            keys.append(self.key_subquery(source.columns))
        whole = [name for name, kind in source.columns if kind == INT]
        if whole and self.chance.random() < 0.2:  # a comparison without brackets
            keys.append((f"{self.chance.choice(whole)} > 1", FLAG))
        calls = [self.aggregate(source.columns) for _ in range(self.chance.randint(0 if keys else 1, 3))]
        items = [*keys, *calls]
        stem = self.alias()
        listed = ", ".join(f"{item} AS {stem}x{index}" for index, (item, _) in enumerate(items))
        sql = f"SELECT {listed} FROM {source.sql}{self.where(source.columns, depth)}"
        if keys:
            by = [
                self.chance.choice([key, str(index + 1), f"{stem}x{index}"])
                for index, (key, _) in enumerate(keys)
            ]
            by = [
                key if key != "TRUE" and key not in LITERALS[INT] else str(at + 1)
                for at, key in enumerate(by)
            ]
            sql += f" GROUP BY {self.grouping_sets(by)}"
        if self.chance.random() < 0.4:
            call, kind = self.aggregate(source.columns)
            sql += f" HAVING {self.compare(call, kind)}"
        return sql, [(f"{stem}x{index}", kind) for index, (_, kind) in enumerate(items)]

    def key_subquery(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        inner = self.source(0)
        link = self.link(columns, inner.columns) or "TRUE"
        value = self.expression(inner.columns, INT, literal=False)
        if value is None or self.chance.random() < 0.5:
            return f"EXISTS (SELECT 1 FROM {inner.sql} WHERE {link})", FLAG
        return f"(SELECT max({value}) FROM {inner.sql} WHERE {link})", INT

    def grouping_sets(self, keys: list[str]) -> str:
        """Without the empty set, which has a row even where there is none in DuckDB, and not in Spark."""
        if len(keys) < 2 or any(key.isdigit() for key in keys) or self.chance.random() < 0.7:
            return ", ".join(keys)
        return f"GROUPING SETS (({', '.join(keys)}), {self.chance.choice(keys)})"

    def aggregate(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        choice = self.chance.random()
        if choice < 0.2:
            call, kind = "count(*)", INT
        elif choice < 0.35:
            call, kind = f"count({self.distinct()}{self.expression(columns, self.any_type())})", INT
        elif choice < 0.6:
            call, kind = f"sum({self.distinct()}{self.expression(columns, INT)})", INT
        elif choice < 0.85:
            kind = self.chance.choice([INT, TEXT])
            call = f"{self.chance.choice(['min', 'max'])}({self.expression(columns, kind)})"
        else:
            call, kind = (
                f"{self.chance.choice(['bool_and', 'bool_or'])}({self.expression(columns, FLAG)})",
                FLAG,
            )
        if self.chance.random() < 0.2:
            call += f" FILTER (WHERE {self.condition(columns)})"
        return call, kind

    def distinct(self) -> str:
        return "DISTINCT " if self.chance.random() < 0.3 else ""

    def any_type(self) -> str:
        return self.chance.choice([INT, TEXT, FLAG])

    def alias(self) -> str:
        self.aliases += 1
        return f"r{self.aliases}"

    def source(self, depth: int) -> Source:
        """One relation: a table, a common table, or a subquery."""
        alias = self.alias()
        if depth and self.chance.random() < 0.25:
            sql, columns = self.query(depth - 1)
            return Source(f"({sql}) AS {alias}", [(f"{alias}.{name}", kind) for name, kind in columns])
        if self.ctes and self.chance.random() < 0.5:
            name, columns = self.chance.choice(self.ctes)
            return Source(f"{name} AS {alias}", [(f"{alias}.{column}", kind) for column, kind in columns])
        name = self.chance.choice(list(self.world.tables))
        columns = [(f"{alias}.{column.name}", column.type) for column in self.world.tables[name]]
        written = self.chance.choice([name, name.upper(), f"`{name}`"])
        return Source(f"{written} {self.chance.choice(['AS ', ''])}{alias}", columns)

    def sources(self, depth: int) -> Source:
        """One to four relations, joined in some way."""
        whole = self.source(depth)
        for _ in range(self.chance.choice([0, 0, 0, 1, 1, 1, 2, 3])):
            more = self.source(max(0, depth - 1))
            link = self.link(whole.columns, more.columns)
            if link is None:
                continue
            word = self.chance.choice(["JOIN", "JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
            if self.chance.random() < 0.12:
                word = self.chance.choice(["LEFT SEMI JOIN", "LEFT ANTI JOIN"])
            both = whole.columns + more.columns
            if self.chance.random() < 0.1:
                link = f"(({link} AND {self.condition(both)}) OR ({link} AND {self.condition(both)}))"
            elif self.chance.random() < 0.45:
                link += f" AND {self.condition(self.chance.choice([whole.columns, more.columns, both]))}"
            if depth and self.chance.random() < 0.15:
                # In an outer join's ON one that mixes both queries in a condition is left to a full refresh.
                mixed = word in ("JOIN", "INNER JOIN")
                link += f" AND {self.subquery(self.chance.choice([whole.columns, more.columns]), mixed)}"
            columns = whole.columns if "SEMI" in word or "ANTI" in word else both
            whole = Source(f"{whole.sql} {word} {more.sql} ON {link}", columns)
        return whole

    def link(self, left: list[tuple[str, str]], right: list[tuple[str, str]]) -> str | None:
        pairs = [(a, b) for a, left_kind in left for b, right_kind in right if left_kind == right_kind]
        if not pairs:
            return None
        a, b = self.chance.choice(pairs)
        return f"{a} = {b}" if self.chance.random() < 0.5 else f"{b} = {a}"

    def where(self, columns: list[tuple[str, str]], depth: int) -> str:
        conditions = [self.condition(columns) for _ in range(self.chance.choice([0, 0, 0, 1, 2]))]
        if depth and self.chance.random() < 0.25:
            conditions.append(self.subquery(columns))
        elif depth and self.chance.random() < 0.2:
            conditions.append(self.value_subquery(columns))
        elif depth and self.chance.random() < 0.1:
            conditions.append(self.pair_subquery(columns))
        self.chance.shuffle(conditions)
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def subquery(self, columns: list[tuple[str, str]], mixed: bool = True) -> str:
        """[NOT] EXISTS with an equality, or IN; NOT IN only on what cannot be NULL. `mixed`: with more of both."""
        inner = self.source(0)
        link = self.link(columns, inner.columns)
        more = (
            f" AND {self.condition(columns + inner.columns)}" if mixed and self.chance.random() < 0.4 else ""
        )
        negated = self.chance.choice(["", "NOT "])
        if link is not None and self.chance.random() < 0.6:
            return f"{negated}EXISTS (SELECT 1 FROM {inner.sql} WHERE {link}{more})"
        name, kind = self.chance.choice(columns)
        column = self.expression(inner.columns, kind, literal=False)
        if column is None:
            return "TRUE"
        if negated:
            return f"{name} IS NOT NULL AND {name} NOT IN (SELECT {column} FROM {inner.sql} WHERE {column} IS NOT NULL)"
        local = f" WHERE {self.condition(inner.columns)}" if self.chance.random() < 0.5 else ""
        return f"{name} IN (SELECT {column} FROM {inner.sql}{local})"

    def pair_subquery(self, columns: list[tuple[str, str]]) -> str:
        """(a, b) [NOT] IN: a NULL on either side may be equal."""
        inner = self.source(0)
        pairs = [
            (name, self.expression(inner.columns, kind, literal=False))
            for name, kind in self.chance.sample(columns, min(2, len(columns)))
        ]
        if len(pairs) < 2 or any(own is None for _, own in pairs):
            return "TRUE"
        names, owns = zip(*pairs, strict=True)
        negated = self.chance.choice(["", "NOT "])
        return f"({', '.join(names)}) {negated}IN (SELECT {', '.join(owns)} FROM {inner.sql})"

    def value_subquery(self, columns: list[tuple[str, str]]) -> str:
        """A subquery whose value is compared, or that stands below OR."""
        inner = self.source(0)
        link = self.link(columns, inner.columns)
        name, kind = self.chance.choice(columns)
        column = self.expression(inner.columns, kind, literal=False)
        where = "" if link is None or self.chance.random() < 0.3 else f" WHERE {link}"
        choice = self.chance.random()
        if choice < 0.3:
            return self.compare(f"(SELECT count(*) FROM {inner.sql}{where})", INT)
        if column is None:
            return "TRUE"
        if choice < 0.6 and kind != FLAG:
            sign = self.chance.choice(["=", "<", ">="])
            return f"{name} {sign} (SELECT {self.chance.choice(['min', 'max'])}({column}) FROM {inner.sql}{where})"
        if choice < 0.75 and kind != FLAG:
            sign, word = self.chance.choice(["=", "<>", "<", ">="]), self.chance.choice(["ANY", "ALL"])
            return f"{name} {sign} {word} (SELECT {column} FROM {inner.sql}{where})"
        negated = self.chance.choice(["", "NOT "])
        return f"({self.condition(columns)} OR {name} {negated}IN (SELECT {column} FROM {inner.sql}{where}))"

    def condition(self, columns: list[tuple[str, str]]) -> str:
        kind = self.any_type()
        value = self.expression(columns, kind)
        choice = self.chance.random()
        if choice < 0.15:
            return f"{value} IS {self.chance.choice(['', 'NOT '])}NULL"
        if choice < 0.3:
            listed = ", ".join(self.chance.sample(LITERALS[kind], 2))
            return f"{value} {self.chance.choice(['', 'NOT '])}IN ({listed})"
        if choice < 0.4 and kind == INT:
            return f"{value} BETWEEN 0 AND {self.expression(columns, INT)}"
        if choice < 0.5 and kind == TEXT:
            return f"{value} LIKE {self.chance.choice([chr(39) + 'a%' + chr(39), chr(39) + '_' + chr(39)])}"
        if choice < 0.6:
            return f"({self.condition(columns)} OR {self.condition(columns)})"
        if choice < 0.65:
            return f"NOT ({self.condition(columns)})"
        return self.compare(value, kind, self.expression(columns, kind))

    def compare(self, left: str, kind: str, right: str | None = None) -> str:
        sign = self.chance.choice(["=", "<>", "<", ">="] if kind != FLAG else ["=", "<>", "<=>"])
        return f"({left} {sign} {right or self.chance.choice(LITERALS[kind])})"

    def expression(self, columns: list[tuple[str, str]], kind: str, literal: bool = True) -> str:
        """A value of a type; mostly a column, if there is one."""
        fitting = [name for name, column_kind in columns if column_kind == kind]
        choice = self.chance.random()
        if not literal or (fitting and choice < 0.55):
            return self.chance.choice(fitting) if fitting else None  # type: ignore[return-value]
        if choice < 0.65 or not fitting:
            return self.chance.choice(LITERALS[kind]) if choice > 0.2 else f"CAST(NULL AS {kind})"
        first, second = self.chance.choice(fitting), self.chance.choice(fitting)
        forms = {
            INT: [f"({first} + {second})", f"({first} * 2)", f"coalesce({first}, {second}, 7)", f"abs({first})",
                  f"CASE WHEN {first} > 1 THEN {second} ELSE 0 END", f"nullif({first}, {second})"],
            TEXT: [f"({first} || {second})", f"upper({first})", f"coalesce({first}, 'z')",
                   f"CASE {first} WHEN 'a' THEN 'x' WHEN 'b' THEN {second} END"],
            FLAG: [f"(NOT {first})", f"({first} AND {second})", f"({first} OR {second})", f"({first} IS NULL)"],
        }  # fmt: skip
        return self.chance.choice(forms[kind])

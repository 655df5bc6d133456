"""Random queries with parts in places that the other generators leave empty.

Conditions under NOT, IS TRUE, CASE and OR; subqueries in what is shown, in ORDER BY, HAVING, ON and CASE; unions with cuts
inside and outside; a WITH that is read twice; chains of outer joins; DISTINCT and groups under a LIMIT and an OFFSET.
What is checked and what SQLite answers is the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.bounds.query.catalog import Catalog
from headwater.model import Table
from support.bounds.hostile_queries import HostileCase
from support.bounds.random_queries import Generator


class OddGenerator(Generator):
    tables: list[Table]

    def hostile_cases(self, number: int) -> list[HostileCase]:
        first = self.case()
        self.tables = list(first.catalog.tables.values())
        cases = []
        while len(cases) < number:
            self.params, self.maxima = {}, {}
            cases.append(self._case(first.data))
        return cases

    def _case(self, data: dict[str, list[dict[str, Any]]]) -> HostileCase:
        kinds: list[Callable[[], tuple[str, int]]] = [
            self._truths, self._truths, self._shown, self._ordered, self._grouped, self._joined, self._chain,
            self._shared, self._cyclic, self._within, self._listed, self._union, self._union_inside, self._twice, self._nested, self._distinct, self._crossed,
        ]  # fmt: skip
        whole, order = self.random.choice(kinds)()
        case = HostileCase(
            Catalog.of(self.tables), data, whole, self.params, self.maxima, order, unlimited=whole
        )
        if order and self.chance(0.8):
            case.limit = self.random.randint(1, 4)
            items = ", ".join(f"o{number} NULLS FIRST" for number in range(order))
            case.sql += f" ORDER BY {items} LIMIT {case.limit}"
            if self.chance(0.2):
                case.offset = self.random.randint(1, 2)
                case.sql += f" OFFSET {self.param(case.offset)}"
        elif order:
            case.order = 0
        case.text, case.given = case.sql, case.params
        return case

    # parts

    def _table(self) -> Table:
        return self.random.choice(self.tables)

    def _shows(self, table: Table, alias: str = "x0") -> tuple[str, int]:
        """Outputs that are ordered by: a key in most cases."""
        names = list(table.key) if table.key and self.chance(0.8) else [self.random.choice("abc"), "id"]
        return ", ".join(f"{alias}.{name} AS o{number}" for number, name in enumerate(names)), len(names)

    def _held(self, alias: str, table: Table) -> str:
        """A condition that often bounds the rows: by a column under a limit, or by a key."""
        columns = [limit.columns[0] for limit in table.cardinalities if limit.columns] or list(table.key)
        if not columns or self.chance(0.3):
            return self.condition(alias, table)
        return f"{alias}.{self.random.choice(columns)} = {self.param(self.random.randint(0, 4))}"

    def _truth(self, alias: str, table: Table) -> str:
        """Two conditions, tied in a way that may or may not let through what neither does."""
        one, two = self.random.choice([self.condition, self._held])(alias, table), self._held(alias, table)
        if self.chance(0.15):
            return f"NOT ({self._truth(alias, table)})"
        return self.random.choice(  # type: ignore[no-any-return]
            [
                f"NOT ({one} AND {two})", f"NOT ({one} OR {two})", f"({two}) IS TRUE", f"({two}) IS NOT FALSE",
                f"({two}) IS NOT NULL", f"({one} OR {two})", f"({two} OR {one} OR {self._held(alias, table)})",
                f"({two} OR ({one} AND {self._held(alias, table)}))", f"NOT (NOT ({two}))", f"({one}) = ({two})",
                f"({alias}.b IS {self.random.choice(['', 'NOT '])}DISTINCT FROM {self.param(self.random.choice([None, 1, 2]))})",
                f"({two}) IS {self.random.choice(['', 'NOT '])}FALSE", f"({one}) IS NOT TRUE",
                f"CASE WHEN {one} THEN {two} ELSE {self._held(alias, table)} END",
                f"CASE WHEN {two} THEN TRUE ELSE FALSE END", f"IIF({one}, {two}, FALSE)", f"COALESCE({two}, {one})", f"COALESCE({two}, TRUE)",
                f"(({two}) OR {self.param(None)} IS NOT NULL)", f"(({two}) OR {self.param(1)} = 1)",
            ]
        )  # fmt: skip

    def _value(self, alias: str, table: Table) -> str:
        """A scalar subquery: of one row, or of any number of them."""
        inner = self._table()
        where = self.random.choice(
            [
                f"z.{self.random.choice('abc')} = {alias}.{self.random.choice('abc')}",
                f"z.{self.random.choice('abc')} < {alias}.{self.random.choice('abc')}",
                self.condition("z", inner),
            ]
        )
        more = self.random.choice(["", f" AND {self.condition('z', inner)}"])
        function = self.random.choice(["COUNT(*)", "MAX(z.b)", "MIN(z.c)", "SUM(z.a)"])
        return f"(SELECT {function} FROM {inner.name} z WHERE {where}{more})"

    def _exists(self, alias: str) -> str:
        inner = self._table()
        tie = f"z.{self.random.choice('abc')} {self.random.choice(['=', '=', '<', '<>'])} {alias}.{self.random.choice('abc')}"
        own, no = self.condition("z", inner), self.random.choice(["", "NOT "])
        column = self.random.choice("abc")
        return self.random.choice(  # type: ignore[no-any-return]
            [
                f"{no}EXISTS (SELECT 1 FROM {inner.name} z WHERE {tie} AND {own})",
                f"{alias}.{column} {no}IN (SELECT z.{column} FROM {inner.name} z WHERE {own})",
                f"({alias}.a, {alias}.b) IN (SELECT z.a, z.{column} FROM {inner.name} z WHERE {own})",
                f"{alias}.{column} IN (SELECT z.a FROM {inner.name} z WHERE {own} UNION SELECT y.b FROM {inner.name} y)",
                f"{alias}.{column} = {self._value(alias, inner)}",
                f"({self._held(alias, inner)} OR {no}EXISTS (SELECT 1 FROM {inner.name} z WHERE {tie}))",
            ]
        )

    # queries, each with the number of outputs that are its order

    def _truths(self) -> tuple[str, int]:
        table = self._table()
        shown, order = self._shows(table)
        where = " AND ".join(
            [self._truth("x0", table), *[self._held("x0", table)] * self.random.randint(0, 1)]
        )
        return f"SELECT {shown} FROM {table.name} x0 WHERE {where}", order

    def _shown(self) -> tuple[str, int]:
        table = self._table()
        shown, order = self._shows(table)
        value = self._value("x0", table)
        if self.chance(0.4):
            value = f"CASE WHEN {self._exists('x0')} THEN 1 ELSE 0 END"
        return f"SELECT {shown}, {value} AS n FROM {table.name} x0 WHERE {self._held('x0', table)}", order

    def _ordered(self) -> tuple[str, int]:
        table = self._table()
        value = self._value("x0", table)
        return f"SELECT {value} AS o0, x0.a AS n FROM {table.name} x0 WHERE {self._held('x0', table)}", 1

    def _grouped(self) -> tuple[str, int]:
        table, column = self._table(), self.random.choice("abc")
        having = self.random.choice(
            [
                "COUNT(*) > 1",
                f"MAX(x0.b) > {self.param(1)}",
                f"{self._value('x0', table)} > 1",
                "SUM(x0.b) IS NULL",
            ]
        ).replace("x0.", "x0." if self.chance(0.5) else "x0.")
        if "z." in having:  # of the outer row only what it is grouped by
            having = (
                having.replace("x0.a", f"x0.{column}")
                .replace("x0.b", f"x0.{column}")
                .replace("x0.c", f"x0.{column}")
            )
        where = self.random.choice(["", f" WHERE {self._held('x0', table)}"])
        return (
            f"SELECT x0.{column} AS o0, COUNT(*) AS n FROM {table.name} x0{where} GROUP BY x0.{column} HAVING {having}",
            1,
        )

    def _joined(self) -> tuple[str, int]:
        left, right = self._table(), self._table()
        shown, order = self._shows(left)
        side, tie = self.random.choice(["JOIN", "LEFT JOIN"]), self.join("x1", right, [("x0", left)])
        more = self.random.choice(
            [self._truth("x1", right), self._exists("x1"), self._exists("x0"), "x1.b < x0.b"]
        )
        where = self.random.choice([self._held("x0", left), self._exists("x0")])
        return (
            f"SELECT {shown}, x1.a AS n FROM {left.name} x0 {side} {right.name} x1 ON {tie} AND {more} WHERE {where}",
            order,
        )

    def _chain(self) -> tuple[str, int]:
        one, two, three = self._table(), self._table(), self._table()
        shown, order = self._shows(one)
        tie = self.join("x1", two, [("x0", one)])
        if self.chance(0.5):  # one column that equals two others
            partner = (two.key or ("a",))[0]
            tie = f"x1.{partner} = x0.{self.random.choice('abc')} AND x1.{partner} = {self.random.choice(['x0.a', 'x0.b', self.param(2)])}"
        body = f"{one.name} x0 LEFT JOIN {two.name} x1 ON {tie}"
        body += f" {self.random.choice(['LEFT JOIN', 'JOIN'])} {three.name} x2 ON {self.join('x2', three, [('x1', two)])}"
        where = self.random.choice(
            [
                self._held("x0", one), f"{self._held('x0', one)} AND x1.a IS NULL", self._held("x2", three),
                f"{self._held('x0', one)} AND COALESCE(x2.b, 0) = 0", f"({self._held('x0', one)} OR {self._held('x1', two)})",
            ]
        )  # fmt: skip
        return f"SELECT {shown}, x1.b AS m, x2.c AS n FROM {body} WHERE {where}", order

    def _cut(self, table: Table, alias: str, held: bool = True) -> str:
        """A subquery of the first rows; by a whole key, so that they are always the same."""
        where = f" WHERE {self._held(alias, table)}" if held else ""
        rows = f"SELECT {alias}.a AS o0, {alias}.b AS o1, {alias}.c AS n FROM {table.name} {alias}{where}"
        if not table.key or self.chance(0.3):
            return rows
        items = ", ".join(f"{alias}.{name}" for name in table.key)
        return f"{rows} ORDER BY {items} LIMIT {self.random.randint(1, 3)}"

    def _union(self) -> tuple[str, int]:
        word = self.random.choice(["UNION ALL", "UNION", "INTERSECT", "EXCEPT"])
        parts = [self._cut(self._table(), f"x{number}", self.chance(0.8)) for number in range(2)]
        whole = f" {word} ".join(
            f"SELECT o0, o1, n FROM ({part}) q{number}" for number, part in enumerate(parts)
        )
        return whole, 2

    def _union_inside(self) -> tuple[str, int]:
        """As of a view over partitions: the condition and the cut stand outside."""
        parts = []
        for number in range(2):
            table, alias = self._table(), f"x{number}"
            where = self.random.choice(["", "", f" WHERE {self._held(alias, table)}"])
            key = (table.key or ("id",))[0]
            parts.append(
                f"SELECT {alias}.{key} AS o0, {alias}.b AS o1, {alias}.c + {number} AS n FROM {table.name} {alias}{where}"
            )
        at = self.param(self.random.randint(0, 4))
        where = self.random.choice(
            [f"d.o0 = {at}", f"d.o1 = {at}", f"d.n = {at}", f"(d.o0 = {at} OR d.o1 = 1)", "d.o1 IS NULL"]
        )
        word = self.random.choice(["UNION ALL", "UNION ALL", "UNION"])
        return f"SELECT d.o0 AS o0, d.o1 AS o1, d.n AS n FROM ({f' {word} '.join(parts)}) d WHERE {where}", 2

    def _twice(self) -> tuple[str, int]:
        first = self._cut(self._table(), "x0", self.chance(0.8))
        tie = self.random.choice(["y.o0 = x.o0", "y.o1 = x.o0 AND y.n <= x.n", "y.n <> x.n"])
        side = self.random.choice(["JOIN", "LEFT JOIN"])
        return f"WITH q AS ({first}) SELECT x.o0 AS o0, x.o1 AS o1, y.n AS n FROM q x {side} q y ON {tie}", 2

    def _nested(self) -> tuple[str, int]:
        outer = self._table()
        derived = self._cut(self._table(), "x0", self.chance(0.7))
        tie = self.random.choice(["d.o0 = y.a", "d.o0 = y.b", f"d.o0 = y.{(outer.key or ('c',))[0]}"])
        where = self.random.choice(["", f" WHERE {self._held('y', outer)}", " WHERE d.n = 1"])
        return (
            f"SELECT d.o0 AS o0, d.o1 AS o1, y.c AS n FROM ({derived}) d JOIN {outer.name} y ON {tie}{where}",
            2,
        )

    def _distinct(self) -> tuple[str, int]:
        table, column = self._table(), self.random.choice("abc")
        where = self.random.choice(
            ["", f" WHERE {self._held('x0', table)}", f" WHERE {self._truth('x0', table)}"]
        )
        return f"SELECT DISTINCT x0.{column} AS o0 FROM {table.name} x0{where}", 1

    def _shared(self) -> tuple[str, int]:
        """USING, RIGHT JOIN, and a subquery of groups on one side."""
        left, right = self._table(), self._table()
        column, other = self.random.sample(["id", "a", "b", "c"], 2)
        side = self.random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN"])
        using = self.random.choice([column, f"{column}, {other}"])
        where = self.random.choice(
            [self._held("x0", left), self._held("x1", right), f"{column} = {self.param(1)}"]
        )
        if self.chance(0.3):
            inner = f"(SELECT z.{column}, COUNT(*) AS n FROM {right.name} z GROUP BY z.{column})"
            where = self._held("x0", left)
            return (
                f"SELECT x0.{column} AS o0, x1.n AS n FROM {left.name} x0 {side.replace('RIGHT', 'LEFT')} {inner} x1 USING ({column}) WHERE {where}",
                1,
            )
        return (
            f"SELECT {column} AS o0, x0.flag AS m, x1.flag AS n FROM {left.name} x0 {side} {right.name} x1 USING ({using}) WHERE {where}",
            1,
        )

    def _cyclic(self) -> tuple[str, int]:
        """Three sources whose columns are equal in a circle, with sums beside."""
        tables = [self._table() for _ in range(3)]
        shown, order = self._shows(tables[0])
        ties = [f"x0.{self.random.choice('abc')} = x1.{self.random.choice('abc')}", f"x1.{self.random.choice('abc')} = x2.{self.random.choice('abc')}",
                self.random.choice(["x2.a = x0.a", "x2.b = x0.c", "x2.id + 1 = x0.id", "COALESCE(x2.b, x0.b) = x1.b"])]  # fmt: skip
        ties.append(self._held("x0", tables[0]))
        sources = ", ".join(f"{table.name} x{number}" for number, table in enumerate(tables))
        return f"SELECT {shown}, x1.id AS m, x2.id AS n FROM {sources} WHERE {' AND '.join(ties)}", order

    def _within(self) -> tuple[str, int]:
        """A subquery in a subquery, and the first of some rows as a value."""
        table, inner, last = self._table(), self._table(), self._table()
        shown, order = self._shows(table)
        deep = f"SELECT 1 FROM {last.name} y WHERE y.{self.random.choice('abc')} = z.{self.random.choice('abc')} AND y.{self.random.choice('abc')} = x0.{self.random.choice('abc')}"
        no, none = self.random.choice(["", "NOT "]), self.random.choice(["", "NOT "])
        nested = f"{no}EXISTS (SELECT 1 FROM {inner.name} z WHERE z.{self.random.choice('abc')} = x0.{self.random.choice('abc')} AND {none}EXISTS ({deep}))"
        first = f"(SELECT z.b FROM {inner.name} z WHERE z.a = x0.{self.random.choice('abc')} ORDER BY z.b DESC NULLS LAST LIMIT 1)"
        value = self.random.choice([f"{first} AS n", f"COALESCE({first}, -1) AS n", "x0.b AS n"])
        where = self.random.choice([nested, f"{first} = {self.param(1)}", f"{first} IS NULL"])
        return (
            f"SELECT {shown}, {value} FROM {table.name} x0 WHERE {self._held('x0', table)} AND {where}",
            order,
        )

    def _listed(self) -> tuple[str, int]:
        """Lists with NULL and with columns in them, and orders of rows."""
        table = self._table()
        shown, order = self._shows(table)
        at, none = self.param(self.random.randint(0, 3)), self.param(None)
        test = self.random.choice(
            [
                f"x0.b IN ({at}, {none})", f"x0.b NOT IN ({at}, {none})", f"x0.b NOT IN ({at}, 7)", f"x0.b IN (x0.a, {at})",
                f"{at} IN (x0.a, x0.c)", f"(x0.a, x0.b) IN (({at}, 1), (2, {at}))", f"(x0.a, x0.b) NOT IN (({at}, 1), (2, {at}))",
                f"(x0.a, x0.id) <= ({at}, 3)", f"(x0.c, x0.b) > ({at}, {none})", f"x0.b BETWEEN {none} AND 3", f"x0.b NOT BETWEEN {at} AND 2",
                f"NOT (x0.b BETWEEN {at} AND {at} + 1)", "x0.s LIKE 'a%' AND x0.s NOT LIKE '%e'", f"x0.a + x0.c = {at} + 1",
            ]
        )  # fmt: skip
        return (
            f"SELECT {shown}, x0.b AS n FROM {table.name} x0 WHERE {self._held('x0', table)} AND {test}",
            order,
        )

    def _crossed(self) -> tuple[str, int]:
        left, right = self._table(), self._table()
        shown, order = self._shows(left)
        where = [self._held("x0", left), *[self._held("x1", right)] * self.random.randint(0, 1)]
        return (
            f"SELECT {shown}, x1.a AS n FROM {left.name} x0 CROSS JOIN {right.name} x1 WHERE {' AND '.join(where)}",
            order,
        )

"""Random queries whose form hides what they mean: patterns, casts, computed columns of outer joins, nested values."""

from __future__ import annotations

from typing import Any

from headwater.bounds.query.catalog import Catalog
from headwater.model import Table
from support.bounds.hostile_queries import HostileGenerator
from support.bounds.random_queries import Case

WORDS = ["a", "be", "e", "t"]


class FormGenerator(HostileGenerator):
    def condition(self, alias: str, table: Table) -> str:
        if alias == "z" or self.chance(0.5):
            return super().condition(alias, table)
        word, number = self.param(self.random.choice(WORDS)), self.random.randint(1, 3)
        return self.random.choice(  # type: ignore[no-any-return]
            [
                f"{alias}.s LIKE '%' || {word} || '%'",
                f"{alias}.s LIKE '_' || {word} || '%'",
                f"{alias}.s = 7",
                f"{alias}.s IN (7, 8)",
                f"{alias}.s = -7",
                f"{alias}.s BETWEEN 7 AND 8",
                f"{alias}.s = CASE WHEN {word} = 'e' THEN 7 ELSE 8 END",
                f"{alias}.s = (SELECT MAX(v.a) + {number} FROM {table.name} v)",
                f"{alias}.s IN (SELECT v.a + 5 FROM {table.name} v WHERE v.id = {number})",
                f"{alias}.id IN (SELECT {alias}.a)",
                f"{alias}.id IN (SELECT {alias}.a + {number} WHERE {alias}.b < 3)",
                f"{alias}.a = '{number}'",
                f"{alias}.id > (SELECT MAX(w.id) - {number} FROM {table.name} w)",
                f"{alias}.id > (SELECT MAX(w.id) - {number} FROM {table.name} w) AND {alias}.a IN (SELECT y.a FROM "
                f"{table.name} y WHERE y.id > (SELECT MIN(v.id) FROM {table.name} v))",
            ]
        )

    def query(self, tables: list[Table], data: dict[str, list[dict[str, Any]]]) -> Case:
        parent, child = self.random.choice(tables), self.random.choice(tables)
        if self.chance(0.5) or not parent.key:
            return self._with_no_limit(super().query(tables, data))
        column = self.random.choice("abc")
        shown = ", ".join(f"x0.{name} AS o{number}" for number, name in enumerate(parent.key))
        sql = f"SELECT {shown}, {self._body(parent, child, column)}"
        order = len(parent.key)
        case = Case(Catalog.of(tables), data, sql, self.params, self.maxima, order, unlimited=sql)
        case.limit = self.random.randint(1, 4)
        case.sql += f" ORDER BY {', '.join(f'o{number}' for number in range(order))} LIMIT {case.limit}"
        return case

    def _with_no_limit(self, case: Case) -> Case:
        """What ORMs write where they want no LIMIT."""
        if case.limit is None and " LIMIT " not in case.sql and self.chance(0.5):
            case.sql += self.random.choice([" LIMIT -1", " LIMIT 9223372036854775807"])
        return case

    def _body(self, parent: Table, child: Table, column: str) -> str:
        """The rest of a query over an outer join, from what it shows of the optional side on."""
        at = self.param(self.random.randint(0, 4))
        where = self.random.choice([f"x0.{column} = {at}", f"x0.{parent.key[0]} = {at}"])
        if self.chance(0.3):
            side = self.random.choice(["x0.b", "x1.b", "x1.c"])
            join = f"{parent.name} x0 LEFT JOIN {child.name} x1 ON x1.{column} = x0.{column}"
            return f"{side} AS n FROM {join} WHERE {where} AND {at} IN (x0.c, x1.b)"
        inside = self.random.choice(["", f" WHERE {self.param(0)} = 1", " WHERE x1.flag = TRUE"])
        subquery = f"SELECT x1.{column} AS k, 1 AS one, COALESCE(x1.b, 0) AS n FROM {child.name} x1{inside}"
        rest = self.random.choice(["", " AND d.one IS NULL", " AND d.n = 0"])
        if self.chance(0.3):
            return f"d.one AS one FROM ({subquery}) d RIGHT JOIN {parent.name} x0 ON d.k = x0.{column} WHERE {where}{rest}"
        return f"d.one AS one FROM {parent.name} x0 LEFT JOIN ({subquery}) d ON d.k = x0.{column} WHERE {where}{rest}"

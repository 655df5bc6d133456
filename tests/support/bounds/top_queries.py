"""Random queries for the first rows of each partition: ROW_NUMBER, DISTINCT ON, LATERAL; SQLite answers by ranks."""

from __future__ import annotations

from headwater.bounds.query.catalog import Catalog
from headwater.model import Table
from support.bounds.hostile_queries import HostileCase
from support.bounds.random_queries import Generator


class TopGenerator(Generator):
    def hostile_cases(self, number: int) -> list[HostileCase]:
        first = self.case()
        tables = list(first.catalog.tables.values())
        keyed = [table for table in tables if table.key]
        cases = []
        for _ in range(number if keyed else 0):
            self.params, self.maxima = {}, {}
            text, sql = self._query(self.random.choice(keyed), self.random.choice(keyed))
            case = HostileCase(Catalog.of(tables), first.data, sql, self.params, {}, unlimited=sql)
            case.text, case.given = text, self.params
            cases.append(case)
        return cases

    def _query(self, parent: Table, child: Table) -> tuple[str, str]:
        """What is checked, and the same by ranks."""
        if self.chance(0.35):
            return self._first_groups(child)
        column, count = self.random.choice("abc"), self.random.randint(1, 3)
        order = ", ".join(f"x1.{name}{self.random.choice(['', ' DESC'])}" for name in child.key)
        shown = ", ".join(f"x1.{name}" for name in dict.fromkeys((column, *child.key)))
        rank = f"ROW_NUMBER() OVER (PARTITION BY x1.{column} ORDER BY {order}) AS rn"
        at = [self.param(self.random.randint(0, 4)) for _ in range(2)]
        where = self.random.choice([f"x1.{column} = {at[0]}", f"x1.{column} IN ({at[0]}, {at[1]})",
                                    f"x1.{self.random.choice('abc')} = {at[0]}"])  # fmt: skip
        if self.chance(0.4):
            body = f"{child.name} x1"
            if self.chance(0.5):
                key = " AND ".join(
                    f"x0.{name} = {self.param(self.random.randint(0, 5))}" for name in parent.key
                )
                body, where = f"{parent.name} x0 JOIN {child.name} x1 ON x1.{column} = x0.{column}", key
            bound = self.random.choice([f"<= {count}", f"< {count + 1}", f"= {count}"])
            sql = f"SELECT * FROM (SELECT {shown}, {rank} FROM {body} WHERE {where}) d WHERE d.rn {bound}"
            return sql, sql
        if self.chance(0.4):
            text = f"SELECT DISTINCT ON (x1.{column}) {shown} FROM {child.name} x1 WHERE {where}"
            ranked = f"SELECT {shown}, {rank} FROM {child.name} x1 WHERE {where}"
            names = ", ".join(name.removeprefix("x1.") for name in shown.split(", "))
            return f"{text} ORDER BY x1.{column}, {order}", f"SELECT {names} FROM ({ranked}) WHERE rn = 1"
        return self._lateral(parent, child, column, order, count)

    def _first_groups(self, child: Table) -> tuple[str, str]:
        """One row of each of the first few values of a column, or the rows with the greatest one."""
        column, other = self.random.sample("abc", 2)
        at, way, count = (
            self.param(self.random.randint(0, 4)),
            self.random.choice(["", " DESC"]),
            self.random.randint(0, 3),
        )
        where = self.random.choice([f"x1.{other} = {at}", f"x1.{other} = {at}", f"x1.{column} > {at}",
                                    f"x1.{other} = {at} AND x1.{column} >= {self.param(1)}", f"x1.flag AND x1.{other} = {at}",
                                    f"x1.{other} = {at} AND x1.id <> {self.param(3)}"])  # fmt: skip
        cut = f" LIMIT {count}" if self.chance(0.7) else f" LIMIT {self.param(count)}"
        if self.chance(0.3):
            greatest = f"SELECT MAX(z.{column}) FROM {child.name} z WHERE z.{other} = x1.{other}"
            sql = f"SELECT x1.a, x1.b, x1.c FROM {child.name} x1 WHERE {where} AND x1.{column} = ({greatest})"
            return sql, sql
        if self.chance(0.4):
            sql = f"SELECT DISTINCT x1.{column} FROM {child.name} x1 WHERE {where} ORDER BY x1.{column}{way}{cut}"
            return sql, sql
        order = ", ".join(f"x1.{name}{self.random.choice(['', ' DESC'])}" for name in child.key)
        names = tuple(dict.fromkeys((column, *child.key)))
        shown = ", ".join(f"x1.{name}" for name in names)
        rank = f"ROW_NUMBER() OVER (PARTITION BY x1.{column} ORDER BY {order}) AS rn"
        ranked = f"SELECT {shown}, {rank} FROM {child.name} x1 WHERE {where}"
        text = f"SELECT DISTINCT ON (x1.{column}) {shown} FROM {child.name} x1 WHERE {where} ORDER BY x1.{column}{way}, {order}{cut}"
        return text, f"SELECT {', '.join(names)} FROM ({ranked}) WHERE rn = 1 ORDER BY {column}{way}{cut}"

    def _lateral(self, parent: Table, child: Table, column: str, order: str, count: int) -> tuple[str, str]:
        side, on = self.random.choice([("CROSS", ""), ("LEFT", " ON TRUE")])
        at = " AND ".join(f"x0.{name} = {self.param(self.random.randint(0, 5))}" for name in parent.key[:1])
        key = ", ".join(f"x0.{name} AS k{number}" for number, name in enumerate(parent.key))
        inner = f"SELECT x1.{child.key[0]} AS v FROM {child.name} x1 WHERE x1.{column} = x0.{column}"
        text = f"SELECT {key}, l.v AS v FROM {parent.name} x0 {side} JOIN LATERAL ({inner} ORDER BY {order} LIMIT {count}) l{on} WHERE {at}"
        rank = f"ROW_NUMBER() OVER (PARTITION BY x1.{column} ORDER BY {order}) AS rn"
        ranked = f"SELECT x1.{child.key[0]} AS v, x1.{column} AS k, {rank} FROM {child.name} x1"
        join = "LEFT JOIN" if side == "LEFT" else "JOIN"
        sql = f"SELECT {key}, l.v AS v FROM {parent.name} x0 {join} ({ranked}) l ON l.k = x0.{column} AND l.rn <= {count} WHERE {at}"
        return text, sql

"""Random queries for the greatest or least value of each group, and for the newest rows of each, in the order of it."""

from __future__ import annotations

from headwater.bounds.query.catalog import Catalog
from headwater.model import Table
from support.bounds.hostile_queries import HostileCase
from support.bounds.random_queries import Generator


class NewestGenerator(Generator):
    """What is checked and what SQLite answers are the same text, or the same by ranks."""

    def hostile_cases(self, number: int) -> list[HostileCase]:
        first = self.case()
        tables = list(first.catalog.tables.values())
        cases = []
        for _ in range(number):
            self.params, self.maxima = {}, {}
            text, sql, unlimited, order = self._query(self.random.choice(tables))
            case = HostileCase(
                Catalog.of(tables), first.data, sql, self.params, {}, order, unlimited=unlimited
            )
            case.text, case.given, case.limit = text, self.params, 1
            cases.append(case)
        return cases

    def _query(self, table: Table) -> tuple[str, str, str, int]:
        group, value, other = self.random.sample("abc", 3)
        way, function = self.random.choice([(" DESC NULLS LAST", "MAX"), (" NULLS FIRST", "MIN")])
        at, more = self.param(self.random.randint(0, 4)), self.random.choice(["", " AND x1.flag = TRUE"])
        where = self.random.choice([f"WHERE x1.{other} = {at}{more}", f"WHERE x1.{other} = {at}{more}", ""])
        if not where:
            self.params.clear()
        cut = f" LIMIT {self.random.randint(1, 3)}" + self.random.choice(["", "", " OFFSET 1"])
        if self.chance(0.5):
            also = self.random.choice(["", ", COUNT(*) AS n", f", SUM(x1.{other}) AS n"])
            having = self.random.choice(["", "", f" HAVING {function}(x1.{value}) > {self.param(1)}"])
            body = f"SELECT {function}(x1.{value}) AS o0, x1.{group} AS o1{also} FROM {table.name} x1 {where}"
            whole = f"{body} GROUP BY x1.{group}{having}"
            sql = f"{whole} ORDER BY o0{way}{cut}"
            return sql, sql, whole, 1
        count, ends = self.random.randint(1, 2), self.random.choice(["", f", n.{group}"])
        rank = f"ROW_NUMBER() OVER (PARTITION BY x1.{group} ORDER BY x1.{value}{way}) AS rn"
        ranked = f"SELECT x1.{value}, x1.{group}, {rank} FROM {table.name} x1 {where}"
        whole = f"SELECT n.{value}, n.{group} FROM ({ranked}) n WHERE n.rn <= {count}"
        sql = f"{whole} ORDER BY n.{value}{way}{ends}{cut}"
        if count > 1 or self.chance(0.5):
            return sql, sql, whole, 2 if ends else 1
        inner = f"SELECT DISTINCT ON (x1.{group}) x1.{value}, x1.{group} FROM {table.name} x1 {where}"
        text = f"SELECT n.{value}, n.{group} FROM ({inner} ORDER BY x1.{group}, x1.{value}{way}) n"
        return f"{text} ORDER BY n.{value}{way}{ends}{cut}", sql, whole, 2 if ends else 1

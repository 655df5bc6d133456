"""Random queries that a view of some of their sources answers: a limited source, and a popular join in the order of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headwater.bounds.query.catalog import Catalog
from headwater.model import Cardinality, Table
from support.bounds.random_queries import Case, ViewGenerator


class TimelineGenerator(ViewGenerator):
    def table(self, name: str, earlier: list[Table]) -> Table:
        table = super().table(name, earlier)
        columns = tuple(
            replace(column, nullable=column.nullable and column.name != "id") for column in table.columns
        )
        kept = [limit for limit in table.cardinalities if self.chance(0.5)]
        return replace(table, key=("id",), columns=columns, cardinalities=(*kept, Cardinality(("c",), 3)))

    def query(self, tables: list[Table], data: dict[str, list[dict[str, Any]]]) -> Case:
        first, second, third = (self.random.choice(tables) for _ in range(3))
        key = self.random.choice(["c", "id"])
        body = (
            f"{first.name} x0 JOIN {second.name} x1 ON x1.{self.random.choice('ab')} = x0.{self.random.choice('ab')} "
            f"JOIN {third.name} x2 ON x2.{self.random.choice(['c', key])} = x1.{key} "
            f"WHERE x0.c = {self.param(self.random.randint(0, 4))} "
            f"AND x2.{self.random.choice('ab')} = {self.param(self.random.randint(0, 4))}"
        )
        if self.chance(0.3):
            body += f" AND x1.flag = {self.random.choice(['TRUE', self.param(True)])}"
        order = f"x1.{self.random.choice(['a', 'b', 'id'])}"
        shown = self.random.choice(
            ["x0.id AS o1, x1.s AS o2", "x2.id AS o1", "x1.id AS o1, x2.a AS o2, x0.b AS o3"]
        )
        sql = f"SELECT {order} AS o0, {shown} FROM {body}"
        case = Case(Catalog.of(tables), data, sql, self.params, self.maxima, 1, unlimited=sql)
        case.limit = self.random.randint(1, 4)
        case.sql += f" ORDER BY o0{self.random.choice(['', ' DESC'])} LIMIT {case.limit}"
        return case

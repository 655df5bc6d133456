"""Random queries of rows that have a partner, under a LIMIT: a view of the pairs, grouped, answers them."""

from __future__ import annotations

from typing import Any

from headwater.bounds.query.catalog import Catalog
from headwater.model import Table
from support.bounds.random_queries import Case
from support.bounds.timeline_queries import TimelineGenerator


class PartnerGenerator(TimelineGenerator):
    """`c` is a limited column of every table, so that a row has few partners by it."""

    def query(self, tables: list[Table], data: dict[str, list[dict[str, Any]]]) -> Case:
        first = self.random.choice(tables)
        where = [f"x0.{self.random.choice('ab')} = {self.param(self.random.randint(0, 4))}"]
        where += [
            self.partner(f"x{number}", self.random.choice(tables))
            for number in range(1, self.random.choice([2, 2, 3]))
        ]
        order = f"x0.{self.random.choice(['a', 'b', 'id', 'id'])}"
        shown = self.random.choice(
            ["x0.id AS o1", "x0.s AS o1, x0.id AS o2", "x0.b + 1 AS o1", "x0.id AS o1, x0.c AS o2"]
        )
        sql = f"SELECT {order} AS o0, {shown} FROM {first.name} x0 WHERE {' AND '.join(where)}"
        case = Case(Catalog.of(tables), data, sql, self.params, self.maxima, 1, unlimited=sql)
        case.limit = self.random.randint(1, 4)
        case.sql += f" ORDER BY o0{self.random.choice(['', ' DESC'])} LIMIT {case.limit}"
        return case

    def partner(self, alias: str, table: Table) -> str:
        tie = self.random.choice(["c", "c", "c", "a"])
        asked = f"{alias}.{self.random.choice('ab')} = {self.param(self.random.randint(0, 4))}"
        if self.chance(0.2):
            asked = self.random.choice([f"{alias}.flag", f"{alias}.a > 1", f"{alias}.b <> 2"])
        if self.chance(0.5):
            return f"x0.id IN (SELECT {alias}.{tie} FROM {table.name} {alias} WHERE {asked})"
        return f"EXISTS (SELECT 1 FROM {table.name} {alias} WHERE {alias}.{tie} = x0.id AND {asked})"

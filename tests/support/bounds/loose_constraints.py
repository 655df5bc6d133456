"""Random tables whose constraints do not hold for all rows, with data that shows it and queries that rely on it.

Each table is loose in one way: a reference or limit that only warns, a key that was dropped or that a child table
does not share, an index that is unique for part of the rows, few values beside many NULLs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headwater.bounds.query.catalog import Catalog
from headwater.model import Cardinality, Column, ForeignKey, Table
from support.bounds.hostile_queries import TEXTS, HostileViewGenerator
from support.bounds.random_queries import Case

Rows = list[dict[str, Any]]
UNDONE = [
    "ALTER TABLE {0} DROP CONSTRAINT {0}_key;",
    "ALTER TABLE {0} DROP PRIMARY KEY;",
    "CREATE TABLE {0}_child (z INT) INHERITS ({0});",
]


class LooseGenerator(HostileViewGenerator):
    def table(self, name: str, earlier: list[Table]) -> Table:
        columns = [Column("id", "int", nullable=False), Column("a", "int", nullable=False)]
        columns += [Column("b", "int"), Column("c", "int", nullable=False), Column("s", "string")]
        table = Table(name, (*columns, Column("flag", "boolean", nullable=False)), ("id",))
        kind = self.random.choice(["reference", "reference", "limit", "undone", "partial", "few"])
        match kind:
            case "reference":
                references = [ForeignKey(("a",), other.name, other.key) for other in earlier]
                return replace(
                    table,
                    foreign_keys=tuple(references[:1]),
                    warn_on_violation=bool(self.random.randint(0, 2)),
                )
            case "limit":
                return replace(table, cardinalities=(Cardinality(("c",), 2),), warn_on_violation=True)
            case "undone":
                return replace(table, options={"sql": self.random.choice(UNDONE).format(name)})
            case "partial":
                return replace(table, options={"unique": "lower"})
        few = tuple(replace(column, values=3 if column.name == "b" else None) for column in table.columns)
        return replace(table, columns=few, unique=(("b", "c"),))

    def value(self, column: Column) -> Any:
        match column.name:
            case "b":
                return None if self.chance(0.7) else self.random.randint(0, 2)
            case "c":
                return self.random.randint(0, 1)
            case "id":
                return self.random.randint(0, 25)
        return super().value(column)

    def rows(self, table: Table, data: dict[str, Rows]) -> Rows:
        kept: Rows = []
        for _ in range(25):
            row = {column.name: self.value(column) for column in table.columns}
            for reference in () if table.warn_on_violation else table.foreign_keys:
                row["a"] = self.random.choice([other["id"] for other in data[reference.table]])
            if self.allowed(table, kept, row, data):
                kept.append(row)
        return kept

    def allowed(self, table: Table, kept: Rows, row: dict[str, Any], data: dict[str, Any]) -> bool:
        if "sql" in table.options:
            return True
        twins = (other for other in kept if other["flag"] and row["flag"] and other["s"] == row["s"])
        if table.options and row["s"] is not None and any(twins):
            return False
        return super().allowed(table, kept, row, data)

    def query(self, tables: list[Table], data: dict[str, Rows]) -> Case:
        table = self.random.choice(tables)
        sql, order = self._relying(table)
        case = Case(Catalog.of(tables), data, sql, self.params, self.maxima, order, unlimited=sql)
        if order:
            case.limit = self.random.randint(1, 6)
            case.sql += f" ORDER BY o0 LIMIT {case.limit}"
        return case

    def _relying(self, table: Table) -> tuple[str, int]:
        """A query that relies on what is declared of the table, and how many outputs are its order."""
        at = self.param(self.random.randint(0, 1))
        if table.foreign_keys:
            (key,) = table.foreign_keys
            join = f"JOIN {key.table} x1 ON x1.{key.referenced[0]} = x0.a"
            return f"SELECT x0.id AS o0, x1.c AS o1 FROM {table.name} x0 {join} WHERE x0.c = {at}", 1
        if table.cardinalities or table.unique:
            return f"SELECT x0.id AS o0, x0.b AS o1 FROM {table.name} x0 WHERE x0.c = {at}", 0
        if "unique" in table.options:
            text = self.param(self.random.choice(TEXTS))
            part = self.random.choice(["", "", " AND x0.flag = TRUE", " AND x0.flag = FALSE"])
            return f"SELECT x0.id AS o0 FROM {table.name} x0 WHERE LOWER(x0.s) = {text}{part}", 0
        number = self.param(self.random.randint(0, 25))
        return f"SELECT x0.id AS o0, x0.a AS o1 FROM {table.name} x0 WHERE x0.id = {number}", 0

"""What the declared constraints promise: how many rows share a value, what is unique, what must exist.

Everything that is proved about a query rests on these few questions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from headwater.model import Cardinality, Column, ForeignKey, Table

__all__ = ["Catalog"]

_DOMAINS = {"boolean": 2, "tinyint": 256}
_WHOLE = ("tinyint", "smallint", "int", "bigint")


@dataclass(frozen=True, slots=True)
class Catalog:
    tables: Mapping[str, Table]

    @staticmethod
    def of(tables: Iterable[Table]) -> Catalog:
        return Catalog({table.name: table for table in tables})

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    def with_tables(self, *tables: Table) -> Catalog:
        return Catalog({**self.tables, **{table.name: table for table in tables}})

    def keys(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The primary key, if any, then the other unique sets of columns."""
        table = self.tables[name]
        return (*((table.key,) if table.key else ()), *table.unique)

    def is_unique(self, name: str, columns: Collection[str]) -> bool:
        return any(set(key) <= set(columns) for key in self.keys(name))

    def identifies(self, name: str, columns: Collection[str]) -> bool:
        """Do the columns tell any two rows apart, NULLs included? (UNIQUE lets NULLs repeat.)"""
        return any(
            set(key) <= set(columns) and not any(self.nullable(name, one) for one in key)
            for key in self.keys(name)
        )

    def row_bound(self, name: str, columns: Collection[str]) -> int | None:
        """At most so many rows agree on `columns`; None if nothing says so."""
        if self.is_unique(name, columns):
            return 1
        limits = [one.limit for one in self.cardinalities(name) if set(one.columns) <= set(columns)]
        return min(limits, default=None)

    def cardinalities(self, name: str) -> tuple[Cardinality, ...]:
        return self.tables[name].cardinalities

    def column(self, name: str, column: str) -> Column | None:
        return self.tables[name].column(column)

    def nullable(self, name: str, column: str) -> bool:
        found = self.column(name, column)
        return found is None or found.nullable

    def temporal(self, name: str, column: str) -> bool:
        found = self.column(name, column)
        return found is not None and found.temporal

    def whole(self, name: str, column: str) -> bool:
        """Does it hold whole numbers?"""
        found = self.column(name, column)
        return found is not None and found.type.lower() in _WHOLE

    def domain(self, name: str, column: str) -> int | None:
        """How many values other than NULL a column can have, where the schema tells."""
        found = self.column(name, column)
        if found is None:
            return None
        known = [_DOMAINS.get(found.type)]
        known += [
            self.row_bound(one.table, ()) for one in self.foreign_keys(name) if one.columns == (column,)
        ]
        return min((one for one in known if one is not None), default=None)

    def foreign_keys(self, name: str) -> tuple[ForeignKey, ...]:
        """Declared references to tables that are known, with the referenced columns filled in."""
        found = []
        for one in self.tables[name].foreign_keys:
            target = self._spelled(one.table)
            if target is not None:
                found.append(ForeignKey(one.columns, target, one.referenced or self.tables[target].key))
        return tuple(found)

    def _spelled(self, name: str) -> str | None:
        if name in self.tables:
            return name
        return next((table for table in self.tables if table.lower() == name.lower()), None)

    def references(self, name: str, pairs: Collection[tuple[str, str]], target: str) -> bool:
        """Does a declared foreign key make every row of `name` find a row of `target` with equal `pairs`?"""
        wanted = set(pairs)
        return any(
            one.table == target and set(zip(one.columns, one.referenced, strict=False)) == wanted
            for one in self.foreign_keys(name)
        )

"""What the declared constraints say: how many rows share a value, what is unique, what must exist.

Everything that is proved about a query rests on these few questions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from headwater.algebra.expressions.tree import Expr
from headwater.model import Cardinality, Column, ForeignKey, Table

__all__ = ["Catalog", "UniqueTerms", "is_whole"]

_DOMAINS = {"boolean": 2, "tinyint": 256}
_FEW = 1000
_NONE: frozenset[str] = frozenset()
_WHOLE = ("tinyint", "smallint", "int", "bigint", "smallserial", "serial", "bigserial")


@dataclass(frozen=True, slots=True)
class UniqueTerms:
    """No two rows for which `where` is true have the same `terms`; expressions over one row."""

    terms: tuple[Expr, ...]
    where: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalog:
    tables: Mapping[str, Table]
    unique_terms: Mapping[str, tuple[UniqueTerms, ...]] = field(default_factory=dict)
    views: frozenset[str] = _NONE  # tables that are a project's views: what is declared of them follows

    @staticmethod
    def of(tables: Iterable[Table]) -> Catalog:
        return Catalog({table.name: table for table in tables})

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    def with_tables(self, *tables: Table) -> Catalog:
        return replace(self, tables={**self.tables, **{table.name: table for table in tables}})

    def keys(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The primary key, if any, then the other unique sets of columns.

        In an update stream a row replaces the one before it.
        """
        table = self.tables[name]
        return (*(key for key in (table.key, table.row_key) if key), *table.unique)

    def is_unique(self, name: str, columns: Collection[str]) -> bool:
        return any(set(key) <= set(columns) for key in self.keys(name))

    def identifies(self, name: str, columns: Collection[str]) -> bool:
        """Do the columns tell any two rows apart, NULLs included? (UNIQUE lets NULLs repeat.)"""
        return any(
            set(key) <= set(columns) and not any(self.nullable(name, column) for column in key)
            for key in self.keys(name)
        )

    def row_bound(self, name: str, columns: Collection[str], after: frozenset[str] = _NONE) -> int | None:
        """The most rows that can share one value of `columns`; None if no constraint limits them.

        A key or limit counts also if the columns of it that are missing have few values: once for each.
        `after`: tables whose references led here, so that references in a circle end.
        """
        limits = [(key, 1) for key in self.keys(name)]
        limits += [(limit.columns, limit.limit) for limit in self.cardinalities(name)]
        bounds = []
        for constrained, most in limits:
            missing = [column for column in constrained if column not in columns]
            sizes = [self._certain_domain(name, column, after) for column in missing]
            known = [size for size in sizes if size is not None]
            if len(known) == len(sizes):
                bounds.append(most * prod(known))
        return min(bounds, default=None)

    def _certain_domain(self, name: str, column: str, after: frozenset[str]) -> int | None:
        """The number of values of a column that is never NULL: rows with NULL are in no key or limit."""
        return None if self.nullable(name, column) else self.few_values(name, column, after)

    def few_values(self, name: str, column: str, after: frozenset[str] = _NONE) -> int | None:
        """The number of values other than NULL, if they are so few that each may be looked at."""
        size = self.domain(name, column, after)
        return size if size is not None and size <= _FEW else None

    def cardinalities(self, name: str) -> tuple[Cardinality, ...]:
        """The limits that are enforced: ON VIOLATION WARN lets rows beyond them in, so they prove nothing.

        A row with NULL in one of the columns is not counted (SQL's rule for UNIQUE; capture has the same).
        """
        table = self.tables[name]
        return () if table.warn_on_violation else table.cardinalities

    def column(self, name: str, column: str) -> Column | None:
        return self.tables[name].column(column)

    def nullable(self, name: str, column: str) -> bool:
        declared = self.column(name, column)
        return declared is None or declared.nullable

    def temporal(self, name: str, column: str) -> bool:
        declared = self.column(name, column)
        return declared is not None and declared.temporal

    def whole(self, name: str, column: str) -> bool:
        """Does the column hold whole numbers?"""
        declared = self.column(name, column)
        return declared is not None and is_whole(declared)

    def domain(self, name: str, column: str, after: frozenset[str] = _NONE) -> int | None:
        """How many values other than NULL a column can have, where the schema tells."""
        declared = self.column(name, column)
        if declared is None:
            return None
        sizes = [_DOMAINS.get(_plain_type(declared)), declared.values]
        sizes += [
            self.row_bound(reference.table, (), after | {name})
            for reference in self.foreign_keys(name)
            if reference.columns == (column,) and reference.table not in after
        ]
        return min((size for size in sizes if size is not None), default=None)

    def foreign_keys(self, name: str) -> tuple[ForeignKey, ...]:
        """Declared references to tables that are declared too, with the referenced columns filled in."""
        if self.tables[name].warn_on_violation:  # not enforced
            return ()
        references = []
        for reference in self.tables[name].foreign_keys:
            target = self._spelled(reference.table)
            if target is not None:
                references.append(
                    ForeignKey(reference.columns, target, reference.referenced or self.tables[target].key)
                )
        return tuple(references)

    def _spelled(self, name: str) -> str | None:
        """The table of this name; one that is written with its schema may be declared without."""
        if name in self.tables:
            return name
        folded = {table.lower(): table for table in self.tables}
        return folded.get(name.lower()) or folded.get(name.rpartition(".")[2].lower())

    def references(self, name: str, pairs: Collection[tuple[str, str]], target: str) -> bool:
        """Does a declared foreign key make every row of `name` find a row of `target` with equal `pairs`?"""
        wanted = set(pairs)
        return any(
            reference.table == target
            and set(zip(reference.columns, reference.referenced, strict=False)) == wanted
            for reference in self.foreign_keys(name)
        )


def is_whole(column: Column) -> bool:
    """Does the column hold whole numbers?"""
    return _plain_type(column) in _WHOLE


def _plain_type(column: Column) -> str:
    """Without MySQL's display width: tinyint(1) holds what any tinyint does."""
    return column.type.lower().partition("(")[0]

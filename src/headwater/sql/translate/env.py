"""What a query may see around it: common table expressions, the query outside, and how names are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.sql.translate.collector import Collector
from headwater.sql.translate.expressions import Expressions
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.scope import Rows, Scope

__all__ = ["Cte", "Env"]


@dataclass(frozen=True, slots=True)
class Cte:
    """A query under a name, and what it saw where it was written."""

    query: exp.Expr
    names: tuple[str, ...]
    env: Env


@dataclass(frozen=True, slots=True)
class Env:
    notes: Notes
    query: Callable[[exp.Expr, Env], Rows]
    ctes: Mapping[str, Cte] = field(default_factory=dict)
    parent: Scope | None = None  # of the query that a subquery in a predicate stands in
    prefix: str = ""  # before the names of columns that this query makes
    predicate: bool = False  # in IN or EXISTS, where copies of a row do not matter

    def expressions(self, rows: Rows, clause: str, collector: Collector | None = None) -> Expressions:
        """A reader of expressions over some rows."""
        return Expressions(self.notes, self.scope(rows), clause, self._nested, collector)

    def scope(self, rows: Rows) -> Scope:
        return Scope(self.notes, rows.fields, rows.open, self.parent)

    def _nested(self, query: exp.Expr, scope: Scope) -> Rows:
        """A subquery that is only looked at for errors: an obstacle stands for it."""
        return self.query(query, self.below("subquery", scope))

    def below(self, prefix: str, parent: Scope | None = None, predicate: bool = False) -> Env:
        """The same for a query inside this one."""
        return replace(self, prefix=prefix, parent=parent, predicate=predicate)

    def column_names(self, wanted: list[str]) -> list[str]:
        """Names for columns that this query makes, different from all others in the plan."""
        prefix = f"{self.notes.alias(self.prefix)}." if self.prefix else ""
        names: list[str] = []
        for one in wanted:
            name, number = one, 1
            while name.lower() in {other.lower() for other in names}:
                number += 1
                name = f"{one}_{number}"
            names.append(name)
        return [prefix + name for name in names]

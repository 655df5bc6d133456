"""What a query may see around it: common table expressions and the outer query; how its columns are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.algebra.plans.nodes import Plan
from headwater.sql.parsing.names import unused_name
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.groups.collector import Collector
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.relations.scope import Rows, Scope
from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["Cte", "Env"]


@dataclass(frozen=True, slots=True)
class Cte:
    """A query under a name, with what it sees where it is written."""

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

    def expressions(
        self,
        rows: Rows,
        clause: str,
        collector: Collector | None = None,
        gathered: Gathered | None = None,
    ) -> Expressions:
        """A reader of expressions over the rows, for one clause."""
        return Expressions(self.notes, self.scope(rows), clause, self._nested, collector, gathered)

    def scope(self, rows: Rows) -> Scope:
        return Scope(self.notes, rows.fields, rows.open, self.parent, rows.plan)

    def _nested(self, query: exp.Expr, scope: Scope) -> Rows:
        """The rows of a subquery in an expression."""
        return self.query(query, self.below("subquery", scope))

    def below(self, prefix: str, parent: Scope | None = None, predicate: bool = False) -> Env:
        """The environment of a query inside this one."""
        return replace(self, prefix=prefix, parent=parent, predicate=predicate)

    def column_names(self, wanted: list[str], plan: Plan | None = None) -> list[str]:
        """Names for columns that this query makes, different from all others in the plan."""
        prefix = f"{self.notes.alias(self.prefix)}." if self.prefix else ""
        taken = {name.lower() for name in plan.columns} if plan is not None and not prefix else set()
        names: list[str] = []
        for name in wanted:
            names.append(unused_name(name, taken))
            taken.add(names[-1].lower())
        return [prefix + name for name in names]

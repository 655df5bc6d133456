"""CREATE UNIQUE INDEX on expressions or on part of a table, as the catalog knows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from headwater.algebra.expressions.facts import is_of_one_row
from headwater.algebra.expressions.tree import Column
from headwater.bounds.query.block import Query
from headwater.bounds.query.catalog import UniqueTerms
from headwater.bounds.reading.expressions.convert import conditions_of, convert
from headwater.bounds.reading.ledger import Ledger
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.scope import Scope
from headwater.errors import InputError, Place
from headwater.model import Table

__all__ = ["UniqueIndex", "unique_terms"]


@dataclass(frozen=True, slots=True)
class UniqueIndex:
    """A unique index as it is written: the terms, and the condition of a partial one."""

    table: str
    terms: tuple[exp.Expr, ...]
    where: exp.Expr | None


@dataclass(frozen=True, slots=True)
class _Row:
    """Reads expressions over one row: there is nothing else to ask."""

    table: Table
    ledger: Ledger = field(default_factory=Ledger)

    def note(self, *parts: exp.Expr) -> None:
        self.ledger.note(*parts)

    def subquery(self, node: exp.Expr, scope: Scope) -> tuple[Query, Scope]:
        raise NotAnalysed("a subquery stands in an index")

    def place(self, node: exp.Expr) -> Place | None:
        return None

    def type_of(self, column: Column) -> str:
        declared = self.table.column(column.name)
        return "" if declared is None else declared.type


def unique_terms(index: UniqueIndex, table: Table) -> UniqueTerms | None:
    """The index over the columns of a row; None if it is not understood, and then it proves nothing."""
    scope = Scope()
    scope.add(table.name, {name: Column(name) for name in table.column_names}, None)
    row = _Row(table)
    condition = [exp.Where(this=index.where.copy()).this] if index.where is not None else []
    written = [row.ledger.enter(part) for part in (*[term.copy() for term in index.terms], *condition)]
    count = len(index.terms)
    try:
        terms = tuple(convert(term, scope, row) for term in written[:count])
        where = tuple(condition for part in written[count:] for condition in conditions_of(part, scope, row))
    except (NotAnalysed, InputError):
        return None
    if any(row.ledger.unread(part) is not None for part in written):
        return None
    return UniqueTerms(terms, where) if all(map(is_of_one_row, (*terms, *where))) else None

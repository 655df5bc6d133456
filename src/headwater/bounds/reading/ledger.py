"""Every part of a statement is read, or the statement is not analysed.

A clause that a reader does not know would otherwise be left out without a word, and the subquery in it with
it: the answer would be a bound for another statement.  So each part of the tree gets a number, which its
copies keep; whoever takes a part into the block notes it; and at the end the tree is gone through:

    a clause          must be of a known kind, with arguments that its reader knows (`_CLAUSES`)
    everything else   must have been noted: sources, subqueries, functions, columns, parameters, constants

A subquery of WITH that nobody names is not run, and need not be read unless it writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from sqlglot import exp

__all__ = ["Ledger"]

_PART = "part"  # the key of a part's number
_NAMES = (
    exp.Identifier,
    exp.TableAlias,
    exp.DataType,
    exp.Hint,
    exp.QueryOption,
    exp.IndexTableHint,
    exp.WithTableHint,
)  # read with what they are of
_CUT = {"limit", "offset"}
_CLAUSES: dict[type[exp.Expr], set[str]] = {
    exp.Select: {
        "with_", "expressions", "hint", "distinct", "from_", "operation_modifiers", "joins", "where", "group",
        "having", "qualify", "windows", "order", "sort", "locks", "options", *_CUT,
    },
    exp.SetOperation: {"with_", "this", "expression", "distinct", "order", *_CUT},
    exp.Subquery: {"this", "alias", "joins"},
    exp.Table: {"this", "alias", "db", "catalog", "joins", "hints", "only", "indexed"},
    exp.Values: {"expressions", "alias"},
    exp.Lateral: {"this", "alias", "cross_apply", "outer"},
    exp.From: {"this"},
    exp.Join: {"this", "on", "side", "kind", "using", "method", "hint"},
    exp.Where: {"this"},
    exp.Group: {"expressions", "all"},
    exp.Having: {"this"},
    exp.Qualify: {"this"},
    exp.Order: {"expressions"},
    exp.Sort: {"expressions"},
    exp.Ordered: {"this", "desc", "nulls_first"},
    exp.Distinct: {"expressions", "on"},
    exp.Limit: {"expression", "offset", "limit_options"},
    exp.Offset: {"expression"},
    exp.Fetch: {"direction", "count", "limit_options"},
    exp.LimitOptions: {"rows"},
    exp.Lock: {"update", "wait", "key", "expressions"},
    exp.With: {"expressions"},
    exp.CTE: {"this", "alias", "materialized"},
    exp.Star: {"except_"},
}  # fmt: skip
_NOTED_TOO = (
    exp.Query,
    exp.Table,
    exp.Values,
    exp.Lateral,
    exp.Star,
)  # clauses that must also have been noted
_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


@dataclass(slots=True)
class Ledger:
    """Which parts of a statement have been read."""

    numbers: count[int] = field(default_factory=count)
    noted: set[int] = field(default_factory=set)

    def enter(self, tree: exp.Expr) -> exp.Expr:
        """The same tree, its parts numbered."""
        for part in tree.walk():
            part.meta[_PART] = next(self.numbers)
        return tree

    def note(self, *parts: exp.Expr) -> None:
        """The parts have been read; what stands in them has not."""
        self.noted.update(part.meta[_PART] for part in parts if _PART in part.meta)

    def has(self, part: exp.Expr) -> bool:
        """Has it been read, if perhaps not all that stands in it?"""
        return part.meta.get(_PART) in self.noted

    def unread(self, tree: exp.Expr) -> exp.Expr | None:
        """The first part, in the order of the tree, that nobody has read."""
        pending = [tree]
        while pending:
            part = pending.pop()
            if not self._is_accounted_for(part):
                return part
            pending += reversed([child for child in part.iter_expressions() if self._matters(child)])
        return None

    def _is_accounted_for(self, part: exp.Expr) -> bool:
        kind = exp.SetOperation if isinstance(part, exp.SetOperation) else type(part)
        known = _CLAUSES.get(kind)
        if known is None or (self.has(part) and not isinstance(part, _NOTED_TOO)):
            return self.has(part)
        given = {key for key, value in part.args.items() if _is_there(value)}
        return given <= known and (self.has(part) or not isinstance(part, _NOTED_TOO))

    def _matters(self, part: exp.Expr) -> bool:
        if isinstance(part, _NAMES):
            return False
        is_run = not isinstance(part, exp.CTE) or self.has(part.this)
        return is_run or part.find(*_WRITES) is not None


def _is_there(value: Any) -> bool:
    return value is not None and value is not False and value != []

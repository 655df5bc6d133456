"""Whether an order says which row comes first, or leaves it to chance."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from headwater.algebra.expressions.tree import Column, Expr, columns_of
from headwater.algebra.plans.framing import OverCall, breaks_ties
from headwater.algebra.plans.keys import keys_of
from headwater.algebra.plans.nodes import Over
from headwater.sql.translate.notes import Notes

__all__ = ["warn_of_ties"]


def warn_of_ties(
    notes: Notes, over: Over, call: OverCall, node: exp.Expr, shown: Iterable[Expr] | None = None
) -> None:
    """Warn where rows that the order leaves equal can change the answer.

    They cannot if they are equal in all that is `shown` of them, which is every column unless it is said.
    """
    if not breaks_ties(call, bool(over.order)):
        return
    exprs = (*over.partition, *(item.expr for item in over.order))
    columns = {expr.name for expr in exprs if isinstance(expr, Column)}
    seen = map(Column, over.child.columns) if shown is None else shown
    if all(expr in exprs or columns_of(expr) <= columns for expr in seen) or _of_the_order(call, columns):
        return
    keys = keys_of(over.child, lambda relation: notes.keys.get(relation, ()))
    if not any(key <= columns for key in keys):
        notes.warn(
            node,
            f"{call.function} depends on rows that its order may leave equal: these come in the order of"
            " their columns here, in any order in Spark (add a key to ORDER BY)",
        )


_OF_PLACES = {"row_number", "ntile", "lag", "lead"}


def _of_the_order(call: OverCall, columns: set[str]) -> bool:
    """first_value(x) OVER (ORDER BY x): of rows that are equal in x it is the same whichever comes first."""
    by_values = call.frame is None or not call.frame.rows or call.frame.whole
    read = (*call.call.arguments, *([] if call.call.where is None else [call.call.where]))
    return by_values and call.function not in _OF_PLACES and all(columns_of(expr) <= columns for expr in read)

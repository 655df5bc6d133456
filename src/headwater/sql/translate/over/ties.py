"""Whether an order says which row comes first, or leaves it to chance."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.framing import OverCall, breaks_ties
from headwater.algebra.plans.keys import keys_of
from headwater.algebra.plans.nodes import Over
from headwater.sql.translate.notes import Notes

__all__ = ["warn_of_ties"]


def warn_of_ties(notes: Notes, over: Over, call: OverCall, node: exp.Expr) -> None:
    """Warn where rows that the order leaves equal can change the answer."""
    if not breaks_ties(call, bool(over.order)):
        return
    exprs = (*over.partition, *(item.expr for item in over.order))
    columns = {expr.name for expr in exprs if isinstance(expr, Column)}
    keys = keys_of(over.child, lambda relation: notes.keys.get(relation, ()))
    if not any(key <= columns for key in keys):
        notes.warn(
            node,
            f"{call.function} depends on rows that its order may leave equal: these come in the order of"
            " their columns here, in any order in Spark (add a key to ORDER BY)",
        )

"""Names for the columns of a view: a column's own, or one that tells what an expression computes."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, Opaque
from headwater.bounds.query.names import Names

__all__ = ["column_names"]

_LONGEST = 40


def column_names(exprs: Iterable[Expr]) -> dict[Expr, str]:
    """A name for each column: the bare one if no other has it, else with its alias in front."""
    exprs = list(exprs)
    bare = [expr.name.lower() for expr in exprs if isinstance(expr, Column)]
    names, fresh = {}, Names()
    for expr in exprs:
        if isinstance(expr, Column) and bare.count(expr.name.lower()) > 1:
            wanted = f"{expr.alias}{expr.name}"
        else:
            wanted = _described(expr)
        names[expr] = fresh.fresh(wanted)
    return names


def _described(expr: Expr) -> str:
    match expr:
        case Call("sub", (Column(column), Call("mod", (Column(same), _)))) if column == same:
            return "epoch"
        case Call(name, arguments) | Opaque(name, arguments):
            return "_".join([name, *map(_described, arguments)])[:_LONGEST]
        case Column(name):
            return name
        case AggregateCall(_, function, arguments):
            return "_".join(["cnt" if function == "count" else function, *map(_described, arguments)])
        case _:
            return "x"

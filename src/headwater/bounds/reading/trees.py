"""Small questions to sqlglot's trees: clauses, orders, windows."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr
from headwater.bounds.query.block import Order

__all__ = ["column_names", "direction", "ordered", "own_clauses", "windows"]


def own_clauses(node: exp.Expr) -> bool:
    """(SELECT ...) LIMIT 5: the parenthesis has clauses of its own."""
    return isinstance(node, exp.Subquery) and any(node.args.get(key) for key in ("limit", "order", "offset"))


def column_names(node: exp.Expr) -> list[exp.Expr]:
    """The names that an alias gives to columns: a and b of `AS t (a, b)`."""
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or []) if isinstance(alias, exp.TableAlias) else []


def windows(node: exp.Select) -> list[exp.Window]:
    """The window functions of a SELECT, without those of its subqueries."""
    return [window for window in node.find_all(exp.Window) if window.find_ancestor(exp.Select) is node]


def ordered(node: exp.Expr) -> list[exp.Expr]:
    """The items of ORDER BY or SORT BY."""
    order = node.args.get("order") or node.args.get("sort")
    return list(order.expressions) if order is not None else []


def direction(node: exp.Expr, expr: Expr) -> Order:
    """An item's expression with its direction; NULLs come first unless it is descending or says otherwise."""
    descending = bool(node.args.get("desc"))
    nulls = node.args.get("nulls_first")
    return Order(expr, descending, (not descending) if nulls is None else bool(nulls))

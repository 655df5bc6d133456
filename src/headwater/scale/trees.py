"""Small questions to sqlglot's trees: clauses, orders, windows."""

from __future__ import annotations

from sqlglot import exp

from headwater.scale.block import Order
from headwater.scale.expr import (
    Expr,
)

__all__ = ["column_names", "direction", "ordered", "own_clauses", "windows"]


def own_clauses(node: exp.Expr) -> bool:
    """(SELECT ...) LIMIT 5: the parenthesis has clauses of its own."""
    return isinstance(node, exp.Subquery) and any(node.args.get(key) for key in ("limit", "order", "offset"))


def column_names(node: exp.Expr) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or []) if isinstance(alias, exp.TableAlias) else []


def windows(node: exp.Select) -> list[exp.Window]:
    return [one for one in node.find_all(exp.Window) if one.find_ancestor(exp.Select) is node]


def ordered(node: exp.Expr) -> list[exp.Expr]:
    order = node.args.get("order") or node.args.get("sort")
    return list(order.expressions) if order is not None else []


def direction(node: exp.Expr, expr: Expr) -> Order:
    descending = bool(node.args.get("desc"))
    nulls = node.args.get("nulls_first")
    return Order(expr, descending, (not descending) if nulls is None else bool(nulls))

"""Small questions to sqlglot's trees: clauses, orders, windows."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr
from headwater.bounds.query.block import Order

__all__ = [
    "column_names",
    "direction",
    "ordered",
    "own_clauses",
    "text_of",
    "windows",
    "with_column_names",
]


def own_clauses(node: exp.Expr) -> bool:
    """(SELECT ...) LIMIT 5: the parenthesis has clauses of its own."""
    return isinstance(node, exp.Subquery) and any(node.args.get(key) for key in ("limit", "order", "offset"))


def column_names(node: exp.Expr) -> list[exp.Expr]:
    """The names that an alias gives to columns: a and b of `AS t (a, b)`."""
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or []) if isinstance(alias, exp.TableAlias) else []


def with_column_names(subquery: exp.Expr, names: list[exp.Expr]) -> exp.Expr:
    """A subquery of WITH under the names that its use gives to its first columns."""
    if names:
        kept = column_names(subquery)[len(names) :]
        columns = [name.copy() for name in (*names, *kept)]
        subquery.set("alias", exp.TableAlias(this=exp.to_identifier("named"), columns=columns))
    return subquery


def text_of(node: exp.Expr) -> str:
    """A node as it is shown in a message; what no dialect writes is called by its kind."""
    try:
        return node.sql()
    except ValueError:  # sqlglot has no text for some nodes of single dialects
        return node.key.upper()


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

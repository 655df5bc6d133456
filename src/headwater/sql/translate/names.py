"""Names for columns that nobody named.

Inside a query such a column is named after its text, nearly as in Spark (`count(1)`, `(a + b)`).  A view is a
table that any reader must be able to open, so there `sum(price)` is stored as sum_price and `count(*)` as
count.
"""

from __future__ import annotations

import re

from sqlglot import exp

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import AggregateCall
from headwater.sql.translate.scalars.literals import text

__all__ = ["aggregate_name", "implicit_name", "is_named", "stored_name"]


def is_named(node: exp.Expr) -> bool:
    """Does this select item say what it is called?"""
    return isinstance(node, exp.Alias | exp.Column | exp.Dot)


def implicit_name(node: exp.Expr) -> str:
    """The name of a select item: its alias, its column's name, or its text."""
    match node:
        case exp.Alias():
            return node.alias
        case exp.Column():
            return node.name
        case exp.Dot():
            return node.expression.name
        case exp.Anonymous() if node.expressions and isinstance(node.expressions[0], exp.Star):
            return f"{node.name.lower()}(1)"
        case exp.Paren():
            return implicit_name(node.this)
        case _:
            return re.sub(r"\b([A-Za-z_]\w*)\(", lambda match: match[0].lower(), text(node))


def stored_name(name: str) -> str:
    """A name made of letters, digits and underscores."""
    return re.sub(r"\W+", "_", name.removesuffix("(1)")).strip("_") or "column"


def aggregate_name(aggregate: AggregateCall) -> str:
    """count, sum_price, max_at."""
    columns = [
        argument.name.rsplit(".", 1)[-1] for argument in aggregate.arguments if isinstance(argument, Column)
    ]
    return stored_name("_".join([aggregate.function, *columns[:1]]))

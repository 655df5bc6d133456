"""Trees made of SQL with holes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlglot import exp

from headwater.model import SqlText
from headwater.sql.parsing.parser import select_tree

__all__ = ["filled"]


def filled(text: str, parts: Mapping[str, exp.Expr]) -> exp.Expr:
    """The expression that a text is, with parts in the place of the columns named after them.

    Only the parts know where they stand in a user's text.
    """
    tree = _parsed(text).copy()
    for column in list(tree.find_all(exp.Column)):
        part = parts.get(column.name) if not column.table else None
        if part is not None:
            column.replace(part.copy())
    whole: exp.Expr = tree.expressions[0]
    whole.pop()
    return whole


@lru_cache(maxsize=500)
def _parsed(text: str) -> exp.Expr:
    tree = select_tree(SqlText(f"SELECT {text}"))
    for node in tree.walk():
        node.meta.clear()
    return tree

"""The select list, with stars spelt out and a name for every item."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from headwater.sql.translate.env import Env
from headwater.sql.translate.names import implicit_name, is_named
from headwater.sql.translate.scope import Rows, Typed
from headwater.sql.translate.stars import is_star, star_fields

__all__ = ["Item", "read_items"]


@dataclass(frozen=True, slots=True)
class Item:
    """`value` is given for what a star stands for, else the node is still to be read."""

    name: str
    node: exp.Expr
    value: Typed | None = None
    implicit: bool = False


def read_items(rows: Rows, node: exp.Expr, env: Env) -> list[Item]:
    items: list[Item] = []
    for one in node.expressions:
        if is_star(one):
            items += [
                Item(each.name, one, each.value, each.implicit) for each in star_fields(env.scope(rows), one)
            ]
        elif isinstance(one, exp.Aliases):  # explode(m) AS (key, value): several columns of one expression
            items += [Item(name.name, one.this) for name in one.expressions]
        else:
            items.append(Item(implicit_name(one), one, implicit=not is_named(one)))
    return items

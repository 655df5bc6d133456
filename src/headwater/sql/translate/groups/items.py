"""The select list, with stars spelt out and a name for every item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.expressions.tree import Column
from headwater.sql.translate.env import Env
from headwater.sql.translate.names import implicit_name, is_named
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.relations.stars import is_star, star_fields
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["Item", "read_items"]


@dataclass(frozen=True, slots=True)
class Item:
    """`value` is given for what a star stands for, else the node is still to be read."""

    name: str
    node: exp.Expr
    value: Typed | None = None
    implicit: bool = False


def read_items(
    rows: Rows, node: exp.Expr, env: Env, generated: Mapping[exp.Expr, tuple[Typed, ...]] | None = None
) -> list[Item]:
    items: list[Item] = []
    for expression in node.expressions:
        made = (generated or {}).get(expression)
        if made is not None:
            items += [
                Item(_name(expression, place, value), expression, value) for place, value in enumerate(made)
            ]
        elif is_star(expression):
            items += [
                Item(field.name, expression, field.value, field.implicit)
                for field in star_fields(env.scope(rows), expression)
            ]
        elif isinstance(
            expression, exp.Aliases
        ):  # explode(m) AS (key, value): several columns of one expression
            items += [Item(name.name, expression.this) for name in expression.expressions]
        else:
            items.append(Item(implicit_name(expression), expression, implicit=not is_named(expression)))
    return items


def _name(node: exp.Expr, place: int, value: Typed) -> str:
    """explode(x) AS y, posexplode(x) AS (p, y), and what Spark calls a column without a name."""
    if isinstance(node, exp.Aliases):
        return node.expressions[place].name
    if isinstance(node, exp.Alias):
        return node.alias
    assert isinstance(value.expr, Column)
    return value.expr.name.rsplit(".", 1)[-1]

"""LATERAL (SELECT explode(x) AS v) u: what is made of the rows before it, by SELECTs without FROM.

t, LATERAL (SELECT explode(t.xs) AS v) u                 t, LATERAL explode(t.xs) AS u(v)
t, LATERAL (SELECT t.a AS v UNION ALL SELECT t.b) u      a few rows (v) of each, with these values
"""

from __future__ import annotations

from sqlglot import exp

from headwater.sql.translate.groups.group_keys import has_aggregate
from headwater.sql.translate.scalars.spark_functions import GENERATORS

__all__ = ["is_generator", "lines_of", "with_generator"]


_MORE = ("distinct", "by_name", "order", "limit", "offset", "with_")


def is_generator(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in GENERATORS


def with_generator(join: exp.Expr) -> exp.Expr:
    """The join with the generator that its subquery consists of; itself where it is more than that."""
    query = join.this.this.unnest() if isinstance(join.this.this, exp.Subquery) else None
    if not isinstance(query, exp.Select) or len(query.expressions) != 1 or _clauses(query):
        return join
    item = query.expressions[0]
    call = item.this if isinstance(item, exp.Alias | exp.Aliases) else item
    if not is_generator(call):
        return join
    alias = join.this.args.get("alias")
    names = (alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None) or _names(item)
    table = exp.TableAlias(this=exp.to_identifier(join.this.alias), columns=[name.copy() for name in names])
    lateral = exp.Lateral(this=call.copy(), alias=table)
    lateral.meta.update(join.this.meta)
    made = join.copy()
    made.set("this", lateral)
    return made


def _clauses(query: exp.Select) -> bool:
    """Has it more than a select list?"""
    return any(value for name, value in query.args.items() if name not in ("expressions", "kind"))


def _names(item: exp.Expr) -> list[exp.Expr]:
    if isinstance(item, exp.Aliases):
        return list(item.expressions)
    return [item.args["alias"]] if isinstance(item, exp.Alias) else []


def lines_of(query: exp.Expr) -> tuple[list[list[exp.Expr]], list[str]] | None:
    """The values of a UNION ALL of SELECTs without FROM, line by line, and its columns; None for others."""
    query = query.unnest()
    if isinstance(query, exp.Union) and not any(query.args.get(name) for name in _MORE):
        parts = [lines_of(query.this), lines_of(query.expression)]
        if any(part is None for part in parts):
            return None
        (first, names), (second, _) = (part for part in parts if part is not None)
        return [*first, *second], names
    if not isinstance(query, exp.Select) or _clauses(query) or any(map(_computes, query.expressions)):
        return None
    items = query.expressions
    return [[item.unalias() for item in items]], [item.alias_or_name for item in items]


def _computes(item: exp.Expr) -> bool:
    """Is it more than an expression over a row?"""
    inner = item.find(exp.Star, exp.Query, exp.Window)
    return inner is not None or is_generator(item.unalias()) or has_aggregate(item)

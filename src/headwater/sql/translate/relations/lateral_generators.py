"""LATERAL (SELECT explode(x) AS v) u: a generator of the rows before it, in a SELECT without FROM.

t, LATERAL (SELECT explode(t.xs) AS v) u      t, LATERAL explode(t.xs) AS u(v)
"""

from __future__ import annotations

from sqlglot import exp

from headwater.sql.translate.scalars.spark_functions import GENERATORS

__all__ = ["is_generator", "with_generator"]


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

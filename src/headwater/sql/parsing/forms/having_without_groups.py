"""HAVING without GROUP BY in a subquery: its one row is there if the condition holds.

    EXISTS (SELECT ... FROM t HAVING count(*) > 1)      coalesce((SELECT count(*) > 1 FROM t), FALSE)
    (SELECT avg(v) FROM t HAVING count(*) > 1)          (SELECT CASE WHEN count(*) > 1 THEN avg(v) END FROM t)

Only as a condition or a value: a relation of FROM, and what IN compares with, would still have a row.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["condition_of_one_group"]

_MORE = ("group", "distinct", "qualify", "limit", "offset", "with_", "windows")
_RELATIONS = (
    exp.From,
    exp.Join,
    exp.Lateral,
    exp.In,
    exp.Any,
    exp.All,
    exp.SetOperation,
    exp.CTE,
    exp.Exists,
)


def condition_of_one_group(node: exp.Expr) -> exp.Expr | None:
    match node:
        case exp.Exists() if (query := _one_group(node.this)) is not None:
            condition = query.args["having"].this
            value = exp.Subquery(this=_selecting(query, condition.copy()))
            value.meta.update(node.meta)
            return exp.Anonymous(this="coalesce", expressions=[value, exp.false()])
        case exp.Subquery() if not node.alias and not isinstance(node.parent, _RELATIONS):
            query = _one_group(node.this)
            if query is None or len(query.expressions) != 1 or query.expressions[0].is_star:
                return None
            value = query.expressions[0].unalias().copy()
            kept = exp.Case(ifs=[exp.If(this=query.args["having"].this.copy(), true=value)])
            return exp.Subquery(this=_selecting(query, kept))
        case _:
            return None


def _one_group(query: exp.Expr) -> exp.Select | None:
    """A SELECT that aggregates all its rows and has a condition on the result."""
    query = query.unnest()
    if not isinstance(query, exp.Select) or query.args.get("having") is None:
        return None
    if any(query.args.get(name) for name in _MORE):
        return None
    names = {item.alias.lower() for item in query.expressions if item.alias}
    named = any(
        not column.table and column.name.lower() in names
        for column in query.args["having"].find_all(exp.Column)
    )
    return None if named else query


def _selecting(query: exp.Select, value: exp.Expr) -> exp.Select:
    one = query.copy()
    one.set("having", None)
    one.set("order", None)
    one.set("expressions", [value])
    return one

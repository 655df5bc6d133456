"""Rows made of groups: the groups first, then a generator over them, which has a delta rule.

SELECT k, explode(collect_list(x)) AS v FROM t GROUP BY k
SELECT k, explode(_v1) AS v FROM (SELECT k AS _v0, collect_list(x) AS _v1 FROM t GROUP BY k) AS _groups
"""

from __future__ import annotations

from sqlglot import exp

from headwater.sql.translate.groups.group_keys import has_aggregate
from headwater.sql.translate.relations.lateral_generators import is_generator

__all__ = ["groups_first"]

_MORE = ("distinct", "order", "limit", "offset", "qualify", "windows", "with_", "laterals")


def groups_first(node: exp.Expr) -> exp.Expr | None:
    """The SELECT in two steps; None where it makes no rows of groups, or says more than these."""
    if not isinstance(node, exp.Select) or any(node.args.get(name) for name in _MORE):
        return None
    made = [item for item in node.expressions if is_generator(_value(item))]
    if len(made) != 1 or not (node.args.get("group") or any(map(has_aggregate, node.expressions))):
        return None
    others = [item for item in node.expressions if item is not made[0]]
    if not all(isinstance(item, exp.Alias | exp.Column) and not item.is_star for item in others):
        return None
    kept: list[exp.Expr] = []
    shown = [_over_groups(item, kept, item is made[0]) for item in node.expressions]
    groups = node.copy()
    groups.set("expressions", kept)
    groups.meta.update(node.meta)
    table = exp.Subquery(this=groups, alias=exp.TableAlias(this=exp.to_identifier("_groups")))
    return exp.Select(expressions=shown, from_=exp.From(this=table))


def _over_groups(item: exp.Expr, kept: list[exp.Expr], generator: bool) -> exp.Expr:
    """The item over groups; what these keep for it is added."""

    def column(value: exp.Expr) -> exp.Expr:
        if isinstance(value, exp.Literal):
            return value.copy()
        name = f"_v{len(kept)}"
        kept.append(exp.alias_(value.copy(), name))
        return _placed(exp.column(name), value)

    if not generator:
        return _placed(exp.alias_(column(item.unalias()), item.alias_or_name, quoted=True), item)
    made = item.copy()
    call = _value(made)
    call.set("expressions", [column(value) for value in call.expressions])
    return made


def _value(item: exp.Expr) -> exp.Expr:
    """Without the name, or the names in brackets, that it is given."""
    return item.this if isinstance(item, exp.Alias | exp.Aliases) else item


def _placed(node: exp.Expr, at: exp.Expr) -> exp.Expr:
    node.meta.update(at.meta)
    return node

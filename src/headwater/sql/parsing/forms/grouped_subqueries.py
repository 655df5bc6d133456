"""A scalar subquery beside GROUP BY that names a key: Spark wants it among the keys.

SELECT k, (SELECT max(v) FROM u WHERE u.k = t.k) AS m FROM t GROUP BY k
SELECT k, (SELECT max(v) FROM u WHERE u.k = t.k) AS m FROM t GROUP BY k, 2

It has one value for each group, so the groups stay what they are.  Only the text that Spark runs is written
so: translated, it is a value of the group.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["with_subqueries_as_keys"]

_WHERE_NULL = {"coalesce", "nvl", "ifnull"}
_SETS = ("rollup", "cube", "grouping_sets", "all", "totals")


def with_subqueries_as_keys(node: exp.Expr) -> exp.Expr | None:
    group = node.args.get("group") if isinstance(node, exp.Select) else None
    if group is None or not group.expressions or any(group.args.get(name) for name in _SETS):
        return None
    if any(item.is_star for item in node.expressions):  # places are not known
        return None
    places = [place for place, item in enumerate(node.expressions, start=1) if _is_of_group(item)]
    if not places:
        return None
    grouped = node.copy()
    for place in places:
        grouped.args["group"].append("expressions", exp.Literal.number(place))
    return grouped


def _is_of_group(item: exp.Expr) -> bool:
    """Is it a scalar subquery, or coalesce of one?"""
    bare = item.unalias()
    if isinstance(bare, exp.Anonymous) and bare.name.lower() in _WHERE_NULL and bare.expressions:
        bare = bare.expressions[0]
    return isinstance(bare, exp.Subquery) and isinstance(bare.unnest(), exp.Query)

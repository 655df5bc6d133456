"""GROUP BY (), one group of all rows: Spark says GROUP BY GROUPING SETS (())."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["one_group_of_all"]


def one_group_of_all(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Group) or node.expressions != [exp.Tuple()]:
        return None
    return exp.Group(grouping_sets=[exp.GroupingSets(expressions=[exp.Tuple()])])

"""DISTINCT ON for Spark, which does not have it: the first row of each group, by a window function.

SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, at
SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY k, at) AS n FROM t) WHERE n = 1
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.transforms import eliminate_distinct_on

__all__ = ["first_rows"]


def first_rows(node: exp.Expr) -> exp.Expr | None:
    """A SELECT DISTINCT ON as one over numbered rows."""
    if not _is_distinct_on(node):
        return None
    rewritten = eliminate_distinct_on(node.copy())
    assert isinstance(rewritten, exp.Select)
    for number in list(rewritten.find_all(exp.RowNumber)):  # our dialect knows functions by their names
        number.replace(exp.Anonymous(this="row_number"))
    for name in [name for name in rewritten.selects if isinstance(name, exp.Identifier)]:
        name.replace(exp.column(name.copy()))
    for column in rewritten.selects:
        if isinstance(column, exp.Star):  # it would show the number, too
            column.set("except_", [exp.column("_row_number")])
    return rewritten


def _is_distinct_on(node: exp.Expr) -> bool:
    distinct = node.args.get("distinct")
    return isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None

"""VALUES that name the rows before them, which Spark takes as SELECTs only.

LATERAL (VALUES (t.a), (t.b)) AS v(x)      LATERAL (SELECT t.a AS col1 UNION ALL SELECT t.b) AS v(x)
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["lateral_values"]


def lateral_values(node: exp.Expr) -> exp.Expr | None:
    values = node.this.unnest() if isinstance(node, exp.Lateral) else None
    if not isinstance(values, exp.Values) or not values.expressions:
        return None
    lines = [line.expressions if isinstance(line, exp.Tuple) else [line] for line in values.expressions]
    first, *others = [exp.Select(expressions=[cell.copy() for cell in line]) for line in lines]
    named = (exp.alias_(cell, f"col{at}") for at, cell in enumerate(first.expressions, start=1))
    query: exp.Expr = exp.Select(expressions=list(named))
    for other in others:
        query = exp.Union(this=query, expression=other, distinct=False)
    for part in query.find_all(exp.Union, exp.Select):
        part.meta.update(values.meta)
    made = node.copy()
    made.set("this", exp.Subquery(this=query))
    return made

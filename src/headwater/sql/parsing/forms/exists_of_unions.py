"""EXISTS of a union: there is a row in one part or in another.

    EXISTS (SELECT ... UNION ALL SELECT ...)      (EXISTS (SELECT ...) OR EXISTS (SELECT ...))

Each part may name the query around it in its own way, which a union could not keep by deltas.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["exists_of_parts"]

_MORE = ("limit", "offset", "with_", "by_name")


def exists_of_parts(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Exists):
        return None
    parts = _parts(node.this.unnest())
    if len(parts) < 2:
        return None
    asked = [exp.Exists(this=part.copy()) for part in parts]
    for each in asked:
        each.meta.update(node.meta)
    return exp.Paren(this=exp.or_(*asked, copy=False, wrap=False))


def _parts(query: exp.Expr) -> list[exp.Expr]:
    """The SELECTs of a union, or of unions inside it; the query itself where it is none."""
    if not isinstance(query, exp.Union) or any(query.args.get(name) for name in _MORE):
        return [query]
    return [*_parts(query.this.unnest()), *_parts(query.expression.unnest())]

"""Which columns a SELECT may depend on, from its text alone: for SQL that is not translated.

A name that occurs nowhere in the text cannot be read by it, nor change what another name means; `*` and
NATURAL JOIN read columns that the text does not name.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["named_columns"]


def named_columns(query: exp.Expr) -> frozenset[str] | None:
    """All names in the SELECT, in lower case; None if it may read columns without naming them."""
    if any(not isinstance(star.parent, exp.Count) for star in query.find_all(exp.Star)):
        return None
    if any(join.method.upper() == "NATURAL" for join in query.find_all(exp.Join)):
        return None
    return frozenset(name.name.lower() for name in query.find_all(exp.Identifier))

"""The law of stored expressions: an index or a view holds functions of rows alone.

A parameter has another value in every call, a volatile function in every row: an index on either would have
to be built anew for each call.  Those who propose indexes and views leave such expressions out; here it is
asserted, where indexes and views are made.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.algebra.expressions.facts import is_storable
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Expr
from headwater.errors import InternalError

__all__ = ["require_storable"]


def require_storable(exprs: Iterable[Expr], where: str) -> None:
    """Raise InternalError if one of the expressions differs from call to call."""
    for expr in exprs:
        if not is_storable(expr):
            raise InternalError(
                "HW908", f"{where} would hold {sql_of(expr)}, which differs from call to call"
            )

"""An expression of the algebra together with what is known of its value."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.algebra.expressions.tree import Expr

__all__ = ["Typed"]


@dataclass(frozen=True, slots=True)
class Typed:
    """`type` is Spark's, "" when not known; `nullable` is False only when the value is certainly not NULL."""

    expr: Expr
    type: str = ""
    nullable: bool = True

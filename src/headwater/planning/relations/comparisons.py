"""Filters that compare one column with literals, read as comparisons that can be reasoned about.

    x = 5, 5 = x, x IN (5)     in      (5,)          x <> 5, NOT x IN (5)    not in  (5,)
    x < 5, 5 > x               lt      (5,)          x BETWEEN 1 AND 5       is gte 1 AND lte 5: two of them
    x IS NOT NULL              only that x is there

A comparison with NULL is never true, and a NULL in a list matches nothing; in NOT IN it makes the whole
never true.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call

__all__ = ["Comparison", "plain_conjuncts", "read_comparison"]

_FLIPPED = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte", "eq": "eq", "neq": "neq"}
_LISTS = {"eq": "in", "neq": "not in"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`column operator literals` is true: the column is not NULL then."""

    column: str
    operator: str  # "in", "not in", "lt", "lte", "gt", "gte", "like" or "" (only: not NULL)
    literals: tuple[Literal, ...] = ()
    never: bool = False  # it compares with NULL

    @property
    def values(self) -> tuple[Any, ...]:
        return tuple(literal.value for literal in self.literals)

    @property
    def is_not_null_only(self) -> bool:
        return not self.operator


def plain_conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """a AND b as (a, b), and x BETWEEN a AND b as x >= a, x <= b."""
    match expr:
        case Call("and", (left, right), _):
            return plain_conjuncts(left) + plain_conjuncts(right)
        case Call("between", (value, low, high), _):
            return (call("gte", value, low), call("lte", value, high))
        case Call("paren", (inner,), _):
            return plain_conjuncts(inner)
        case _:
            return (expr,)


def read_comparison(expr: Expr) -> Comparison | None:
    """The comparison that a filter is, if it is one."""
    match expr:
        case Call("paren", (inner,), _):
            return read_comparison(inner)
        case Call("not", (Call("is_null", (Column(name),), _),), _):
            return Comparison(name, "")
        case Call("not", (Call("in", (Column(name), *items), _),), _):
            return _listed(name, "not in", items)
        case Call("in", (Column(name), *items), _):
            return _listed(name, "in", items)
        case Call("like", (Column(name), Literal() as pattern), _):
            return Comparison(name, "like", (pattern,), pattern.value is None)
        case Call(function, (Column(name), Literal() as literal), _) if function in _FLIPPED:
            return _compared(name, function, literal)
        case Call(function, (Literal() as literal, Column(name)), _) if function in _FLIPPED:
            return _compared(name, _FLIPPED[function], literal)
        case _:
            return None


def _compared(name: str, function: str, literal: Literal) -> Comparison:
    return Comparison(name, _LISTS.get(function, function), (literal,), literal.value is None)


def _listed(name: str, operator: str, items: list[Expr]) -> Comparison | None:
    literals = tuple(item for item in items if isinstance(item, Literal))
    if len(literals) < len(items):
        return None
    present = tuple(literal for literal in literals if literal.value is not None)
    never = not present if operator == "in" else len(present) < len(literals)
    return Comparison(name, operator, present, never)

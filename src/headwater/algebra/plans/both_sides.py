"""Two terms of a delta that take back and give rows of one plan, as one: each row is looked at once.

    -old(Filter(M, goes))  +  new(Filter(M, comes))

M holds what a group was and what it is (delta/extremes.py).  A delta plan is a graph, but Spark plans trees:
written as two terms, M and all that it reads would be planned and computed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.algebra.expressions.tree import Expr
from headwater.algebra.plans.nodes import Filter, Negate, Plan, Project

__all__ = ["BothSides", "both_sides"]


@dataclass(frozen=True, slots=True)
class BothSides:
    """Of each row of `merged`: `items` are (name, what is taken back, what is given)."""

    merged: Plan
    goes: Expr
    comes: Expr
    items: tuple[tuple[str, Expr, Expr], ...]


def both_sides(terms: Sequence[Plan]) -> tuple[list[BothSides], list[Plan]]:
    """The pairs among the terms of a union, and the other terms."""
    pairs: list[BothSides] = []
    others = list(terms)
    for back in terms:
        given = next((term for term in others if _pair(back, term) is not None), None)
        if given is not None and back in others:
            pair = _pair(back, given)
            assert pair is not None
            pairs.append(pair)
            others.remove(back)
            others.remove(given)
    return pairs, others


def _pair(back: Plan, given: Plan) -> BothSides | None:
    match back, given:
        case (
            Negate(Project(Filter(merged, goes), old)),
            Project(Filter(same, comes), new),
        ) if merged == same and [name for name, _ in old] == [name for name, _ in new]:
            items = tuple((name, was, now) for (name, was), (_, now) in zip(old, new, strict=True))
            return BothSides(merged, goes, comes, items)
        case _:
            return None

"""Take a condition between two sides apart: keys that must be equal, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from headwater.algebra.expressions.equalities import sides_of
from headwater.algebra.expressions.tree import Expr, columns_of

__all__ = ["Equalities", "equalities"]


@dataclass(frozen=True, slots=True)
class Equalities:
    """`keys` are pairs (left, right); `left` and `right` conditions name one side only; `rest` both."""

    keys: tuple[tuple[Expr, Expr], ...]
    left: tuple[Expr, ...]
    right: tuple[Expr, ...]
    rest: tuple[Expr, ...]


def equalities(conditions: Iterable[Expr], left: Set[str], right: Set[str]) -> Equalities:
    """Sort conditions by the sides they name; a constant condition counts as `rest`."""
    keys: list[tuple[Expr, Expr]] = []
    sides: dict[str, list[Expr]] = {"left": [], "right": [], "rest": []}
    for condition in conditions:
        pair = sides_of(condition, left, right)
        if pair is not None:
            keys.append(pair)
            continue
        used = columns_of(condition)
        side = "rest" if not used else "left" if used <= left else "right" if used <= right else "rest"
        sides[side].append(condition)
    return Equalities(tuple(keys), tuple(sides["left"]), tuple(sides["right"]), tuple(sides["rest"]))

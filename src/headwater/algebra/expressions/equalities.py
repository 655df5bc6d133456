"""What conditions make equal: the two sides of an equality, and classes of all that is equal.

    sides_of(a.x = b.y, columns of a, columns of b)      (a.x, b.y), whichever way round it is written
    equality_classes((a.x, b.y), (b.y, c.z))             one class {a.x, b.y, c.z}

Joins hash by such sides, the order of a join follows them, and translation makes keys of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Set
from typing import TypeVar

from headwater.algebra.expressions.tree import Call, Expr, columns_of

__all__ = ["equality_classes", "sides_of"]

Member = TypeVar("Member", bound=Hashable)


def sides_of(condition: Expr, left: Set[str], right: Set[str]) -> tuple[Expr, Expr] | None:
    """An equality between two sets of columns as (expression over left, expression over right)."""
    match condition:
        case Call("eq", (first, second)):
            for near, far in ((first, second), (second, first)):
                if _is_over(near, left) and _is_over(far, right):
                    return near, far
    return None


def _is_over(expr: Expr, columns: Set[str]) -> bool:
    used = columns_of(expr)
    return bool(used) and used <= columns


def equality_classes(pairs: Iterable[tuple[Member, Member]]) -> list[tuple[Member, ...]]:
    """The classes that the pairs make transitively, members in the order in which they came together."""
    classes: list[tuple[Member, ...]] = []
    for pair in pairs:
        joined = [members for members in classes if not set(pair).isdisjoint(members)]
        merged = dict.fromkeys((*(member for members in joined for member in members), *pair))
        classes = [members for members in classes if members not in joined] + [tuple(merged)]
    return classes

"""Equality classes: which expressions a conjunction makes equal, transitively.

    a.x = b.y AND b.y = :p      one class {a.x, b.y, :p}

A member without columns (a parameter, a literal) is a value of its class; two values in one class become a
check before the plan starts.  TOKEN(col) = word is membership, not equality, and stays out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from headwater.scale.expr import Expr, Fn, aliases_of, call, has_aggregate, has_subquery, walk

__all__ = ["Classes", "equality", "is_volatile"]


@lru_cache(maxsize=1 << 16)
def is_volatile(expr: Expr) -> bool:
    return any(isinstance(part, Fn) and part.volatile for part in walk(expr))


@lru_cache(maxsize=1 << 16)
def equality(condition: Expr) -> tuple[Expr, Expr] | None:
    """The two sides of a condition that makes them equal."""
    match condition:
        case Fn("eq", (Fn("token"), _)) | Fn("eq", (_, Fn("token"))):
            return None
        case Fn("eq", (left, right)) if not (
            has_subquery(condition) or has_aggregate(condition) or is_volatile(condition)
        ):
            return left, right
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Classes:
    groups: tuple[tuple[Expr, ...], ...]

    @staticmethod
    def of(conditions: Iterable[Expr]) -> Classes:
        groups: list[list[Expr]] = []
        for condition in conditions:
            sides = equality(condition)
            if sides is None:
                continue
            touched = [group for group in groups if any(side in group for side in sides)]
            merged = list(dict.fromkeys([one for group in touched for one in group] + list(sides)))
            groups = [group for group in groups if group not in touched] + [merged]
        return Classes(tuple(tuple(group) for group in groups))

    def of_member(self, expr: Expr) -> tuple[Expr, ...]:
        return next((group for group in self.groups if expr in group), (expr,))

    def same(self, left: Expr, right: Expr) -> bool:
        return left == right or right in self.of_member(left)

    def value(self, group: tuple[Expr, ...], given: frozenset[str]) -> Expr | None:
        """What the class equals, as far as `given` aliases tell: a constant first, then a column."""
        known = [member for member in group if aliases_of(member) <= given]
        return min(known, key=lambda member: len(aliases_of(member)), default=None)

    def value_of(self, expr: Expr, given: frozenset[str]) -> Expr | None:
        return self.value(self.of_member(expr), given)

    def checks(self, given: frozenset[str]) -> tuple[Expr, ...]:
        """Members known before the first read must agree."""
        found: list[Expr] = []
        for group in self.groups:
            values = sorted(
                (one for one in group if aliases_of(one) <= given), key=lambda one: len(aliases_of(one))
            )
            found += [call("eq", values[0], other) for other in values[1:]]
        return tuple(found)

    def newly(self, group: tuple[Expr, ...], given: frozenset[str], alias: str) -> tuple[Expr, ...]:
        """Members that can be computed once `alias` is read, and not before."""
        after = given | {alias}
        return tuple(one for one in group if aliases_of(one) <= after and not aliases_of(one) <= given)

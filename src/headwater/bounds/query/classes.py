"""Equality classes of a query: which expressions a conjunction makes equal, transitively.

    a.x = b.y AND b.y = :p      one class {a.x, b.y, :p}

A member without columns (a parameter, a literal) is a value of its class; two values in one class become a
check before the plan starts.  TOKEN(col) = word is membership, not equality, and stays out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from headwater.algebra.expressions.equalities import equality_classes
from headwater.algebra.expressions.facts import aliases_of, has_aggregate, has_subquery, is_volatile
from headwater.algebra.expressions.tree import Call, Column, Expr, call

__all__ = ["Classes", "equality"]

Class = tuple[Expr, ...]


@lru_cache(maxsize=1 << 16)
def equality(condition: Expr) -> tuple[Expr, Expr] | None:
    """The two sides of a condition that makes them equal."""
    match condition:
        case Call("eq", (Call("token"), _)) | Call("eq", (_, Call("token"))):
            return None
        case Call("eq", (left, right)) if not (
            has_subquery(condition) or has_aggregate(condition) or is_volatile(condition)
        ):
            return left, right
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Classes:
    groups: tuple[Class, ...]

    @staticmethod
    def of(conditions: Iterable[Expr]) -> Classes:
        sides = (equality(condition) for condition in conditions)
        return Classes(tuple(equality_classes(pair for pair in sides if pair is not None)))

    def of_member(self, expr: Expr) -> Class:
        return next((group for group in self.groups if expr in group), (expr,))

    def member_of(self, alias: str, expr: Expr) -> Column | None:
        """A column of `alias` that equals the expression."""
        members = self.of_member(expr)
        return next(
            (member for member in members if isinstance(member, Column) and member.alias == alias), None
        )

    def value(self, group: Class, given: frozenset[str]) -> Expr | None:
        """What the class equals, as far as `given` aliases tell: a constant first, then a column."""
        return next(iter(_values(group, given)), None)

    def value_of(self, expr: Expr, given: frozenset[str]) -> Expr | None:
        return self.value(self.of_member(expr), given)

    def checks(self, given: frozenset[str]) -> tuple[Expr, ...]:
        """Members whose values are known before the first read must agree."""
        checks: list[Expr] = []
        for group in self.groups:
            values = _values(group, given)
            checks += [call("eq", values[0], other) for other in values[1:]]
        return tuple(checks)

    def newly(self, group: Class, given: frozenset[str], alias: str) -> tuple[Expr, ...]:
        """Members that can be computed once `alias` is read, and not before."""
        after = given | {alias}
        return tuple(
            member for member in group if aliases_of(member) <= after and not aliases_of(member) <= given
        )


def _values(group: Class, given: frozenset[str]) -> list[Expr]:
    """The members that `given` aliases determine, those that need the fewest of them first."""
    determined = [member for member in group if aliases_of(member) <= given]
    return sorted(determined, key=lambda member: len(aliases_of(member)))

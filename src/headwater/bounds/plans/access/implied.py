"""Does one condition follow from others?  What a partial unique index asks of the rows that are read.

    amount > 100          amount > 0, amount <> 5, amount IS NOT NULL
    state = 11            state >= 11, state <> 12
    kind = 'x'            kind IN ('x', 'y')

Orders of numbers only: that of texts depends on their collation.
"""

from __future__ import annotations

from collections.abc import Collection

from headwater.algebra.expressions.tree import Call, Expr, Literal

__all__ = ["follows"]

_COMPARISONS = {"eq", "neq", "lt", "lte", "gt", "gte", "like"}
_Bound = tuple[Expr, str, float]  # a term, how it is compared, and with which number


def follows(condition: Expr, given: Collection[Expr]) -> bool:
    """Is the condition true for all rows for which the given ones are?  Whatever is compared is not NULL."""
    if condition in given:
        return True
    if isinstance(condition, Call) and condition.function == "not_null":
        return any(_compares(other, condition.arguments[0]) for other in given)
    if any(_is_among(other, condition) for other in given):
        return True
    wanted = _bound(condition)
    known = [bound for other in given if (bound := _bound(other)) is not None]
    return wanted is not None and any(_within(bound, wanted) for bound in known)


def _is_among(given: Expr, wanted: Expr) -> bool:
    """Do all values that one list of constants allows stand in the other?"""
    (term, has), (other, wants) = _listed(given), _listed(wanted)
    return term is not None and term == other and has <= wants


def _listed(condition: Expr) -> tuple[Expr | None, frozenset[Expr]]:
    """x = 1 and x IN (1, 2) as the term and its constants."""
    match condition:
        case Call("eq" | "in", (term, *values)) if all(
            isinstance(value, Literal) and value.value is not None for value in values
        ):
            return term, frozenset(values)
        case _:
            return None, frozenset()


def _compares(condition: Expr, term: Expr) -> bool:
    return (
        isinstance(condition, Call) and condition.function in _COMPARISONS and term in condition.arguments[:2]
    )


def _bound(condition: Expr) -> _Bound | None:
    match condition:
        case Call(operator, (term, Literal(value))) if operator in _COMPARISONS:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return term, operator, value
            return None
        case _:
            return None


def _within(given: _Bound, wanted: _Bound) -> bool:
    """Do all numbers that one comparison lets through pass the other one too?"""
    (term, has, number), (other, wants, limit) = given, wanted
    if term != other:
        return False
    match wants:
        case "gt":
            return (has in ("eq", "gte") and number > limit) or (has == "gt" and number >= limit)
        case "gte":
            return has in ("eq", "gte", "gt") and number >= limit
        case "lt":
            return (has in ("eq", "lte") and number < limit) or (has == "lt" and number <= limit)
        case "lte":
            return has in ("eq", "lte", "lt") and number <= limit
        case "neq":
            above = _within(given, (term, "gt", limit))
            return above or _within(given, (term, "lt", limit))
        case _:
            return False

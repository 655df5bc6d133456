"""Does one relation contain another?  Then the smaller one's delta is the larger one's, filtered once more.

    tweets[likes > 10] * users   is part of   tweets[likes > 3] * users      residual: likes > 10

Both must join the same inputs on the same equal columns; the smaller one may filter more.  A relation keeps
the rows for which its filters are true (not false, not NULL), so A contains B when whatever makes all
filters of B true makes each filter of A true.  That is proved one filter of A at a time, from what B says of
the same column:

    x = 5, x IN (4, 5)      which values x may have                     proves x > 3, x <> 9, x IN (4, 5, 6)
    x > 3, x BETWEEN 4 AND 9    between which values x lies             proves x > 2, x <> 3
    x <> 3                  which value it has not                      with x >= 3 it proves x > 3
    any of them             x is not NULL, because NULL makes them NULL proves x IS NOT NULL

Anything else (LIKE, functions, two columns) is proved by an equal filter only.

Invariant: no false proof, whatever the type of the column.  The types are not known here, so literals are
ordered only where every type that Spark could compare them in orders them alike: whole and decimal numbers of
up to 15 digits (a double still tells those apart), doubles among themselves, dates, timestamps.  Strings
are only equal or not known to be: x < '9' and x < '10' mean one thing for a text and another for a number.

Cost: filters of A times filters of B on the same column.  Doubt: whole numbers are dense here, so x > 3
does not prove x >= 4; a column with a collation that ignores case would need its strings compared by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from headwater.algebra.expressions.tree import Call, Expr, Literal
from headwater.planning.relations.comparisons import Comparison, plain_conjuncts, read_comparison
from headwater.planning.relations.relations import Relation

__all__ = ["contains", "implies", "residual"]


def contains(whole: Relation, part: Relation) -> bool:
    return whole is part or residual(part, whole) is not None


@lru_cache(maxsize=100_000)
def residual(part: Relation, whole: Relation) -> tuple[Expr, ...] | None:
    """What to filter `whole` by to get `part`: () if they are the same, None if it does not contain it."""
    if part == whole:
        return ()
    if not _is_same_join(part, whole):
        return None
    not_null = frozenset(column for group in part.equal for column in group)
    narrow, wide = _filters(part), _filters(whole)
    if not all(implies(narrow, condition, not_null) for condition in wide):
        return None
    return tuple(condition for condition in narrow if not implies(wide, condition, not_null))


def _is_same_join(part: Relation, whole: Relation) -> bool:
    """Same inputs and equalities; a view's tail is the view's own."""
    return (
        not part.view
        and not whole.view
        and part.equal == whole.equal
        and _occurrences(part) == _occurrences(whole)
    )


def _occurrences(relation: Relation) -> list[tuple[str, str]]:
    return [(input.name, input.relation) for input in relation.inputs]


def _filters(relation: Relation) -> tuple[Expr, ...]:
    of_inputs = (condition for input in relation.inputs for condition in input.filters)
    return _plain((*of_inputs, *relation.conditions))


def _plain(conditions: Iterable[Expr]) -> tuple[Expr, ...]:
    return tuple(conjunct for condition in conditions for conjunct in plain_conjuncts(condition))


def implies(given: Sequence[Expr], wanted: Expr, not_null: frozenset[str] = frozenset()) -> bool:
    """Whether `wanted` is true of every row of which all of `given` are true."""
    if wanted in given:
        return True
    given = _plain(given)
    return all(_implies(given, conjunct, not_null) for conjunct in plain_conjuncts(wanted))


def _implies(given: Sequence[Expr], wanted: Expr, not_null: frozenset[str]) -> bool:
    if wanted in given:
        return True
    if isinstance(wanted, Call) and wanted.function == "or":
        return any(implies(given, alternative, not_null) for alternative in wanted.arguments)
    goal = read_comparison(wanted)
    tests = [test for condition in given if (test := read_comparison(condition)) is not None]
    if any(test.never for test in tests):
        return True  # no row at all
    if goal is None:
        return False
    of_column = [test for test in tests if test.column == goal.column]
    if goal.is_not_null_only:
        return bool(of_column) or goal.column in not_null
    return _prove(of_column, goal)


def _prove(tests: Sequence[Comparison], goal: Comparison) -> bool:
    kind = _kind_of_all(goal.literals)
    if kind is None or goal.never or goal.operator == "like":
        return goal in tests
    usable = [test for test in tests if test.operator != "like" and _kind_of_all(test.literals) == kind]
    if kind == "opaque":
        return _prove_opaque(usable, goal)
    listed = [test for test in usable if test.operator == "in"]
    if listed:
        possible = [value for value in listed[0].values if all(_holds(test, value) for test in usable)]
        return all(_holds(goal, value) for value in possible)
    return _prove_by_bounds(usable, goal)


def _prove_opaque(tests: Sequence[Comparison], goal: Comparison) -> bool:
    """Literals that are only known to be equal when they are written alike."""
    values = set(goal.values)
    match goal.operator:
        case "in":
            return any(test.operator == "in" and set(test.values) <= values for test in tests)
        case "not in":
            return values <= _excluded(tests)
        case _:
            return goal in tests


def _excluded(tests: Sequence[Comparison]) -> set[Any]:
    return {value for test in tests if test.operator == "not in" for value in test.values}


def _prove_by_bounds(tests: Sequence[Comparison], goal: Comparison) -> bool:
    excluded = _excluded(tests)
    bounds = [_Bound(test.operator, test.values[0], excluded) for test in tests if test.operator in _BOUNDS]
    match goal.operator:
        case "not in":
            return all(
                value in excluded or any(bound.rules_out(value) for bound in bounds) for value in goal.values
            )
        case "in":
            low = {bound.at for bound in bounds if bound.operator == "gte"}
            high = {bound.at for bound in bounds if bound.operator == "lte"}
            return any(value in low and value in high for value in goal.values)
        case _:
            return any(bound.proves(goal.operator, goal.values[0]) for bound in bounds)


_BOUNDS = ("lt", "lte", "gt", "gte")


class _Bound:
    """x below or above a value; with the value itself excluded, strictly."""

    __slots__ = ("at", "operator")

    def __init__(self, operator: str, at: Any, excluded: set[Any]) -> None:
        self.at = at
        self.operator = {"lte": "lt", "gte": "gt"}.get(operator, operator) if at in excluded else operator

    def rules_out(self, value: Any) -> bool:
        match self.operator:
            case "lt":
                return bool(value >= self.at)
            case "lte":
                return bool(value > self.at)
            case "gt":
                return bool(value <= self.at)
            case _:
                return bool(value < self.at)

    def proves(self, operator: str, value: Any) -> bool:
        match operator:
            case "lt":
                return (
                    self.operator == "lt" and self.at <= value or self.operator == "lte" and self.at < value
                )
            case "lte":
                return self.operator in ("lt", "lte") and bool(self.at <= value)
            case "gt":
                return (
                    self.operator == "gt" and self.at >= value or self.operator == "gte" and self.at > value
                )
            case _:
                return self.operator in ("gt", "gte") and bool(self.at >= value)


def _holds(test: Comparison, value: Any) -> bool:
    match test.operator:
        case "in":
            return value in test.values
        case "not in":
            return value not in test.values
        case _:
            return not _Bound(test.operator, test.values[0], set()).rules_out(value)


def _kind_of_all(literals: Sequence[Literal]) -> str | None:
    """In what order the literals stand: None if not all in the same one."""
    kinds = {_kind(literal.value) for literal in literals}
    return kinds.pop() if len(kinds) == 1 else None


def _kind(value: object) -> str:
    match value:
        case bool() | str():
            return "opaque"
        case int() | Decimal() if _is_short(Decimal(value)):
            return "number"
        case float() if value == value:
            return "double"
        case datetime():
            return f"timestamp {value.tzinfo}"
        case date():
            return "date"
        case _:
            return "opaque"


def _is_short(number: Decimal) -> bool:
    _, digits, exponent = number.as_tuple()
    return len(digits) <= 15 and isinstance(exponent, int) and abs(exponent) <= 30

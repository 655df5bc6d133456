"""For which rows an expression fails: a condition for each call in it that can.

    100 / v                              v = 0
    v <> 0 AND 100 / v > 3               none: where v <> 0 is false, AND does not ask further
    CASE WHEN v <> 0 THEN 100 / v END    none, alike
    CAST(s AS INT) / v                   s IS NOT NULL AND try_cast(s AS INT) IS NULL;  v = 0

The conditions do not fail themselves: they use the try_ forms of what they ask about.  Calls without such a
form are passed over, so an expression may fail for rows that no condition holds for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headwater.algebra.expressions.build import FALSE, TRUE, ZERO
from headwater.algebra.expressions.functions import plain
from headwater.algebra.expressions.tree import Call, Expr, call, conjunction, equal, slots, transform

__all__ = ["Failing", "failing_calls"]


@dataclass(frozen=True, slots=True)
class Failing:
    """A call inside an expression, and the condition under which it is asked for and fails."""

    call: Call
    condition: Expr


_TRY = {
    "div": "try_divide", "mod": "try_mod", "add": "try_add", "sub": "try_subtract", "mul": "try_multiply",
    "elementat": "try_element_at", "tonumber": "try_to_number", "totimestamp": "try_to_timestamp",
    "todate": "try_to_date", "parsejson": "try_parse_json", "parseurl": "try_parse_url",
}  # fmt: skip
_DIVISIONS = {"div", "mod", "intdiv", "pmod"}


def failing_calls(expr: Expr) -> Iterator[Failing]:
    """The calls in an expression that fail for some rows, inner ones first."""
    return _failing(expr, ())


def _failing(expr: Expr, path: tuple[Expr, ...]) -> Iterator[Failing]:
    """`path`: what holds where the expression is asked for at all."""
    if not isinstance(expr, Call):
        return
    for argument, reached in _reached(expr):
        yield from _failing(argument, (*path, *reached))
    own = _fails(expr)
    if own is not None:
        condition = conjunction((*path, *own))
        assert condition is not None
        yield Failing(expr, condition)


def _fails(expr: Call) -> tuple[Expr, ...] | None:
    """When the call itself fails, given its arguments; None if it does not, or that is not known."""
    function = plain(expr.function)
    arguments = tuple(map(tried, expr.arguments))
    present = tuple(call("not_null", argument) for argument in arguments)
    if function in _DIVISIONS:
        return (present[0], equal(arguments[-1], ZERO))
    attempt = _attempt(expr, arguments)
    return None if attempt is None else (*present, call("is_null", attempt))


def _attempt(expr: Call, arguments: tuple[Expr, ...]) -> Expr | None:
    """The call in the form that is NULL where it would fail."""
    function = plain(expr.function)
    if function == "cast":
        return Call(
            "try_cast", arguments, re.sub(r"^CAST\(", "try_cast(", expr.template, flags=re.IGNORECASE)
        )
    if function in ("neg", "abs"):
        return call("try_subtract", ZERO, *arguments)
    name = _TRY.get(function)
    return None if name is None else Call(name, arguments, f"{name}({slots(len(arguments))})")


def tried(expr: Expr) -> Expr:
    """The expression, NULL instead of failing as far as its calls have such a form."""

    def step(part: Expr) -> Expr:
        if not isinstance(part, Call):
            return part
        if plain(part.function) in ("intdiv", "pmod"):
            divisor = Call("nullif", (part.arguments[1], ZERO), "nullif({0}, {1})")
            return Call(part.function, (part.arguments[0], divisor), part.template)
        attempt = _attempt(part, part.arguments)
        negated = plain(part.function) in ("neg", "abs")
        return part if attempt is None or negated else attempt

    return transform(expr, step)


def _reached(expr: Call) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """The arguments, each with what holds where it is asked for."""
    form = _FORMS.get(plain(expr.function))
    if form is None:
        return ((argument, ()) for argument in expr.arguments)
    return form(expr)


def _and(expr: Call) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    return _in_turn(expr.arguments, lambda before: call("coalesce", before, TRUE))


def _or(expr: Call) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    return _in_turn(expr.arguments, _untrue)


def _coalesce(expr: Call) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    return _in_turn(expr.arguments, lambda before: call("is_null", before))


def _in_turn(
    arguments: tuple[Expr, ...], goes_on: Callable[[Expr], Expr]
) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    passed: tuple[Expr, ...] = ()
    for argument in arguments:
        yield argument, passed
        passed = (*passed, goes_on(tried(argument)))


def _case(expr: Call) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    arguments = expr.arguments
    passed: tuple[Expr, ...] = ()
    subject: Expr | None = None
    if re.match(r"\s*CASE\s+\{0\}", expr.template, re.IGNORECASE):
        subject, arguments = arguments[0], arguments[1:]
        yield subject, ()
    otherwise = arguments[-1:] if len(arguments) % 2 else ()
    for test, result in zip(
        arguments[0 : len(arguments) - len(otherwise) : 2], arguments[1::2], strict=False
    ):
        yield test, passed
        holds = tried(test) if subject is None else equal(tried(subject), tried(test))
        yield result, (*passed, holds)
        passed = (*passed, _untrue(holds))
    yield from ((argument, passed) for argument in otherwise)


def _untrue(expr: Expr) -> Expr:
    return call("not", call("coalesce", expr, FALSE))


_FORMS: dict[str, Callable[[Call], Iterator[tuple[Expr, tuple[Expr, ...]]]]] = {
    "and": _and,
    "or": _or,
    "case": _case,
    "if": _case,
    "coalesce": _coalesce,
    "ifnull": _coalesce,
    "nvl": _coalesce,
}

"""What scalar functions mean, in plain Python: the evaluator's half of a Call.

A strict function gets no NULL: if any argument is NULL, so is the result.  The few that look at NULL
themselves (AND, OR, CASE, COALESCE, ...) are special forms in forms.py.  Names are those of translation,
written here without underscores.  A function that is missing here can still stand in a view and run on
Spark; only the evaluator cannot follow it, and says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from headwater.algebra.expressions.matching import matches_like, one_word, words
from headwater.algebra.expressions.values import Months, Value, as_text, compare, same
from headwater.errors import InputError

__all__ = ["LENIENT", "STRICT", "plain"]


def plain(name: str) -> str:
    """The name under which a function is known here."""
    return name.replace("_", "").lower()


def _numbers(operation: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    """Exact with exact numbers; a float on either side makes both floats."""

    def apply(left: Value, right: Value) -> Value:
        if isinstance(left, float) and isinstance(right, Decimal):
            right = float(right)
        elif isinstance(right, float) and isinstance(left, Decimal):
            left = float(left)
        return operation(left, right)

    return apply


def _moved(operation: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    """Sums and differences: a date moved by hours is an instant, as in Spark; a number moves it by days."""

    def apply(left: Value, right: Value) -> Value:
        times = isinstance(left, date) and isinstance(right, date)
        if times and (isinstance(left, datetime) or isinstance(right, datetime)):
            left, right = _instant(left), _instant(right)
        elif type(left) is date and isinstance(right, timedelta) and right % timedelta(days=1):
            left = datetime(left.year, left.month, left.day)
        elif type(left) is date and type(right) is int:
            right = timedelta(days=right)
        return operation(left, right)

    return _numbers(apply)


def _instant(value: date) -> datetime:
    """A date as its midnight; a time without a zone is one of UTC."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)


def _divide(left: Value, right: Value) -> Value:
    if right == 0:
        raise InputError("HW912", "division by zero", hint="Use nullif(x, 0) or try_divide.")
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        if isinstance(left, float) or isinstance(right, float):
            return float(left) / float(right)
        return Decimal(left) / Decimal(right)
    return left / right


def _modulo(left: Value, right: Value) -> Value:
    """The remainder has the sign of the dividend, as in Spark."""
    if right == 0:
        raise InputError("HW912", "division by zero", hint="Use nullif(x, 0).")
    if isinstance(left, int) and isinstance(right, int):
        rest = abs(left) % abs(right)
        return -rest if left < 0 else rest
    return left % right if isinstance(left, Decimal) else math.fmod(left, right)


def _integer_divide(left: Value, right: Value) -> Value:
    if right == 0:
        raise InputError("HW912", "division by zero", hint="Use nullif(x, 0).")
    quotient = abs(int(left)) // abs(int(right)) if isinstance(left, int) else int(abs(left) / abs(right))
    return quotient if (left < 0) == (right < 0) else -quotient


def _null_for_zero(divide: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    """A division that is NULL, not an error, when the divisor is zero."""
    return lambda left, right: None if right == 0 else divide(left, right)


def _round(value: Value, digits: int = 0) -> Value:
    """Half away from zero; a float is rounded by its shortest decimal text, as Spark does."""
    if isinstance(value, int):
        if digits >= 0:
            return value
        return int(Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding="ROUND_HALF_UP"))
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    if not exact.is_finite():
        return value
    result = exact.quantize(Decimal(1).scaleb(-digits), rounding="ROUND_HALF_UP")
    return float(result) if isinstance(value, float) else result


def _substring(text: str, start: int, length: int | None = None) -> str:
    """Positions count from one, zero means one, a negative one counts from the end."""
    begin = start - 1 if start > 0 else 0 if start == 0 else len(text) + start
    end = len(text) if length is None else begin + length
    return text[max(begin, 0) : max(end, 0)]


def _truncate(unit: str, value: Value) -> datetime:
    """date_trunc(unit, timestamp)."""
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    match unit.lower():
        case "year" | "yyyy" | "yy":
            return midnight.replace(month=1, day=1)
        case "quarter":
            return midnight.replace(month=(moment.month - 1) // 3 * 3 + 1, day=1)
        case "month" | "mon" | "mm":
            return midnight.replace(day=1)
        case "week":
            return midnight - timedelta(days=moment.weekday())
        case "day" | "dd":
            return midnight
        case "hour":
            return moment.replace(minute=0, second=0, microsecond=0)
        case "minute":
            return moment.replace(second=0, microsecond=0)
        case "second":
            return moment.replace(microsecond=0)
        case _:
            raise InputError("HW913", f'date_trunc: unknown unit "{unit}"')


def _fragment(value: Value, *classes: int) -> datetime:
    """The latest edge at or before a time; edges are pairs of a residue and a modulus, in microseconds."""
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    since = moment - datetime(1970, 1, 1, tzinfo=moment.tzinfo)
    at = since // timedelta(microseconds=1)
    back = min((at - residue) % modulus for residue, modulus in zip(classes[::2], classes[1::2], strict=True))
    return moment - timedelta(microseconds=back)


def _epoch(value: Value, size: int) -> Value:
    """The start of the epoch of so many microseconds that a time falls into, as an instant.

    A time without a zone is UTC's, so that it can be compared with the moment.
    """
    start = _fragment(value, 0, size)
    return start if start.tzinfo is not None else start.replace(tzinfo=UTC)


def _as_date(value: Value) -> date:
    return value.date() if isinstance(value, datetime) else value


def _concat(*parts: Value) -> str:
    return "".join(part if isinstance(part, str) else str(part) for part in parts)


def _field(part: str) -> Callable[[Value], int]:
    return lambda value: getattr(value, part, 0)


def _raise(message: str) -> Value:
    raise InputError("HW918", message)


STRICT: dict[str, Callable[..., Value]] = {
    "eq": same,
    "neq": lambda a, b: not same(a, b),
    "lt": lambda a, b: compare(a, b) < 0,
    "lte": lambda a, b: compare(a, b) <= 0,
    "gt": lambda a, b: compare(a, b) > 0,
    "gte": lambda a, b: compare(a, b) >= 0,
    "not": lambda a: not a,
    "add": _moved(lambda a, b: a + b),
    "sub": _moved(lambda a, b: a - b),
    "mul": _numbers(lambda a, b: a * b),
    "tryadd": _numbers(lambda a, b: a + b),  # numbers do not overflow here
    "trysubtract": _numbers(lambda a, b: a - b),
    "trymultiply": _numbers(lambda a, b: a * b),
    "div": _divide,
    "mod": _modulo,
    "intdiv": _integer_divide,
    "trydivide": _null_for_zero(_divide),
    "trymod": _null_for_zero(_modulo),
    "raiseerror": _raise,
    "arrayrepeat": lambda value, count: (value,) * max(count, 0),
    "neg": lambda a: -a,
    "abs": abs,
    "sign": lambda a: float((a > 0) - (a < 0)),
    "round": _round,
    "floor": lambda a: math.floor(a),
    "ceil": lambda a: math.ceil(a),
    "ceiling": lambda a: math.ceil(a),
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
    "exp": lambda a: math.exp(a),
    "pow": lambda a, b: float(a) ** float(b),
    "power": lambda a, b: float(a) ** float(b),
    "like": matches_like,
    "ilike": lambda text, pattern, *escape: matches_like(text.lower(), pattern.lower(), *escape),
    "token": words,
    "one_word": one_word,
    "rlike": lambda text, pattern: re.search(pattern, text) is not None,
    "regexplike": lambda text, pattern: re.search(pattern, text) is not None,
    "startswith": lambda text, prefix: text.startswith(prefix),
    "endswith": lambda text, suffix: text.endswith(suffix),
    "contains": lambda text, part: part in text,
    "upper": lambda text: as_text(text).upper(),
    "lower": lambda text: as_text(text).lower(),
    "length": lambda text: len(as_text(text)),
    "trim": lambda text: text.strip(" "),
    "ltrim": lambda text: text.lstrip(" "),
    "rtrim": lambda text: text.rstrip(" "),
    "reverse": lambda text: text[::-1],
    "replace": lambda text, old, new="": text.replace(old, new) if old else text,
    "concat": _concat,
    "dpipe": _concat,
    "safeconcat": _concat,
    "safedpipe": _concat,
    "substring": _substring,
    "substr": _substring,
    "left": lambda text, count: text[: max(count, 0)],
    "right": lambda text, count: text[-count:] if count > 0 else "",
    "year": _field("year"),
    "month": _field("month"),
    "day": _field("day"),
    "dayofmonth": _field("day"),
    "hour": _field("hour"),
    "minute": _field("minute"),
    "second": _field("second"),
    "quarter": lambda value: (value.month - 1) // 3 + 1,
    "dayofweek": lambda value: value.isoweekday() % 7 + 1,
    "date": _as_date,
    "todate": _as_date,
    "datetrunc": _truncate,
    "timestamptrunc": _truncate,
    "fragment": _fragment,
    "epoch": _epoch,
    "datediff": lambda end, start: (_as_date(end) - _as_date(start)).days,
    "dateadd": lambda start, days: _as_date(start) + timedelta(days=days),
    "datesub": lambda start, days: _as_date(start) - timedelta(days=days),
}

_UNITS = {"microsecond": 1, "millisecond": 10**3, "second": 10**6, "minute": 60 * 10**6, "hour": 3600 * 10**6,
          "day": 86400 * 10**6, "week": 7 * 86400 * 10**6}  # fmt: skip
STRICT |= {
    f"{name}{unit}": lambda count, moment, length=length: moment + timedelta(microseconds=count * length)
    for name in ("timestampadd", "dateadd")
    for unit, length in _UNITS.items()
}
STRICT["addmonths"] = lambda start, months: _as_date(start) + Months(months)

# As Spark computes without ANSI mode: what would be an error is NULL.
LENIENT: dict[str, Callable[..., Value]] = {
    **STRICT,
    "div": STRICT["trydivide"],
    "mod": STRICT["trymod"],
    "intdiv": _null_for_zero(_integer_divide),
}

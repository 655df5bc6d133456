"""Values as SQLite holds them, each telling its own type: what comes back is what went in.

Integers, floats and texts are SQLite's own.  What it has no type for is a blob whose first byte says what it
is.  A stored value does not depend on the declared type of its column, because the columns of a view that was
derived from a query have none that one could rely on.

A sum of floats is kept exactly (`ExactSum`): adding and taking away in any order leaves no trace of rounding,
and its value is the float nearest to the true sum.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from headwater.errors import InternalError

__all__ = [
    "ExactSum",
    "added",
    "as_bytes",
    "as_bytes_column",
    "from_stored",
    "stored",
    "stored_column",
    "typed",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOCAL_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_WIDE = Context(prec=200)
_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1
_TEXTS = {str, type(None)}


class ExactSum(float):
    """A float that remembers the exact sum it was rounded from, and how many infinities and NaNs went in."""

    exact: Fraction
    specials: tuple[int, int, int]  # NaN, +Infinity, -Infinity

    @staticmethod
    def of(exact: Fraction, specials: tuple[int, int, int] = (0, 0, 0)) -> ExactSum:
        nans, above, below = specials
        if nans or (above and below):
            value = math.nan
        elif above or below:
            value = math.inf if above else -math.inf
        else:
            value = _nearest(exact)
        whole = ExactSum(value)
        whole.exact, whole.specials = exact, specials
        return whole


def _nearest(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _exactly(value: Any) -> tuple[Fraction, tuple[int, int, int]]:
    if isinstance(value, ExactSum):
        return value.exact, value.specials
    if isinstance(value, float) and not math.isfinite(value):
        return Fraction(0), (int(math.isnan(value)), int(value == math.inf), int(value == -math.inf))
    return Fraction(value), (0, 0, 0)


def added(before: Any, change: Any, sign: int) -> Any:
    """A running sum with a value added (+1) or taken away (-1), exactly; NULL adds nothing."""
    if change is None:
        return before
    if isinstance(before, float) or isinstance(change, float):
        (left, ours), (right, theirs) = _exactly(before or 0), _exactly(change)
        nans, above, below = (mine + sign * other for mine, other in zip(ours, theirs, strict=True))
        return ExactSum.of(left + sign * right, (nans, above, below))
    if isinstance(before, Decimal) or isinstance(change, Decimal):
        left, right = Fraction(before or 0), Fraction(change)
        scale = max(_scale(before), _scale(change))
        return Decimal(int((left + sign * right) * 10**scale)).scaleb(-scale, _WIDE)
    return sign * change if before is None else before + sign * change


def _scale(value: Any) -> int:
    if not isinstance(value, Decimal):
        return 0
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def stored(value: Any) -> Any:
    """The value as SQLite holds it."""
    kind = type(value)
    if value is None or kind is str:
        return value
    if kind is int:
        return value if _LEAST <= value <= _GREATEST else b"I" + str(value).encode()
    if kind is bool:
        return b"T" if value else b"F"
    if kind is float:
        return b"N" if math.isnan(value) else value
    if kind is Decimal:
        return b"D" + str(value).encode()
    if kind is datetime:
        return _instant(value)
    if kind is date:
        return b"d" + value.isoformat().encode()
    if kind is timedelta:
        return b"p%d" % (value // _MICROSECOND)
    if kind is ExactSum:
        exact, specials = value.exact, value.specials
        return b"S" + json.dumps([exact.numerator, exact.denominator, *specials]).encode()
    if isinstance(value, bytes | bytearray):
        return b"b" + bytes(value)
    if isinstance(value, list | dict | tuple):
        return b"J" + json.dumps(value, default=str).encode()
    raise InternalError("HW937", f"the store cannot hold a value of type {kind.__name__}")


def stored_column(values: list[Any]) -> list[Any]:
    """Many values as SQLite holds them; texts, the most frequent, are its own."""
    return values if set(map(type, values)) <= _TEXTS else list(map(stored, values))


def as_bytes_column(values: list[Any]) -> list[Any]:
    return list(map(as_bytes, values))


def as_bytes(value: Any) -> bytes | None:
    """The value as bytes that tell their type, for a database whose columns have one."""
    held = stored(value)
    if isinstance(held, str):
        return b"s" + held.encode("utf-8", "surrogatepass")
    if isinstance(held, int | float):
        return (b"i%d" % held) if isinstance(held, int) else b"f" + repr(held).encode()
    return held if held is None else bytes(held)


def _instant(value: datetime) -> bytes:
    if value.tzinfo is None:
        return b"n%d" % ((value - _LOCAL_EPOCH) // _MICROSECOND)
    return b"t%d" % ((value - _EPOCH) // _MICROSECOND)


def from_stored(value: Any) -> Any:
    """The value that was stored."""
    return value if type(value) is not bytes else typed(value)


def typed(blob: bytes) -> Any:
    """The value of a blob that tells its type."""
    kind, text = blob[:1], blob[1:]
    match kind:
        case b"T" | b"F":
            return kind == b"T"
        case b"s":
            return text.decode("utf-8", "surrogatepass")
        case b"i" | b"I":
            return int(text)
        case b"f":
            return float(text)
        case b"D":
            return Decimal(text.decode())
        case b"t":
            return _EPOCH + timedelta(microseconds=int(text))
        case b"n":
            return _LOCAL_EPOCH + timedelta(microseconds=int(text))
        case b"d":
            return date.fromisoformat(text.decode())
        case b"p":
            return timedelta(microseconds=int(text))
        case b"N":
            return math.nan
        case b"b":
            return text
        case b"S":
            numerator, denominator, *specials = json.loads(text)
            return ExactSum.of(Fraction(numerator, denominator), tuple(specials))
        case b"J":
            return json.loads(text)
        case _:
            raise InternalError("HW937", "the store holds a value of an unknown kind")

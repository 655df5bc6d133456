"""Values as bytes that sort as the values do: the keys of a store that orders by bytes.

A key is the concatenation of its parts, and a part's bytes never begin another part's of the same kind, so
keys sort part by part, and all keys that begin with some values lie together.

    NULL       00 or 02, before or after every value as the part says
    a value    01, then its kind and its bytes; complemented in a descending part
    numbers    sign, exponent and decimal digits: exact, and one order for integers, decimals and floats, so
               1, 1.0 and 1.00 are one key and 0.1 (a float) lies a little above 0.1 (a decimal)
    texts      UTF-8, which sorts by code points, ended by 00 00; a 00 inside is 00 FF
    instants   microseconds since 1970; a date is its midnight
    durations  microseconds: one time less another

Infinity lies above every number and NaN above that, as in Spark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from headwater.bounds.plans.plan import IndexPart
from headwater.errors import InternalError

__all__ = ["ASCENDING", "beyond", "encoded", "key_of", "part_bytes"]

_COMPLEMENT = bytes(255 - byte for byte in range(256))
_NULL_FIRST, _VALUE, _NULL_LAST = b"\x00", b"\x01", b"\x02"
_NEGATIVE, _ZERO, _POSITIVE, _INFINITE, _NAN = b"\x10\x01", b"\x10\x02", b"\x10\x03", b"\x10\x04", b"\x10\x05"
_MINUS_INFINITE = b"\x10\x00"
_TEXT, _BINARY, _INSTANT, _DURATION = b"\x20", b"\x28", b"\x30", b"\x38"
_EXPONENT = 0x8000
_EPOCH, _EPOCH_DAY = datetime(1970, 1, 1, tzinfo=UTC), date(1970, 1, 1).toordinal()
_MICROSECOND = timedelta(microseconds=1)
_DAY = 86_400_000_000
_SIGN = 1 << 63

ASCENDING = (False, True)  # descending, nulls_first


def encoded(value: Any) -> bytes:
    """The bytes of a value that is not NULL."""
    kind = type(value)
    if kind is int or kind is bool:
        return _digits(value < 0, str(abs(int(value))), 0)
    if kind is str:
        return _TEXT + value.encode("utf-8", "surrogatepass").replace(b"\0", b"\0\xff") + b"\0\0"
    if isinstance(value, float):
        return _float(value)
    if kind is Decimal:
        return _decimal(value)
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return _INSTANT + _eight((aware - _EPOCH) // _MICROSECOND)
    if isinstance(value, date):
        return _INSTANT + _eight((value.toordinal() - _EPOCH_DAY) * _DAY)
    if isinstance(value, timedelta):
        return _DURATION + _eight(value // _MICROSECOND)
    if isinstance(value, bytes | bytearray):
        return _BINARY + bytes(value).replace(b"\0", b"\0\xff") + b"\0\0"
    raise InternalError("HW937", f"a key cannot hold a value of type {kind.__name__}")


def _eight(number: int) -> bytes:
    return (number + _SIGN).to_bytes(8, "big")


def _float(value: float) -> bytes:
    if math.isnan(value):
        return _NAN
    if math.isinf(value):
        return _INFINITE if value > 0 else _MINUS_INFINITE
    return _decimal(Decimal(value))


def _decimal(value: Decimal) -> bytes:
    if not value.is_finite():
        return _float(float(value))
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return _digits(bool(sign), "".join(map(str, digits)), exponent)


def _digits(negative: bool, digits: str, exponent: int) -> bytes:
    """The number 0.d1d2d3... times ten to some power, without zeros at either end."""
    whole = digits.lstrip("0")
    if not whole:
        return _ZERO
    power = len(whole) + exponent + _EXPONENT
    if not 0 <= power <= 0xFFFF:
        raise InternalError("HW937", "a key cannot hold a number of so many digits")
    text = power.to_bytes(2, "big") + whole.rstrip("0").encode() + b"\0"
    return _NEGATIVE + text.translate(_COMPLEMENT) if negative else _POSITIVE + text


def part_bytes(value: Any, descending: bool = False, nulls_first: bool = True) -> bytes:
    """The bytes of one part of a key."""
    if value is None:
        return _NULL_FIRST if nulls_first else _NULL_LAST
    text = encoded(value)
    return _VALUE + (text.translate(_COMPLEMENT) if descending else text)


def key_of(values: Sequence[Any], parts: Sequence[IndexPart] = ()) -> bytes:
    """The key of some values under the first parts of an index; without parts, all ascending."""
    if not parts:
        return b"".join(map(part_bytes, values))
    return b"".join(
        part_bytes(value, part.descending, part.nulls_first)
        for value, part in zip(values, parts, strict=False)
    )


def beyond(prefix: bytes) -> bytes:
    """The least bytes above everything that begins with `prefix`; no limit above FF FF ... is b""."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else b""

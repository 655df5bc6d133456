"""Values from outside as typed Arrow columns, exactly, or with a reason why not.

A column is converted at once if all its values have the plain Python type that fits (checked at C speed);
otherwise value by value, so that a wrong value affects its own record only.  Nothing is rounded, truncated or
guessed:

    integers     JSON integers in the type's range; no floats, no texts, no booleans
    decimal      JSON numbers and texts that fit precision and scale exactly
    double       numbers; NaN, Infinity and -Infinity as JSON constants or texts; -0.0 becomes 0.0
    boolean      true and false only
    date         2026-01-31
    timestamp    ISO 8601, "T" or blank, up to microseconds; with a zone converted to UTC, without one UTC
    timestamp_ntz  the same without a zone; with one it is refused
    (numpy)      its scalars are what they hold
    binary       base64, or hexadecimal after \\x as PostgreSQL writes it; Python bytes as they are
    string       texts only
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Context, Decimal, InvalidOperation
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.model import Column
from headwater.storage.delta.types import arrow_type

__all__ = ["canonical", "typed_column"]

_NONE = type(None)
_RANGES = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_CONSTANTS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}(:\d{2}(\.\d{1,6})?)?)?([Zz]|[+-]\d{2}(:?\d{2})?)?)?", re.ASCII
)
_EXACT = Context(prec=400)
_FIRST_DAY = date(1, 1, 1)
_GREATEST_FLOAT = float(np.finfo(np.float32).max)


def typed_column(column: Column, values: Sequence[Any]) -> tuple[pa.Array, dict[int, str]]:
    """The column, and a reason for every position whose value does not fit (NULL there)."""
    kind = arrow_type(column.type)
    array = _at_once(column.type, kind, values)
    if array is not None:
        return array, {}
    convert = _converter(column.type)
    converted: list[Any] = []
    reasons: dict[int, str] = {}
    for position, value in enumerate(values):
        try:
            plain = _plain(value)
            converted.append(None if plain is None else convert(plain))
        except (ValueError, ArithmeticError) as error:
            converted.append(None)
            reasons[position] = f'column "{column.name}": {error}'
    return canonical(pa.array(converted, kind)), reasons


def _plain(value: Any) -> Any:
    """A value of numpy or pandas as Python has it; what they call missing (NaT, NA) is NULL."""
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if isinstance(value, np.datetime64):
        return _of_numpy(value)
    if getattr(value, "nanosecond", 0):  # pandas' Timestamp
        raise ValueError(f"{value} has more than microseconds")
    return value.item() if isinstance(value, np.generic) else value


def _of_numpy(instant: np.datetime64) -> datetime | date | None:
    """The instant, or the day where it has no more; NULL if it is none."""
    if np.isnat(instant):
        return None
    if np.datetime_data(instant)[0] == "D":
        return cast(date, instant.item())
    in_micros = instant.astype("datetime64[us]")
    if in_micros != instant:
        raise ValueError(f"{instant} has more than microseconds")
    return cast(datetime, in_micros.item())


def canonical(array: pa.Array) -> pa.Array:
    """One form for equal floating-point values: no negative zero, one NaN."""
    if not pa.types.is_floating(array.type):
        return array
    positive = pc.add(array, pa.scalar(0.0, array.type))
    return pc.if_else(pc.is_nan(positive), pa.scalar(math.nan, array.type), positive)


def _at_once(name: str, kind: pa.DataType, values: Sequence[Any]) -> pa.Array | None:
    types = set(map(type, values)) - {_NONE}
    try:
        if name in _RANGES and types <= {int}:
            return pa.array(values, kind)
        if (name == "string" and types <= {str}) or (name == "boolean" and types <= {bool}):
            return pa.array(values, kind)
        if name == "binary" and types <= {bytes}:
            return pa.array(values, kind)
        if name == "double" and types <= {float}:
            return canonical(pa.array(values, kind))
        if name == "double" and types <= {float, int, Decimal}:
            return canonical(pa.array([None if value is None else float(value) for value in values], kind))
        if name == "date" and (types == {date} or types == {str}):
            return _of_calendar(pa.array(values).cast(kind))
        if name.startswith("decimal") and types <= {int, Decimal}:
            return pa.array(values, kind)
        if name in ("timestamp", "timestamp_ntz") and types == {str}:
            return _of_calendar(_instants(kind, values))
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        pass
    return None


def _of_calendar(days: pa.Array | None) -> pa.Array | None:
    """The values; None if a year is before 1, which Python and SQL do not have."""
    if days is None:
        return None
    ticks = pc.min(days.cast(pa.int64() if pa.types.is_timestamp(days.type) else pa.int32())).as_py()
    first = _FIRST_DAY.toordinal() - date(1970, 1, 1).toordinal()
    return days if ticks >= first * (86_400_000_000 if pa.types.is_timestamp(days.type) else 1) else None


def _instants(kind: pa.DataType, values: Sequence[str | None]) -> pa.Array | None:
    """Texts as timestamps; None if some have a zone and others have none."""
    texts = pa.array(values, pa.string())
    if kind.tz is None:
        return texts.cast(kind)
    zoned = pc.match_substring_regex(texts, r":.*([Zz]|[+-]\d\d(:?\d\d)?)$")
    if pc.all(zoned).as_py() is not False:
        return texts.cast(kind)
    if pc.any(zoned).as_py():
        return None
    return texts.cast(pa.timestamp("us")).cast(pa.int64()).cast(kind)


def _converter(name: str) -> Callable[[Any], Any]:
    if name in _RANGES:
        return lambda value: _integer(value, name, _RANGES[name])
    if name.startswith("decimal"):
        kind = arrow_type(name)
        return lambda value: _decimal(value, name, kind.precision, kind.scale)
    return {
        "boolean": _boolean, "float": _float, "double": _double, "string": _text, "binary": _binary,
        "date": _date, "timestamp": _timestamp, "timestamp_ntz": _local_timestamp,
    }[name]  # fmt: skip


def _wrong(value: Any, wanted: str) -> ValueError:
    shown = repr(value) if not isinstance(value, str) else f'"{value}"'
    return ValueError(f"{shown if len(shown) <= 60 else shown[:57] + '...'} is not {wanted}")


def _integer(value: Any, name: str, bits: int) -> int:
    if type(value) is not int:
        raise _wrong(value, f"an integer ({name})")
    if not -(1 << bits) <= value < 1 << bits:
        raise ValueError(f"{value} is out of range for {name}")
    return value


def _decimal(value: Any, name: str, precision: int, scale: int) -> Decimal:
    if type(value) is bool or not isinstance(value, int | float | Decimal | str):
        raise _wrong(value, f"a number ({name})")
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except InvalidOperation:
        raise _wrong(value, f"a number ({name})") from None
    if not number.is_finite():
        raise _wrong(value, f"a number ({name})")
    scaled = number.scaleb(scale, _EXACT)
    if scaled != scaled.to_integral_value(context=_EXACT):
        raise ValueError(f"{value} has more than {scale} digits after the point ({name})")
    if scaled.copy_abs() >= Decimal(10) ** precision:
        raise ValueError(f"{value} is out of range for {name}")
    return number


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise _wrong(value, "true or false (boolean)")
    return value


def _double(value: Any) -> float:
    if isinstance(value, str) and value in _CONSTANTS:
        return _CONSTANTS[value]
    if type(value) is bool or not isinstance(value, int | float | Decimal):
        raise _wrong(value, "a number (double)")
    return float(value)


def _float(value: Any) -> float:
    number = _double(value)
    if math.isfinite(number) and abs(number) > _GREATEST_FLOAT:
        raise ValueError(f"{value} is out of range for float")
    return number


def _text(value: Any) -> str:
    if type(value) is not str:
        raise _wrong(value, "a text (string)")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("half a surrogate pair is not text (string)") from None
    return value


def _binary(value: Any) -> bytes:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if type(value) is not str:
        raise _wrong(value, "base64 or \\x and hexadecimal digits (binary)")
    try:
        return bytes.fromhex(value[2:]) if value.startswith("\\x") else base64.b64decode(value, validate=True)
    except ValueError:
        raise _wrong(value, "base64 or \\x and hexadecimal digits (binary)") from None


def _date(value: Any) -> date:
    if type(value) is date:
        return value
    if type(value) is not str or not _DATE.fullmatch(value):
        raise _wrong(value, "a date such as 2026-01-31")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise _wrong(value, "a date of the calendar") from None


def _instant(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    if type(value) is not str or not _INSTANT.fullmatch(value):
        raise _wrong(value, "a timestamp such as 2026-01-31T12:00:00.000000Z")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise _wrong(value, "an instant of the calendar") from None


def _timestamp(value: Any) -> datetime:
    instant = _instant(value)
    try:
        return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
    except OverflowError:
        raise _wrong(value, "an instant of the calendar") from None


def _local_timestamp(value: Any) -> datetime:
    instant = _instant(value)
    if instant.tzinfo is not None:
        raise ValueError(f"{value} has a time zone (timestamp_ntz has none)")
    return instant

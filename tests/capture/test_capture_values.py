"""Every type takes what it should, exactly, and says why it takes nothing else."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.capture.intake.values import typed_column
from headwater.model import Column
from support.cases import law

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)

LONG = "1234567890123456789012345678.0123456789"

GOOD: list[tuple[str, Any, Any]] = [
    ("tinyint", -128, -128),
    ("smallint", 32767, 32767),
    ("int", -(2**31), -(2**31)),
    ("bigint", 2**63 - 1, 2**63 - 1),
    ("boolean", True, True),
    ("string", "naïve \x00 text", "naïve \x00 text"),
    ("double", 1.5, 1.5),
    ("double", 3, 3.0),
    ("double", Decimal("0.1"), 0.1),
    ("double", "Infinity", math.inf),
    ("double", math.inf, math.inf),
    ("float", 0.5, 0.5),
    ("decimal(10,2)", Decimal("1.10"), Decimal("1.10")),
    ("decimal(10,2)", 7, Decimal("7.00")),
    ("decimal(10,2)", "0.05", Decimal("0.05")),
    ("decimal(10,2)", 9.99, Decimal("9.99")),
    ("decimal(38,0)", Decimal(10**38 - 1), Decimal(10**38 - 1)),
    ("decimal(38,10)", LONG, Decimal(LONG)),
    ("date", "2026-01-31", date(2026, 1, 31)),
    ("date", date(1, 1, 1), date(1, 1, 1)),
    ("timestamp", "2026-01-31T12:00:00Z", NOON),
    ("timestamp", "2026-01-31 12:00:00", NOON),
    ("timestamp", "2026-01-31T17:30:00+05:30", NOON),
    ("timestamp", "2026-01-31T12:00:00.000001Z", NOON + timedelta(microseconds=1)),
    ("timestamp", NOON.astimezone(timezone(timedelta(hours=3))), NOON),
    ("timestamp", NOON.replace(tzinfo=None), NOON),
    ("timestamp_ntz", "2026-01-31T12:00:00", NOON.replace(tzinfo=None)),
    ("binary", "aGk=", b"hi"),
    ("binary", "\\x6869", b"hi"),
    ("binary", b"hi", b"hi"),
]  # fmt: skip

BAD: list[tuple[str, Any, str]] = [
    ("tinyint", 128, "out of range"),
    ("bigint", 2**63, "out of range"),
    ("int", 1.0, "not an integer"),
    ("int", "1", "not an integer"),
    ("int", True, "not an integer"),
    ("boolean", 1, "true or false"),
    ("boolean", "true", "true or false"),
    ("string", 5, "not a text"),
    ("string", "\ud800", "surrogate"),
    ("double", "1.5", "not a number"),
    ("double", True, "not a number"),
    ("double", 10**400, "too large"),
    ("float", 1e39, "out of range"),
    ("decimal(10,2)", Decimal("1.005"), "more than 2 digits"),
    ("decimal(10,2)", Decimal("123456789.00"), "out of range"),
    ("decimal(10,2)", Decimal("NaN"), "not a number"),
    ("decimal(10,2)", "ten", "not a number"),
    ("decimal(10,2)", False, "not a number"),
    ("date", "2026-02-30", "calendar"),
    ("date", "31.01.2026", "not a date"),
    ("date", NOON, "not a date"),
    ("date", "0000-01-01", "calendar"),
    ("timestamp", "yesterday", "not a timestamp"),
    ("timestamp", 1_700_000_000, "not a timestamp"),
    ("timestamp", "2026-01-31T12:00:00.1234567Z", "not a timestamp"),
    ("timestamp", "2026-01-31T25:00:00Z", "calendar"),
    ("timestamp_ntz", "2026-01-31T12:00:00Z", "time zone"),
    ("binary", "not base64!", "base64"),
    ("binary", "\\x123", "hexadecimal"),
]


@pytest.mark.parametrize(("kind", "value", "expected"), GOOD)
@pytest.mark.parametrize("company", [(), ("no sense!",)], ids=["at once", "one by one"])
def test_good_values(kind: str, value: Any, expected: Any, company: tuple[Any, ...]) -> None:
    """With a wrong value beside it the column takes the slow path: both must agree."""
    wrong = () if kind == "string" else company
    array, reasons = typed_column(Column("c", kind), [value, None, *wrong])
    assert array[0].as_py() == expected
    assert array[1].as_py() is None
    assert set(reasons) == set(range(2, 2 + len(wrong)))


@pytest.mark.parametrize(("kind", "value", "reason"), BAD)
def test_bad_values(kind: str, value: Any, reason: str) -> None:
    array, reasons = typed_column(Column("c", kind), [None, value])
    assert array.null_count == 2
    assert list(reasons) == [1]
    assert reason in reasons[1]
    assert reasons[1].startswith('column "c": ')


def test_equal_floats_have_one_form() -> None:
    array, _ = typed_column(Column("c", "double"), [-0.0, float("nan"), "NaN"])
    assert math.copysign(1, array[0].as_py()) == 1
    assert math.isnan(array[1].as_py())
    assert math.isnan(array[2].as_py())
    assert len(array.dictionary_encode().dictionary) == 2


@law(300)
@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**8), max_value=10**8),
    st.sampled_from(["decimal(12,4)", "decimal(10,2)", "decimal(5,0)"]),
)
def test_decimals_are_exact_or_refused(number: Decimal, kind: str) -> None:
    array, reasons = typed_column(Column("c", kind), [number])
    slow, slow_reasons = typed_column(Column("c", kind), [number, "no"])
    assert array[0] == slow[0]
    assert (0 in reasons) == (0 in slow_reasons)
    assert 0 in reasons or array[0].as_py() == number


@law(300)
@given(st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29)), st.integers(-840, 840))
def test_instants_keep_every_microsecond(local: datetime, offset: int) -> None:
    zoned = local.replace(tzinfo=timezone(timedelta(minutes=offset)))
    zoned_only, reasons = typed_column(Column("c", "timestamp"), [zoned.isoformat()])
    mixed, _ = typed_column(Column("c", "timestamp"), [zoned.isoformat(), local.isoformat(), "no"])
    assert not reasons
    assert zoned_only[0].as_py() == zoned == mixed[0].as_py()
    assert mixed[1].as_py() == local.replace(tzinfo=UTC)

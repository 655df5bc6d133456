"""What EXTRACT(part FROM x) and date_part(part, x) take out of a time in Spark; other systems have more."""

from __future__ import annotations

from sqlglot import exp

from headwater.errors import did_you_mean
from headwater.sql.translate.notes import Notes

__all__ = ["check_part"]

_PARTS = {
    "year", "y", "years", "yr", "yrs", "yearofweek", "quarter", "qtr", "month", "mon", "mons", "months",
    "week", "w", "weeks", "day", "d", "days", "dayofweek", "dow", "dayofweek_iso", "dow_iso", "doy",
    "hour", "h", "hours", "hr", "hrs", "minute", "m", "min", "mins", "minutes",
    "second", "s", "sec", "seconds", "secs",
}  # fmt: skip
_INSTEAD = {
    "epoch": "unix_timestamp(x)",
    "isodow": "extract(DOW_ISO FROM x)",
    "isoyear": "extract(YEAROFWEEK FROM x)",
    "millisecond": "unix_millis(x)",
    "milliseconds": "unix_millis(x)",
    "microsecond": "unix_micros(x)",
    "microseconds": "unix_micros(x)",
}


def check_part(notes: Notes, node: exp.Expr, written: str) -> None:
    part = written.lower()
    if part not in _PARTS:
        hint = f"write {_INSTEAD[part]}" if part in _INSTEAD else did_you_mean(part, _PARTS)
        notes.fail("HW113", node, f'Spark cannot extract "{part}"', hint=hint)

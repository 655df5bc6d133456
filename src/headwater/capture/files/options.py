"""The options of USING files, checked."""

from __future__ import annotations

from headwater.errors import InputError, did_you_mean
from headwater.model import Table
from headwater.project.addresses import refuse_address

__all__ = ["PATTERNS", "check_options", "settle_time"]

PATTERNS = {"jsonl": ("*.jsonl", "*.ndjson", "*.json"), "csv": ("*.csv",), "parquet": ("*.parquet",)}


def settle_time(table: Table) -> int:
    """For how many microseconds a file must not have changed before it is taken."""
    return int(float(table.options.get("settle", "1")) * 1_000_000)


def check_options(table: Table) -> None:
    """Raise an InputError if an option of the table is wrong."""
    form = table.options.get("format", "jsonl")
    if form not in PATTERNS:
        raise InputError(
            "HW857", f'table "{table.name}" has an unknown format "{form}"', place=table.place,
            hint=did_you_mean(form, PATTERNS) or "Use jsonl, csv or parquet.",
        )  # fmt: skip
    if "path" not in table.options:
        raise InputError(
            "HW857", f'table "{table.name}" needs a path', place=table.place,
            hint="USING files OPTIONS (path 'incoming', format 'jsonl')",
        )  # fmt: skip
    refuse_address(table.options["path"], f'the path of table "{table.name}"', table.place)
    try:
        settle_time(table)
    except (ValueError, OverflowError):
        raise InputError("HW857", f'table "{table.name}": settle is a number of seconds') from None

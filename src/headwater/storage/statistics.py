"""Minimum and maximum of each column of a Parquet file, as a Delta log keeps them.

They come from the file's footer, so nothing is read twice.  The invariant is that a range never excludes a
value that is in the file: what cannot be written exactly (long texts, NaN, truncated instants) is widened
or left out, because a file that is skipped wrongly is a wrong answer and one read for nothing is only slow.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow.parquet as pq

__all__ = ["FileStatistics", "file_statistics", "footer_statistics"]

LONGEST_TEXT = 64


@dataclass(frozen=True, slots=True)
class FileStatistics:
    """Rows, and for each column with a known range its least and greatest value and its NULLs."""

    rows: int
    minimum: Mapping[str, Any]
    maximum: Mapping[str, Any]
    nulls: Mapping[str, int]

    def json(self) -> str:
        """As the `stats` of a Delta add action."""
        return json.dumps(
            {
                "numRecords": self.rows,
                "minValues": {name: _as_json(value, down=True) for name, value in self.minimum.items()},
                "maxValues": {name: _as_json(value, down=False) for name, value in self.maximum.items()},
                "nullCount": dict(self.nulls),
            }
        )


def _as_json(value: Any, down: bool) -> Any:
    match value:
        case datetime():
            # The protocol keeps milliseconds: round outwards.
            whole = value.replace(microsecond=value.microsecond // 1000 * 1000)
            if not down and whole != value:
                whole += timedelta(milliseconds=1)
            text = whole.replace(tzinfo=None).isoformat(timespec="milliseconds")
            return text + "Z" if value.tzinfo is not None else text
        case date():
            return value.isoformat()
        case Decimal():
            return float(value)
        case _:
            return value


def _usable(value: Any) -> bool:
    match value:
        case bool() | bytes() | None:
            return False
        case datetime():
            # The last millisecond there is cannot be rounded up.
            return value.replace(tzinfo=None) <= datetime.max - timedelta(milliseconds=1)
        case float():
            return math.isfinite(value)
        case str():
            return len(value) <= LONGEST_TEXT
        case Decimal():
            # JSON numbers are read back as doubles: keep only decimals that survive that.
            return Decimal(float(value)) == value
        case _:
            return True


def footer_statistics(footer: pq.FileMetaData, columns: Collection[str] | None = None) -> FileStatistics:
    """The statistics of a whole file from its row groups'; of `columns` only, if given."""
    minimum: dict[str, Any] = {}
    maximum: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    unknown: set[str] = set()
    for group in range(footer.num_row_groups):
        row_group = footer.row_group(group)
        for index in range(row_group.num_columns):
            column = row_group.column(index)
            name = column.path_in_schema
            if "." in name or (columns is not None and name not in columns):
                continue
            found = column.statistics
            if found is None or found.null_count is None:
                unknown.add(name)
                continue
            nulls[name] = nulls.get(name, 0) + found.null_count
            if found.null_count == row_group.num_rows:
                continue
            if not found.has_min_max or not (_usable(found.min) and _usable(found.max)):
                unknown.add(name)
                continue
            minimum[name] = min(minimum[name], found.min) if name in minimum else found.min
            maximum[name] = max(maximum[name], found.max) if name in maximum else found.max
    for name in unknown:
        minimum.pop(name, None)
        maximum.pop(name, None)
    return FileStatistics(footer.num_rows, minimum, maximum, nulls)


def file_statistics(path: str) -> FileStatistics:
    return footer_statistics(pq.read_metadata(path))

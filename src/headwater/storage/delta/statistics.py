"""Minimum and maximum of each column of a Parquet file, as a Delta log stores them.

They come from the file's footer, so nothing is read twice.  The invariant: a range never excludes a value
that is in the file.  What cannot be written exactly (long texts, NaN, truncated instants) is widened or left
out, because wrongly skipping a file gives a wrong answer, while reading one in vain is only slow.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["START", "FileStatistics", "footer_statistics", "is_window"]

LONGEST_TEXT = 64
START = "start"  # of a window


@dataclass(frozen=True, slots=True)
class FileStatistics:
    """Row count, and for each column with a known range its least and greatest value and its null count."""

    rows: int
    minimum: Mapping[str, Any]
    maximum: Mapping[str, Any]
    nulls: Mapping[str, int]

    def json(self) -> str:
        """As the `stats` of a Delta add action."""
        return json.dumps(
            {
                "numRecords": self.rows,
                "minValues": _nested(
                    {name: _as_json(value, down=True) for name, value in self.minimum.items()}
                ),
                "maxValues": _nested(
                    {name: _as_json(value, down=False) for name, value in self.maximum.items()}
                ),
                "nullCount": _nested(self.nulls),
            }
        )


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """`window.start` is the field of a struct: that is how the protocol has it."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        column, _, field = name.partition(".")
        if field:
            result.setdefault(column, {})[field] = value
        else:
            result[name] = value
    return result


def _as_json(value: Any, down: bool) -> Any:
    match value:
        case datetime():
            # The protocol stores milliseconds: round outwards.
            rounded = value.replace(microsecond=value.microsecond // 1000 * 1000)
            if not down and rounded != value:
                rounded += timedelta(milliseconds=1)
            text = rounded.replace(tzinfo=None).isoformat(timespec="milliseconds")
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
            # datetime.max cannot be rounded up to the next millisecond.
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


def _bounds(statistics: pq.Statistics) -> tuple[Any, Any] | None:
    """The least and the greatest value of a column, if both can be used."""
    if not statistics.has_min_max:
        return None
    try:
        least, greatest = statistics.min, statistics.max
    except (OverflowError, ValueError):  # a year before 1 or after 9999, which Python does not have
        return None
    return (least, greatest) if _usable(least) and _usable(greatest) else None


def footer_statistics(footer: pq.FileMetaData, columns: Collection[str] | None = None) -> FileStatistics:
    """The statistics of a file, combined from its row groups; of `columns` only, if given."""
    minimum: dict[str, Any] = {}
    maximum: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    unknown: set[str] = set()
    windows = _windows(footer)
    for group in range(footer.num_row_groups):
        row_group = footer.row_group(group)
        for index in range(row_group.num_columns):
            column = row_group.column(index)
            name = column.path_in_schema
            if "." in name and name not in windows:
                continue
            if columns is not None and name.partition(".")[0] not in columns:
                continue
            statistics = column.statistics
            if statistics is None or statistics.null_count is None:
                unknown.add(name)
                continue
            nulls[name] = nulls.get(name, 0) + statistics.null_count
            if statistics.null_count == row_group.num_rows:
                continue
            bounds = _bounds(statistics)
            if bounds is None:
                unknown.add(name)
                continue
            least, greatest = bounds
            minimum[name] = min(minimum[name], least) if name in minimum else least
            maximum[name] = max(maximum[name], greatest) if name in maximum else greatest
    for name in unknown:
        minimum.pop(name, None)
        maximum.pop(name, None)
    return FileStatistics(footer.num_rows, minimum, maximum, nulls)


def _windows(footer: pq.FileMetaData) -> frozenset[str]:
    """The starts of windows: the only fields of structs that anybody asks for a range of."""
    schema = footer.schema.to_arrow_schema()
    return frozenset(f"{field.name}.{START}" for field in schema if is_window(field.type))


def is_window(kind: pa.DataType) -> bool:
    """Whether a column holds what window() gives: struct<start, end>."""
    return pa.types.is_struct(kind) and [field.name for field in kind] == [START, "end"]

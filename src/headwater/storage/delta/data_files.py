"""The data files of a Delta table: those its log lists, and those written but not yet committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from headwater.storage.delta.statistics import FileStatistics

__all__ = ["BEGINNING", "DataFile", "NewFile", "Snapshot"]

BEGINNING = 0  # the time of a table that has never been committed to


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of the table.

    `path` is absolute; the statistics are those the log has, which may lack columns.
    """

    path: str
    relative: str
    rows: int
    size: int
    minimum: Mapping[str, Any]
    maximum: Mapping[str, Any]
    nulls: Mapping[str, int]

    def may_hold(self, column: str, low: Any, high: Any) -> bool:
        """Whether any row may have low <= column <= high; False only if that is certain."""
        least, greatest = self.minimum.get(column), self.maximum.get(column)
        if least is None or greatest is None:
            return self.nulls.get(column) != self.rows
        if low != low or high != high:
            return True  # NaN: Parquet leaves it out of its ranges
        low, high = _comparable(low, least), _comparable(high, greatest)
        return bool(least <= high and low <= greatest)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one version of its log: its files, the time that version carries, and what the table is."""

    version: int
    time: int
    files: tuple[DataFile, ...]
    schema: pa.Schema = field(default_factory=lambda: pa.schema([]))
    description: str = ""

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True)
class NewFile:
    """A data file in the table's folder that no commit has added yet."""

    relative: str
    statistics: FileStatistics
    partition: Mapping[str, str] = field(default_factory=dict)  # values that hold for all its rows


def _comparable(value: Any, like: Any) -> Any:
    if isinstance(like, datetime) and isinstance(value, datetime) and like.tzinfo is None:
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return value

"""Files that replace others get the side files that those had, before anybody looks for them."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pyarrow as pa

from headwater.storage.delta.data_files import DataFile, NewFile
from headwater.storage.index.key_file import open_key_file
from headwater.storage.index.row_file import open_row_file
from headwater.storage.index.side_files import LARGE_ROWS, side_path
from headwater.storage.timeline import Timeline, change_schema

__all__ = ["carry_over"]


def carry_over(
    timeline: Timeline, keys: Sequence[str], replaced: Sequence[DataFile], added: Sequence[NewFile]
) -> None:
    """Else the next writer would make them, while it holds the source's turn and others wait."""
    schema = change_schema(timeline.columns())
    large = [_data_file(timeline, file) for file in added if file.statistics.rows >= LARGE_ROWS]
    if keys and _have(replaced, "keys", pa.schema([schema.field(name) for name in keys])):
        for file in large:
            open_key_file(file, keys, schema)
    if _have(replaced, "rows", schema):
        for file in large:
            open_row_file(file, schema)


def _have(files: Sequence[DataFile], kind: str, columns: pa.Schema) -> bool:
    return any(os.path.exists(side_path(file, kind, columns)) for file in files)


def _data_file(timeline: Timeline, file: NewFile) -> DataFile:
    path = os.path.join(timeline.path, file.relative)
    statistics = file.statistics
    return DataFile(
        path, file.relative, statistics.rows, os.path.getsize(path),
        statistics.minimum, statistics.maximum, statistics.nulls,
    )  # fmt: skip

"""Small files become large ones without writing a row again and again."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from headwater.engine.compaction import MANY_FILES, compact
from headwater.storage.timeline import WEIGHT, Timeline

COLUMNS = pa.schema([("a", pa.int64())])


def test_a_row_is_written_anew_only_when_its_file_doubles(tmp_path: Path) -> None:
    timeline = Timeline(str(tmp_path))
    timeline.create(COLUMNS, "numbers")
    pushes, rows_each, written = 40, 10, 0
    for time in range(1, pushes * MANY_FILES + 1):
        rows = list(range(rows_each))
        timeline.append(pa.table({"a": rows, WEIGHT: pa.array([1] * rows_each, pa.int64())}), time)
        before = {file.path for file in timeline.snapshot().files}
        if compact(timeline, time):
            added = [file for file in timeline.snapshot().files if file.path not in before]
            written += sum(file.rows for file in added)
    whole = pushes * MANY_FILES * rows_each
    files = timeline.snapshot().files
    assert sum(file.rows for file in files) == whole
    assert len(files) < 2 * MANY_FILES
    assert written < 8 * whole  # each row about log2(pushes) times; twenty times if all were merged

"""WATERMARK: rows that come too late are not accepted.

    greatest time stored   12:30:00      WATERMARK = INTERVAL '10' MINUTE      rows before 12:20:00 are late

What counts is what was committed before: the rows of one call do not make each other late, and an empty table
takes whatever comes first.  The greatest time is that of the files' statistics, so no row is read; those are
in whole milliseconds, rounded up, and the fraction is counted in favour of the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.capture.intake.batch import TOO_LATE, Batch, Operation, without
from headwater.model import Table
from headwater.sql.ddl.joins.window import interval_text
from headwater.storage.delta.data_files import DataFile

__all__ = ["without_late"]

_FRACTION = timedelta(milliseconds=1)


def without_late(table: Table, batch: Batch, files: Sequence[DataFile]) -> Batch:
    """The batch without the rows that come too late for a table of these files.

    A record is judged by the row that it brings; a deletion brings none.
    """
    watermark = table.watermark
    greatest = None if watermark is None else _greatest(files, watermark.column)
    if watermark is None or greatest is None or not len(batch):
        return batch
    times = batch.new.column(watermark.column)
    late = np.zeros(len(batch), bool)
    with suppress(OverflowError):  # before the year 1 there is nothing
        latest_late = pa.scalar(greatest - watermark.length - _FRACTION, times.type)
        late = pc.fill_null(pc.less_equal(times, latest_late), False).to_numpy()
    late = late & (batch.operations != Operation.DELETE)
    limit = f"WATERMARK = {interval_text(watermark.length)}"
    reason = f'{TOO_LATE}: "{watermark.column}" is further behind the greatest stored than {limit}'
    return without(table, batch, dict.fromkeys(np.flatnonzero(late).tolist(), reason))


def _greatest(files: Sequence[DataFile], column: str) -> datetime | None:
    times = (file.maximum.get(column) for file in files)
    return max((time for time in times if isinstance(time, datetime)), default=None)

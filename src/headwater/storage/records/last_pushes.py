"""Of each view the newest push and the newest one that did something: a small table, replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.delta.reading import read_files
from headwater.storage.records.by_view import last_by_view
from headwater.storage.records.journal import AT, PUSHES
from headwater.storage.timeline import new_file_name

__all__ = ["keep_last_pushes", "last_pushes", "stored_last_pushes"]


def last_pushes(pushes: pa.Table) -> pa.Table:
    """The rows worth keeping, oldest first: also of what was kept before together with later rows."""
    telling = pushes.filter(pc.not_equal(pc.fill_null(pushes.column("mode"), ""), "empty"))
    newest = last_by_view(pushes)
    both = pa.concat_tables([newest.filter(pc.equal(newest.column("mode"), "empty")), last_by_view(telling)])
    return both.sort_by(AT)


def stored_last_pushes(log: DeltaLog) -> pa.Table:
    """What was kept, oldest first."""
    files = [file.path for file in log.snapshot().files] if log.exists() else []
    if not files:
        return PUSHES.empty_table()
    return read_files(files, PUSHES).sort_by(AT)


def keep_last_pushes(log: DeltaLog, pushes: pa.Table, now: int, transactions: Mapping[str, int]) -> None:
    """Replace what was kept by what is worth keeping of it and of later pushes."""
    if not log.exists():
        log.create(PUSHES)
    log.widen(PUSHES)
    before = log.snapshot().files
    rows = last_pushes(pa.concat_tables([stored_last_pushes(log), pushes.select(PUSHES.names)]))
    time = max(now, log.time() + 1)
    written = write_parquet(log.path, new_file_name(time), rows)
    log.commit(time, [written], before, transactions=transactions)

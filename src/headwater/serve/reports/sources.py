"""The state of a project's sources: what is in each, how fast it changes, what is wrong, and what to do next.

Everything is read from Delta logs and small records, so it costs the same however much is stored; only the
weights of files that hold deletions are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.capture.rejected import Rejected, rejected_rows
from headwater.clock import Clock
from headwater.errors import HeadwaterError, shown_folder
from headwater.model import Project, Table
from headwater.serve.planning.relation_facts import changes_per_second
from headwater.storage.delta.damage import damage, damaged_source
from headwater.storage.delta.delta_log import DataFile
from headwater.storage.delta.reading import whole_files
from headwater.storage.records.capture_health import CaptureHealth, WaitingFile, read_captures
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

__all__ = ["SourceStatus", "next_step", "source_statuses"]


@dataclass(frozen=True, slots=True)
class SourceStatus:
    name: str
    provider: str
    time: int | None  # of the newest change
    changes: int
    error: str = ""  # what kept the last run from capturing it
    waiting: tuple[WaitingFile, ...] = ()  # files that could not be read, and are tried again
    rows: int = 0  # that are there now
    rate_per_s: float | None = None  # changes per second, in the newest ten minutes with changes
    lag_s: float | None = None  # since the moment up to which it is captured
    rejected: int = 0  # rows that wait as dead letters
    detail: str = ""  # the error in the server's own words
    next: str = ""  # what to do or to type next, if anything
    rejected_share: float = 0.0  # of these and the changes that are stored


def source_statuses(
    project: Project, warehouse: Warehouse, clock: Clock, running: bool
) -> tuple[SourceStatus, ...]:
    captures, rejected = read_captures(warehouse.root), dict[str, Rejected]()
    try:
        rejected = rejected_rows(warehouse, project.tables)
    except HeadwaterError as error:
        captures = _uncounted(captures, error, project)
    return tuple(
        _source(
            project,
            warehouse,
            table,
            captures.get(table.name, CaptureHealth()),
            rejected.get(table.name, Rejected(table.name, 0)),
            clock.now(),
            running,
        )
        for table in project.tables.values()
    )


def _uncounted(
    captures: Mapping[str, CaptureHealth], error: HeadwaterError, project: Project
) -> dict[str, CaptureHealth]:
    """The same, saying that dead letters cannot be read where nothing worse is wrong."""
    problem = f"what was rejected cannot be counted: {error.message}"
    hint = f"A run sets what is damaged aside: headwater run {shown_folder(project.folder)}"
    found = {name: captures.get(name, CaptureHealth()) for name in project.tables}
    return {
        name: health if health.error else replace(health, error=problem, hint=hint)
        for name, health in found.items()
    }


def _source(
    project: Project,
    warehouse: Warehouse,
    table: Table,
    capture: CaptureHealth,
    rejected: Rejected,
    now: int,
    running: bool,
) -> SourceStatus:
    log = warehouse.source(table.name).log
    if what := damage(log):
        return _damaged(table, what, rejected)
    snapshot = log.snapshot()
    last = warehouse.clock(table.name).last()
    captured = last is not None and (running or table.provider != "api")
    return SourceStatus(
        table.name,
        table.provider,
        snapshot.time or None,
        snapshot.rows,
        capture.error,
        capture.waiting,
        sum(_rows(file) for file in snapshot.files),
        changes_per_second(snapshot.files),
        (now - (last or 0)) / 1e6 if captured else None,
        rejected.rows,
        capture.detail,
        next_step(table, capture, rejected.rows, snapshot.time > 0, running, shown_folder(project.folder)),
        rejected.share,
    )


def _damaged(table: Table, what: str, rejected: Rejected) -> SourceStatus:
    """Whatever else is wrong with its capture: the rows are gone that would be counted."""
    error = damaged_source(table.name, what)
    return SourceStatus(
        table.name, table.provider, None, 0, error.message, rejected=rejected.rows, next=error.hint,
        rejected_share=rejected.share,
    )  # fmt: skip


def next_step(
    table: Table, capture: CaptureHealth, rejected: int, changed: bool, running: bool, folder: str
) -> str:
    """What to do about a source: the remedy of what is wrong, else what gets its first rows in."""
    if capture.error:
        return capture.hint
    if capture.waiting:
        return "let the files be read; they are tried again" + (
            "" if running else f" by headwater run {folder}"
        )
    if rejected:
        return f"headwater dead-letters {folder} {table.name}"
    if changed:
        return ""
    if table.provider == "api":
        return f"headwater ingest {folder} {table.name} FILE"
    return "" if running else f"headwater run {folder}"


def _rows(file: DataFile) -> int:
    """The rows that a file of changes adds: as the log says if all have one weight, else read."""
    low, high = file.minimum.get(WEIGHT), file.maximum.get(WEIGHT)
    if low is not None and low == high:
        return int(low) * file.rows
    return _weight(file.path)


@lru_cache(maxsize=100_000)
def _weight(path: str) -> int:
    """The sum of a file's weights. A file never changes, so whoever asks again and again reads it once."""
    with whole_files():
        return int(pc.sum(pq.read_table(path, columns=[WEIGHT]).column(WEIGHT)).as_py() or 0)

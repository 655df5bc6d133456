"""Writes a frame as data files of a stage: one Spark action, then footers are read for statistics.

The files do not count until the Delta log names them.  Vacuum removes what an interrupted push leaves behind.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Collection, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from headwater.algebra.expressions.build import FALSE, when
from headwater.algebra.expressions.tree import Column, Expr, call, conjunction, rename, spark_sql
from headwater.algebra.failures.can_fail import can_fail
from headwater.algebra.plans.nodes import Filter, Plan, Project, Scan
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.engine.query.query import Query
from headwater.errors import InternalError
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.delta.statistics import footer_statistics
from headwater.storage.timeline import WEIGHT, Timeline, at_time, new_file_name
from headwater.storage.view_rows import STATE, VISIBLE

__all__ = ["arrow_columns", "create", "moved_files", "stored_columns", "stored_form", "write", "write_plain"]


def stored_form(stage: Stage, kept: Kept, delta: Query) -> Query:
    """A stage's rows as they are stored: a view's own columns first, then what it must remember."""
    return delta.select((name, spark_sql(expr)) for name, expr in stored_columns(stage, kept))


def stored_columns(stage: Stage, kept: Kept) -> list[tuple[str, Expr]]:
    """What is stored, as expressions over the stage's columns."""
    if stage.name != kept.view:
        return [(name, Column(name)) for name in stage.columns]
    columns, visible = _finished(kept.finish)
    holds = conjunction(tuple(visible))
    if holds is not None:
        columns = [(name, _guarded(holds, expr)) for name, expr in columns]
        columns.append((VISIBLE, call("coalesce", holds, FALSE)))
    if stage.kind in (StageKind.LINEAR, StageKind.GROUPS):
        columns += [(STATE + name, Column(name)) for name in stage.columns]
    return columns


def _guarded(visible: Expr, value: Expr) -> Expr:
    """A group that HAVING hides is stored all the same; what could fail for it is not computed."""
    return when(visible, value) if can_fail(value) else value


def _finished(finish: Plan) -> tuple[list[tuple[str, Expr]], list[Expr]]:
    """The finish as expressions over the stage's columns: outputs, and conditions for being visible."""
    match finish:
        case Scan(names=names, columns=columns):
            return [(column, Column(name)) for column, name in zip(columns, names, strict=True)], []
        case Project(child, items):
            below, visible = _finished(child)
            return [(name, rename(expr, dict(below))) for name, expr in items], visible
        case Filter(child, condition):
            below, visible = _finished(child)
            return below, [*visible, rename(condition, dict(below))]
        case _:
            raise InternalError("HW991", f"the finish of a view is not row-wise: {finish}")


def arrow_columns(frame: DataFrame) -> pa.Schema:
    """The frame's own columns as an Arrow schema, nullable, without the weight."""
    schema = to_arrow_schema(frame.schema, timezone="UTC")
    return pa.schema(
        [pa.field(field.name, field.type, nullable=True) for field in schema if field.name != WEIGHT]
    )


def create(timeline: Timeline, stage: str, frame: DataFrame) -> None:
    """Create a stage's timeline for the rows of the frame, unless it is there."""
    if not timeline.exists():
        timeline.create(arrow_columns(frame), f"changes of {stage}")


def write(frame: DataFrame, folder: str, time: int, spread: bool) -> list[NewFile]:
    """Run the frame and write its changes as of `time`. `spread`: its query does not end with a shuffle."""
    # Adaptive execution merges what is small; without it, what is written is small: one file either way.
    merged = frame.hint("rebalance") if _adaptive(frame) else frame.repartition(1)
    files = write_plain(merged if spread else frame, folder, time)
    return [at_time(file, time) for file in files]


def _adaptive(frame: DataFrame) -> bool:
    return frame.sparkSession.conf.get("spark.sql.adaptive.enabled") == "true"


def write_plain(frame: DataFrame, folder: str, time: int) -> list[NewFile]:
    """Run the frame and write its rows as they are, below a new folder named after the time."""
    name = f"push-{time:020d}-{uuid.uuid4().hex[:8]}"
    frame.write.parquet(os.path.join(folder, name))
    return [
        NewFile(f"{name}/{file}", footer_statistics(footer))
        for file, footer in _data_files(os.path.join(folder, name))
    ]


def moved_files(source: str, folder: str, time: int, columns: Collection[str]) -> list[NewFile]:
    """The data files below `source`, moved to a timeline's folder; statistics of `columns` only."""
    if not os.path.isdir(source):
        return []
    files = []
    for file, footer in _data_files(source):
        name = new_file_name(time)
        shutil.move(os.path.join(source, file), os.path.join(folder, name))  # maybe to another disk
        files.append(at_time(NewFile(name, footer_statistics(footer, columns)), time))
    return files


def _data_files(folder: str) -> Iterator[tuple[str, pq.FileMetaData]]:
    """The data files that Spark left in a folder, except empty ones, with their footers."""
    for file in sorted(os.listdir(folder)):
        if file.endswith(".parquet") and not file.startswith(("_", ".")):
            footer = pq.read_metadata(os.path.join(folder, file))
            if footer.num_rows:
                yield file, footer

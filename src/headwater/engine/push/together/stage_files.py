"""The rows of an action's stages, each with the number of its stage, as files in the stages' own folders.

Spark can write a folder for each stage, but every file costs it some milliseconds and a process (Hadoop sets
permissions by `chmod`), and every task writes a file for each of its stages.  Many stages with few rows are
therefore written as few files, and the driver makes a file for each stage of them.  The next push has fewer
files to read, too.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import moved_files
from headwater.engine.spark.paths import literal_path
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.delta.reading import read_files
from headwater.storage.delta.statistics import is_window
from headwater.storage.timeline import WEIGHT, Timeline, change_schema

__all__ = ["STAGE", "stage_files"]

STAGE = "_stage"
MANY_STAGES = 16
DRIVER_BYTES = 64_000_000  # of files

Columns = Sequence[tuple[Job, Mapping[str, str]]]  # jobs by number, with the types of their columns


def stage_files(workplace: Workplace, frame: DataFrame, jobs: Columns) -> dict[str, list[NewFile]]:
    """Run the frame; the files of each stage, in its own folder and not yet committed."""
    root = workplace.warehouse.root_of(jobs[0][0].kept.view)
    staging = os.path.join(workplace.warehouse.staging(root), uuid.uuid4().hex)
    try:
        schema = _schema(workplace, jobs)
        if len(jobs) < MANY_STAGES or not all(map(_flat, schema)):
            return _by_folder(workplace, frame, jobs, staging)
        together = os.path.join(staging, "together")
        frame.write.option("compression", "uncompressed").parquet(together)  # read once, and at once
        files = _data_files(together)
        if sum(map(os.path.getsize, files)) <= DRIVER_BYTES:
            return _by_driver(workplace, files, schema, jobs)
        rows = frame.sparkSession.read.schema(frame.schema).parquet(literal_path(together))
        return _by_folder(workplace, rows, jobs, os.path.join(staging, "apart"))
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _by_folder(
    workplace: Workplace, frame: DataFrame, jobs: Columns, staging: str
) -> dict[str, list[NewFile]]:
    """Spark writes a folder for each stage, whose files are moved."""
    frame.write.partitionBy(STAGE).parquet(staging)
    return {
        job.name: moved_files(
            os.path.join(staging, f"{STAGE}={number}"),
            workplace.timeline(job.name).path,
            job.until,
            (*types, WEIGHT),
        )
        for number, (job, types) in enumerate(jobs)
    }


def _data_files(folder: str) -> list[str]:
    return [
        os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if name.endswith(".parquet") and not name.startswith(("_", "."))
    ]


def _schema(workplace: Workplace, jobs: Columns) -> pa.Schema:
    """The columns of all stages, and the number of each; a stage without a window has NULL for it."""
    stored = (field for job, _ in jobs for field in change_schema(workplace.timeline(job.name).columns()))
    fields = {field.name: field.with_type(_optional(field.type)) for field in stored}
    return pa.schema([*fields.values(), pa.field(STAGE, pa.int32())])


def _optional(kind: pa.DataType) -> pa.DataType:
    return pa.struct([field.with_nullable(True) for field in kind]) if is_window(kind) else kind


def _flat(field: pa.Field) -> bool:
    return not pa.types.is_nested(field.type) or is_window(field.type)


def _by_driver(
    workplace: Workplace, files: Sequence[str], schema: pa.Schema, jobs: Columns
) -> dict[str, list[NewFile]]:
    rows = read_files(files, schema) if files else schema.empty_table()
    rows = rows.take(pc.sort_indices(rows, [(STAGE, "ascending")]))
    bounds = np.searchsorted(rows[STAGE].to_numpy(), np.arange(len(jobs) + 1))
    fresh: dict[str, pa.Table] = {}
    written = {
        job.name: _written(workplace.timeline(job.name), rows.slice(begin, end - begin), job.until, fresh)
        for (job, _), begin, end in zip(jobs, bounds, bounds[1:], strict=False)
    }
    workplace.fresh.remember(fresh)
    return written


def _written(timeline: Timeline, rows: pa.Table, time: int, fresh: dict[str, pa.Table]) -> list[NewFile]:
    """The rows of a stage as a file, and by its path."""
    if not rows.num_rows:
        return []
    schema = change_schema(timeline.columns())
    own = rows.select(schema.names).cast(schema)
    file = timeline.write(own, time)
    fresh[os.path.join(timeline.path, file.relative)] = own
    return [file]

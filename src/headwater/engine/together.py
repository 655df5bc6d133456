"""Many pushes in one Spark action: the deltas of several stages are one union, written apart by stage.

    stage a   d(users * tweets)        uid name tid text  -     _weight  _stage = 0
    stage b   d(tweets * urls)         -   -    tid text  url   _weight  _stage = 1

Spark's cost of a small action is mostly planning, scheduling and committing, paid once here; a delta that
several stages broadcast is read and hashed once, because Spark reuses equal exchanges within a query.  The
columns that a stage has not are NULL in its files, which costs some bytes; readers pick columns by name.

Each stage is then committed by itself, so a crash leaves every stage before or after its push.  Stages whose
columns of one name have different types go into different actions.
"""

from __future__ import annotations

import math
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.engine.metering import Meter, metered
from headwater.engine.opened import Opened, spark_schema
from headwater.engine.push import Job, Pushed, Pushing
from headwater.engine.query import Query, quoted, union
from headwater.engine.writing import moved_files
from headwater.sharing.time_model import Effort
from headwater.storage.delta_log import NewFile
from headwater.storage.timeline import WEIGHT

__all__ = ["push_together"]

STAGE = "_stage"
BYTES_PER_TASK = 16_000_000
FEWEST_TASKS = 2


@dataclass(frozen=True, slots=True)
class _Part:
    """A job with the query of its delta and the types of the query's columns."""

    job: Job
    query: Query
    types: Mapping[str, str]


def push_together(pushing: Pushing, jobs: Sequence[Job], hints: bool = True) -> list[Pushed]:
    """Do all jobs: at each site what is small and incremental at once, the others one by one."""
    done: list[Pushed] = []
    for site in dict.fromkeys(pushing.catalog.site_of(job.stage.name) for job in jobs):
        here = [job for job in jobs if pushing.catalog.site_of(job.stage.name) == site]
        joint = [job for job in here if job.small]
        if len(joint) > 1:
            done += _joint(pushing, joint, hints)
            here = [job for job in here if not job.small]
        done += [pushing.run(job, hints) for job in here]
    return done


def _joint(pushing: Pushing, jobs: Sequence[Job], hints: bool) -> Iterator[Pushed]:
    waiting: list[_Part] = []
    written: dict[str, int] = {}
    group = f"push {len(jobs)} stages {jobs[0].until} {uuid.uuid4().hex[:6]}"
    spark = pushing.spark_of(jobs[0].stage.name, small=True)
    with metered(spark, group, f"push {len(jobs)} stages", "pushes") as meter, Opened(spark) as opened:
        for job in jobs:
            query, _ = pushing.stored_delta(job, opened, hints)
            if query is None:
                written[job.stage.name] = pushing.commit(job, ())
            else:
                waiting.append(_Part(job, query, _types(pushing, job)))
        tasks = _tasks(opened.files)
        for batch in _compatible(waiting):
            for job, files in _write(pushing, opened, batch, tasks):
                written[job.stage.name] = pushing.commit(job, files)
    yield from _shares(pushing, jobs, written, meter, group)


def _types(pushing: Pushing, job: Job) -> dict[str, str]:
    schema = spark_schema(pushing.timeline(job.stage.name).columns())
    return {one.name: one.dataType.simpleString() for one in schema}


def _compatible(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Groups within which a column name has one type."""
    groups: list[tuple[dict[str, str], list[_Part]]] = []
    for part in parts:
        for types, members in groups:
            if all(types.get(name, kind) == kind for name, kind in part.types.items()):
                types.update(part.types)
                members.append(part)
                break
        else:
            groups.append((dict(part.types), [part]))
    return [members for _, members in groups]


def _tasks(opened: Iterable[tuple[str, ...]]) -> int:
    """As many as the files that are read deserve.

    Spark has at least one task for each term of each stage.  Every one of them costs some ten milliseconds,
    and every file and folder that it writes a process (Hadoop sets permissions by `chmod`).
    """
    read = sum(os.path.getsize(path) for files in opened for path in files)
    return max(FEWEST_TASKS, math.ceil(read / BYTES_PER_TASK))


def _write(
    pushing: Pushing, opened: Opened, parts: Sequence[_Part], tasks: int
) -> Iterator[tuple[Job, list[NewFile]]]:
    """One Spark action; the files of each stage are moved to its own folder."""
    columns = {name: kind for part in parts for name, kind in part.types.items()}
    whole = union([_padded(part, columns, number) for number, part in enumerate(parts)])
    root = pushing.warehouse.place(parts[0].job.kept.view)
    staging = os.path.join(pushing.warehouse.staging(root), uuid.uuid4().hex)
    try:
        opened.run(whole).coalesce(tasks).write.partitionBy(STAGE).parquet(staging)
        for number, part in enumerate(parts):
            folder = pushing.timeline(part.job.stage.name).path
            source = os.path.join(staging, f"{STAGE}={number}")
            yield part.job, moved_files(source, folder, part.job.until, (*part.types, WEIGHT))
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _padded(part: _Part, columns: Mapping[str, str], number: int) -> Query:
    """With all columns of the action, and the stage's number."""
    return part.query.select(
        [
            *(
                (name, quoted(name) if name in part.types else f"CAST(NULL AS {kind})")
                for name, kind in columns.items()
            ),
            (STAGE, str(number)),
        ]
    )


def _shares(
    pushing: Pushing, jobs: Sequence[Job], written: Mapping[str, int], meter: Meter, group: str
) -> Iterator[Pushed]:
    """The cost of the action split among its stages: half evenly, half by the rows that each moved."""
    moved = {job.stage.name: job.effort.changed + written[job.stage.name] for job in jobs}
    total = sum(moved.values())
    for job in jobs:
        even = 1 / len(jobs)
        share = even if total == 0 else (even + moved[job.stage.name] / total) / 2
        effort = Effort(job.effort.changed, job.effort.scanned, written[job.stage.name])
        mine = replace(meter, cpu_seconds=meter.cpu_seconds * share)
        copied = pushing.bytes_copied(job)
        yield Pushed(job, effort, timedelta(seconds=meter.seconds), mine, group, copied)

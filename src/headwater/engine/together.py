"""Many pushes in one Spark action: the deltas of several stages are one union, written apart by stage.

    stage a   d(users * tweets)        uid name tid text  -     _weight  _stage = 0
    stage b   d(tweets * urls)         -   -    tid text  url   _weight  _stage = 1

Spark's cost of a small action is mostly planning, scheduling and committing, paid once here; a delta that
several stages broadcast is read and hashed once, because Spark reuses equal exchanges within a query.  The
columns that a stage has not are NULL in its files, which costs some bytes; readers pick columns by name.

Levels that are small are one action too, as long as they are pushed by one Spark: what later levels read of
earlier ones is promised (promises.py) and kept in memory when it is computed.

Each stage is then committed by itself, what others read before those, so a crash leaves every stage before
or after its push and none ahead of what it reads.  Stages whose columns of one name have different types are
written apart.
"""

from __future__ import annotations

import math
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from headwater.engine.estimates import Estimates
from headwater.engine.metering import Meter, metered
from headwater.engine.opened import Opened, spark_schema
from headwater.engine.promises import path_of, promise
from headwater.engine.push import Job, Mode, Pushed, Pushing
from headwater.engine.query import Query, quoted, union
from headwater.engine.relations import Relations
from headwater.engine.writing import moved_files
from headwater.sharing.time_model import Effort
from headwater.storage.delta_log import DataFile, NewFile
from headwater.storage.timeline import WEIGHT

__all__ = ["MOST_KEPT", "Action"]

STAGE = "_stage"
BYTES_PER_TASK = 32_000_000
FEWEST_TASKS = 2
MOST_KEPT = 100_000  # rows of earlier levels in memory
MOST_STAGES = 100  # of several levels at once: Spark plans an action as a whole


@dataclass(frozen=True, slots=True)
class _Part:
    """A job with the query of its delta and the types of the query's columns."""

    job: Job
    query: Query
    types: Mapping[str, str]


@dataclass(slots=True)
class Action:
    """The stages of one or several levels, to be brought to a time: what is small at once, the rest apart."""

    pushing: Pushing
    hints: bool = True
    yields: Mapping[str, float] = field(default_factory=dict)  # changes out per change in, by stage
    jobs: list[Job] = field(default_factory=list)
    promised: dict[str, DataFile] = field(default_factory=dict)
    _relations: dict[str, Relations] = field(default_factory=dict)  # of small jobs, as they were decided

    def takes(self, jobs: Sequence[Job]) -> bool:
        """Whether the next level can be part of it: only if all of both is small, not much and on one Spark.

        What failed before is tried level by level; so is what would keep much in memory, because writing
        and reading it costs less then.  What is copied to another site must have been computed.
        """
        if not self.jobs:
            return True
        copied = (self.pushing.catalog.copies[job.stage.name] for job in jobs if job.mode is Mode.COPY)
        if any(name in self.promised for name in copied):
            return False
        both = [job for job in (*self.jobs, *jobs) if job.mode not in (Mode.EMPTY, Mode.COPY)]
        read = _paths_read(both)
        kept = sum(file.rows for file in self.promised.values() if file.path in read)
        few = len(both) <= MOST_STAGES and kept <= MOST_KEPT
        one = len({self.pushing.address(job.stage.name) for job in both}) <= 1
        return self.hints and few and one and all(job.small for job in both)

    def add(self, jobs: Sequence[Job]) -> None:
        """Take the jobs of a level, and promise what they will make."""
        self.jobs += jobs
        for job in (one for one in jobs if one.small):
            relations = self.pushing.relations(job.stage, job.until, dict(self.promised))
            self._relations[job.stage.name] = relations
            known = Estimates(relations)
            plan = self.pushing.delta_plan(job, known)
            if plan is not None:
                expected = round(job.effort.changed * self.yields.get(job.stage.name, 0.0))
                self.promised[job.stage.name] = promise(job, plan, known, expected)

    def sparks(self) -> list[list[Job]]:
        """The jobs of each Spark."""
        sparks: dict[str, list[Job]] = {}
        for job in self.jobs:
            sparks.setdefault(self.pushing.address(job.stage.name), []).append(job)
        return list(sparks.values())

    def run(self, jobs: Sequence[Job]) -> list[Pushed]:
        """Do the jobs of one Spark, what is small at once. Sparks need not wait for each other."""
        done: list[Pushed] = []
        if sum(job.small for job in jobs) > 1:
            done += self._joint([job for job in jobs if job.small or job.mode is Mode.EMPTY])
            jobs = [job for job in jobs if not job.small and job.mode is not Mode.EMPTY]
        return [*done, *(self.pushing.run(job, self.hints) for job in jobs)]

    def _joint(self, jobs: Sequence[Job]) -> list[Pushed]:
        """One Spark action for what is small; then commits, in the order of the levels."""
        small = [job for job in jobs if job.small]
        read = _paths_read(small)
        group = f"push {len(small)} stages {small[0].until} {uuid.uuid4().hex[:6]}"
        spark = self.pushing.spark_of(small[0].stage.name, small=True)
        parts: list[_Part] = []
        written: dict[str, list[NewFile]] = {}
        rows: dict[str, int] = {}
        with metered(spark, group, f"push {len(small)} stages", "pushes") as meter, Opened(spark) as opened:
            for job in small:
                relations = self._relations[job.stage.name]
                query, _ = self.pushing.stored_delta(job, relations, opened, self.hints)
                if query is not None:
                    if (path := path_of(job.stage.name)) in read:
                        query = opened.keep(path, query)
                    parts.append(_Part(job, query, _types(self.pushing, job)))
            tasks = _tasks(opened.files)
            for batch in _compatible(parts):
                written |= _write(self.pushing, opened, batch, tasks)
            for job in jobs:
                if job.small:
                    rows[job.stage.name] = self.pushing.commit(job, written.get(job.stage.name, ()))
                else:
                    self.pushing.run(job)
        idle = [Pushed(job, job.effort, timedelta(), Meter()) for job in jobs if not job.small]
        return [*_shares(self.pushing, small, rows, meter, group), *idle]


def _paths_read(jobs: Iterable[Job]) -> set[str]:
    return {file.path for job in jobs for part in job.changed.values() for file in part.files}


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


def _write(pushing: Pushing, opened: Opened, parts: Sequence[_Part], tasks: int) -> dict[str, list[NewFile]]:
    """One Spark action; the files of each stage are moved to its own folder."""
    columns = {name: kind for part in parts for name, kind in part.types.items()}
    whole = union([_padded(part, columns, number) for number, part in enumerate(parts)])
    root = pushing.warehouse.place(parts[0].job.kept.view)
    staging = os.path.join(pushing.warehouse.staging(root), uuid.uuid4().hex)
    written = {}
    try:
        opened.run(whole).coalesce(tasks).write.partitionBy(STAGE).parquet(staging)
        for number, part in enumerate(parts):
            stage = part.job.stage.name
            source = os.path.join(staging, f"{STAGE}={number}")
            columns_kept = (*part.types, WEIGHT)
            folder = pushing.timeline(stage).path
            written[stage] = moved_files(source, folder, part.job.until, columns_kept)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return written


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
    changed = {job.stage.name: _changed(job, written) for job in jobs}
    moved = {name: changed[name] + written[name] for name in changed}
    total = sum(moved.values())
    for job in jobs:
        name = job.stage.name
        even = 1 / len(jobs)
        share = even if total == 0 else (even + moved[name] / total) / 2
        effort = Effort(changed[name], job.effort.scanned, written[name])
        mine = replace(meter, cpu_seconds=meter.cpu_seconds * share)
        yield Pushed(job, effort, timedelta(seconds=meter.seconds), mine, group, pushing.bytes_copied(job))


def _changed(job: Job, written: Mapping[str, int]) -> int:
    """The changes that a job read: of what was promised, as many as there turned out to be."""
    found = {path_of(name): rows for name, rows in written.items()}
    return sum(found.get(file.path, file.rows) for part in job.changed.values() for file in part.files)

"""Several stages in one run of Spark: the union of their deltas, partitioned by stage when written.

    stage a   d(users * tweets)        uid name tid text  -     _weight  _stage = 0
    stage b   d(tweets * urls)         -   -    tid text  url   _weight  _stage = 1

The cost of a small action is mostly planning, scheduling and committing, and is paid once here; a delta that
several stages broadcast is read and hashed once, because Spark reuses equal exchanges within a query.
Columns that a stage does not have are NULL in its files, which costs some bytes; readers pick columns by
name.  Stages of different levels may be in one action: what later ones read of earlier ones is pending
(pending_deltas.py) and held in memory.  First computations that read few rows are united in the same way.

Stages that differ only in the lengths of their windows are one term of the union (families.py).
Stages whose columns of one name differ in type, or in case, are written one after another.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import accumulate

from headwater.algebra.stages.families import MEMBER
from headwater.engine.push.commit import Pushed, bytes_copied, commit, move_on
from headwater.engine.push.decide import Job
from headwater.engine.push.delta_query import delta_query, few_plan
from headwater.engine.push.together.families import families, family_query
from headwater.engine.push.together.pending_deltas import path_of
from headwater.engine.push.together.stage_files import STAGE, stage_files
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import create
from headwater.engine.query.inputs import Inputs, spark_schema
from headwater.engine.query.query import Query, quoted, union
from headwater.engine.query.relations import Relations
from headwater.engine.spark.metering import Meter, metered
from headwater.engine.spark.session import Size
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Mode, handles_few
from headwater.storage.delta.delta_log import NewFile

__all__ = ["push_jointly"]

BYTES_PER_TASK = 32_000_000
FEWEST_TASKS = 2


@dataclass(frozen=True, slots=True)
class _Part:
    """Jobs with the query of their deltas and the types of its columns; a family has a column of members."""

    jobs: tuple[Job, ...]
    query: Query
    types: Mapping[str, str]


def push_jointly(
    workplace: Workplace, jobs: Sequence[Job], relations: Mapping[str, Relations], hints: bool
) -> list[Pushed]:
    """Compute the stages in one run of Spark; then commit them, in the order of their levels."""
    small = [job for job in jobs if job.mode is not Mode.EMPTY]
    read = {file.path for job in small for part in job.changed.values() for file in part.files}
    group = f"push {len(small)} stages {small[0].until} {uuid.uuid4().hex[:6]}"
    few = hints and handles_few(_rows(small, relations), len(small))
    spark = workplace.spark_of(small[0].name, Size.FEW if few else Size.SMALL)
    parts: list[_Part] = []
    written: dict[str, list[NewFile]] = {}
    rows: dict[str, int] = {}
    with metered(spark, group, f"push {len(small)} stages", "pushes") as meter, Inputs(spark, few) as opened:
        for together in families(workplace, small, read):
            if together.alone:
                (job,) = together.jobs
                query, _ = delta_query(workplace, job, relations[job.name], opened, hints)
                if query is not None and job.mode is Mode.INITIAL:
                    create(workplace.timeline(job.name), job.name, opened.run(query))
                if query is not None and (path := path_of(job.name)) in read:
                    query = opened.persist(path, query)
            else:
                query = family_query(workplace, together, relations, opened, hints)
            if query is not None:
                parts.append(_Part(together.jobs, query, _types(workplace, together.jobs[0])))
        tasks = _tasks(opened.bytes_read)
        for batch in _compatible(parts):
            written |= _write(workplace, opened, batch, tasks)
        for job in jobs:
            if job.mode is Mode.EMPTY:
                move_on(workplace, job)
            else:
                rows[job.name] = commit(workplace, job, written.get(job.name, ()))
    idle = [Pushed(job, job.effort) for job in jobs if job.mode is Mode.EMPTY]
    return [*_pushed(workplace, small, relations, rows, meter, group), *idle]


def _rows(jobs: Sequence[Job], relations: Mapping[str, Relations]) -> float:
    """At most how many rows the jobs read."""
    return sum(few_plan(job, relations[job.name])[1] for job in jobs)


def _types(workplace: Workplace, job: Job) -> dict[str, str]:
    schema = spark_schema(workplace.timeline(job.name).columns())
    return {field.name: field.dataType.simpleString() for field in schema}


def _compatible(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Groups in which a column's name has one type and one spelling: Spark ignores case."""
    groups: list[tuple[dict[str, tuple[str, str]], list[_Part]]] = []
    for part in parts:
        columns = {name.lower(): (name, kind) for name, kind in part.types.items()}
        for taken, members in groups:
            if all(taken.get(name, column) == column for name, column in columns.items()):
                taken.update(columns)
                members.append(part)
                break
        else:
            groups.append((columns, [part]))
    return [members for _, members in groups]


def _tasks(read: int) -> int:
    """How many tasks should write, by the bytes that are read.

    Spark would have at least one task for each term of each stage.  Each costs some ten milliseconds, and
    each file and folder that it writes costs a process (Hadoop sets permissions by `chmod`).
    """
    return max(FEWEST_TASKS, math.ceil(read / BYTES_PER_TASK))


def _write(
    workplace: Workplace, opened: Inputs, parts: Sequence[_Part], tasks: int
) -> dict[str, list[NewFile]]:
    """The files of each stage, in its own folder."""
    columns = {name: kind for part in parts for name, kind in part.types.items()}
    first = list(accumulate((len(part.jobs) for part in parts), initial=0))
    joint = union([_padded(part, columns, number) for number, part in zip(first, parts, strict=False)])
    jobs = [(job, part.types) for part in parts for job in part.jobs]
    return stage_files(workplace, opened.run(joint).coalesce(tasks), jobs)


def _padded(part: _Part, columns: Mapping[str, str], number: int) -> Query:
    """The part's query with all columns of the action, and the stage's number, of a family's first."""
    member = f"{number} + {quoted(MEMBER)}" if MEMBER in part.query.columns else str(number)
    return part.query.select(
        [
            *(
                (name, quoted(name) if name in part.types else f"CAST(NULL AS {kind})")
                for name, kind in columns.items()
            ),
            (STAGE, member),
        ]
    )


def _pushed(
    workplace: Workplace,
    jobs: Sequence[Job],
    relations: Mapping[str, Relations],
    written: Mapping[str, int],
    meter: Meter,
    group: str,
) -> Iterator[Pushed]:
    """What was done for each stage, with an even share of the cost."""
    duration = timedelta(seconds=meter.seconds)
    even = replace(meter, cpu_seconds=meter.cpu_seconds / len(jobs))
    for job in jobs:
        effort = Effort(_changed(job, written), relations[job.name].rows_scanned, written[job.name])
        yield Pushed(job, effort, duration, even, group, bytes_copied(workplace, job))


def _changed(job: Job, written: Mapping[str, int]) -> int:
    """The changes that a job read: of what was pending, as many as there turned out to be."""
    made = {path_of(name): rows for name, rows in written.items()}
    return sum(made.get(file.path, file.rows) for part in job.changed.values() for file in part.files)

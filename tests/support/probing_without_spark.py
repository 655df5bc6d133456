"""A push of inputs of adapted joins on real timelines without Spark: the engine decides, commits and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from headwater.algebra.stages.adapting import PROBED, PUSHED
from headwater.algebra.stages.stage import Probing
from headwater.engine.push.choosing.commit_probes import commit_probes
from headwater.engine.push.choosing.net_changes import names_of
from headwater.engine.push.choosing.note_push import note_push
from headwater.engine.push.choosing.probe_queries import GONE, LATE, PROBING, SILENT
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.metering import Meter
from headwater.planning.cost.effort import Effort
from headwater.storage.delta.delta_log import BEGINNING, NewFile
from headwater.storage.timeline import WEIGHT, Slice, Timeline

__all__ = ["changes_by_hand", "probe_without_spark"]

Row = tuple[Any, ...]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def probe_without_spark(workplace: Workplace, jobs: Sequence[Job], action: str) -> list[Pushed]:
    """In place of `push_probes`: windows of time only."""
    written = [_written(workplace, job) for job in jobs]
    for job, (files, counts) in zip(jobs, written, strict=True):
        commit_probes(workplace, job, files, counts)
    note_push(workplace, [(job, counts) for job, (_, counts) in zip(jobs, written, strict=True)])
    meter = Meter(seconds=1.0, cpu_seconds=1.0)
    return [
        Pushed(
            job,
            Effort(job.effort.changed, job.effort.scanned, sum(counts.values())),
            timedelta(seconds=1),
            meter,
            action,
        )
        for job, (_, counts) in zip(jobs, written, strict=True)
    ]


def changes_by_hand(workplace: Workplace, job: Job) -> tuple[list[tuple[Row, int]], dict[int, int]]:
    """Rows that a push adds to an input's timeline, with their weights; and how many there are of each kind."""
    probing = job.stage.probing
    assert probing is not None
    assert not probing.numbered
    source, timeline, names = workplace.timeline_of(job.reads[0]), workplace.timeline(job.name), names_of(job)
    stored = (
        _rows(timeline, timeline.as_of(job.after), [*names, PUSHED, PROBED])
        if job.after != BEGINNING
        else Counter()
    )
    return _changes(job, probing, names, _net(job, source, stored, names), stored)


def _written(workplace: Workplace, job: Job) -> tuple[list[NewFile], dict[int, int]]:
    source, timeline, names = workplace.timeline_of(job.reads[0]), workplace.timeline(job.name), names_of(job)
    changes, counts = changes_by_hand(workplace, job)
    schema = pa.schema(
        [
            *(source.columns().field(name) for name in names),
            (PUSHED, pa.timestamp("us", "UTC")),
            (PROBED, pa.bool_()),
        ]
    )
    if not timeline.exists():
        timeline.create(schema)
    if not changes:
        return [], counts
    columns = {
        field.name: pa.array([row[at] for row, _ in changes], field.type) for at, field in enumerate(schema)
    }
    table = pa.table({**columns, WEIGHT: pa.array([weight for _, weight in changes], pa.int64())})
    return [timeline.write(table, job.until)], counts


def _net(job: Job, source: Timeline, stored: Counter[Row], names: list[str]) -> Counter[Row]:
    if job.after != BEGINNING and source.horizon() <= job.after:
        return _rows(source, source.delta(job.after, job.until), names)
    net = _rows(source, source.as_of(job.until), names)
    for row, weight in stored.items():
        net[row[: len(names)]] -= weight
    return net


def _changes(
    job: Job, probing: Probing, names: list[str], net: Counter[Row], stored: Counter[Row]
) -> tuple[list[tuple[Row, int]], dict[int, int]]:
    """What the queries of engine/push/choosing/probe_queries.py say."""
    until, at = EPOCH + timedelta(microseconds=job.until), names.index(probing.time)
    keys = [names.index(name) for name in probing.key]
    new = [row for row, weight in net.items() if weight > 0]
    fresh = [row for row in new if row[at] is not None and row[at] >= until - probing.tolerance]
    ranked = sorted(fresh, key=lambda row: (row[at], [row[key] for key in keys]))
    allowed = set(ranked if job.budget.units is None else ranked[: job.budget.units])
    came = [((*row, until, row in allowed), 1) for row in fresh]
    went = [
        (row, -weight)
        for row, weight in stored.items()
        if weight and (net[row[: len(names)]] < 0 or row[at] < until - probing.keep)
    ]
    probed = sum(row[-1] for row, _ in came)
    counts = {PROBING: probed, SILENT: len(came) - probed, LATE: len(new) - len(fresh), GONE: len(went)}
    return [*came, *went], counts


def _rows(timeline: Timeline, part: Slice, names: list[str]) -> Counter[Row]:
    summed: Counter[Row] = Counter()
    table = timeline.read(part, names)
    for row in table.to_pylist():
        summed[tuple(row[name] for name in names)] += row[WEIGHT]
    return Counter({row: weight for row, weight in summed.items() if weight})

"""One action: one run of Spark that brings stages to a time, computed, written and committed; or one copy.

Stages are committed one by one, each after those that it reads, so a crash leaves every stage before or after
its push and none ahead of what it reads.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta

from pyspark.sql import SparkSession

from headwater.engine.push.choosing.push_choice import push_choice
from headwater.engine.push.choosing.push_probes import push_probes
from headwater.engine.push.commit import Pushed, bytes_copied, commit, move_on
from headwater.engine.push.decide import Job
from headwater.engine.push.delta_query import delta_query, few_plan
from headwater.engine.push.seen import newest_seen
from headwater.engine.push.together.first_computations import FewRows, compute_first_together
from headwater.engine.push.together.joint import push_jointly
from headwater.engine.push.whole import netted
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import create, write
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.relations import Relations
from headwater.engine.spark.metering import Meter, metered
from headwater.engine.spark.session import Size, new_session
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Action, Mode, handles_few, is_small
from headwater.storage.copying import copy_delta

__all__ = ["push_stage", "run_action"]

# Of files that a recompute reads: it has few tasks, so it writes few files without moving its rows once more.
FEW_BYTES = 256_000_000


def run_action(
    workplace: Workplace,
    action: Action[Job],
    relations: Mapping[str, Relations],
    hints: bool = True,
    net: bool = False,
) -> list[Pushed]:
    """Run an action and commit its stages. `relations`: what each stage reads, pending deltas included.

    `net`: rows that came and went are not computed with; only for a stage by itself.
    """
    if all(job.mode is Mode.PROBE for job in action.works):
        return push_probes(workplace, action.works)
    if len(action.stages) > 1 and all(job.mode is Mode.INITIAL for job in action.works):
        if not isinstance(action.works[0].likeness, FewRows):
            return compute_first_together(workplace, action.works, hints)
        relations = {job.name: workplace.relations(job.stage, job.until) for job in action.works}
    if len(action.stages) > 1:
        return push_jointly(workplace, action.works, relations, hints)
    return [push_stage(workplace, job, hints, net) for job in action.works]


def push_stage(workplace: Workplace, job: Job, hints: bool = True, net: bool = False) -> Pushed:
    """Push one stage by itself."""
    match job.mode:
        case Mode.EMPTY:
            return move_on(workplace, job)
        case Mode.COPY:
            return _copied(workplace, job)
        case Mode.PROBE:
            return push_probes(workplace, [job])[0]
        case Mode.CHOOSE:
            return push_choice(workplace, job)
        case Mode.INITIAL | Mode.INCREMENTAL | Mode.FULL:
            return _computed(workplace, job, hints, net)


def _copied(workplace: Workplace, job: Job) -> Pushed:
    """Bring a replica up to date with its relation."""
    meter = Meter()
    start, busy = time.perf_counter(), time.thread_time()
    original = workplace.timeline_of(workplace.catalog.copies[job.name])
    replica = workplace.timeline(job.name)
    copied = copy_delta(original, replica, job.until, newest_seen(workplace, job))
    meter.seconds, meter.cpu_seconds = time.perf_counter() - start, time.thread_time() - busy
    effort = Effort(copied.rows, 0, copied.rows)
    duration = timedelta(seconds=meter.seconds)
    return Pushed(job, effort, duration, meter, f"copy {job.name} {job.until}", copied.bytes)


def _computed(workplace: Workplace, job: Job, hints: bool, net: bool) -> Pushed:
    group = f"push {job.name} {job.until}"
    relations = workplace.relations(job.stage, job.until)
    if job.whole and not net:
        relations.netted = netted(workplace, job.kept)
    with metered(workplace.spark_of(job.name), group, f"push {job.name}", "pushes") as meter:
        rows = _compute_and_commit(workplace, job, relations, hints, net)
    effort = Effort(job.effort.changed, relations.rows_scanned, rows)
    duration = timedelta(seconds=meter.seconds)
    return Pushed(job, effort, duration, meter, group, bytes_copied(workplace, job))


def _compute_and_commit(workplace: Workplace, job: Job, relations: Relations, hints: bool, net: bool) -> int:
    """Compute a stage and commit it; returns the number of changes written."""
    few = hints and job.stage.plan is not None and handles_few(few_plan(job, relations)[1], 1)
    with Inputs(_session(workplace, job, few), one_task=few) as opened:
        delta = delta_query(workplace, job, relations, opened, hints, net)
        if delta.query is None:
            return commit(workplace, job, ())
        frame = opened.run(delta.query)
        timeline = workplace.timeline(job.name)
        create(timeline, job.name, frame)
        spread = not (few or delta.shuffled or (job.replaces and opened.bytes_read <= FEW_BYTES))
        files = write(frame, timeline.path, job.until, spread)
        return commit(workplace, job, files)


def _session(workplace: Workplace, job: Job, few: bool) -> SparkSession:
    """A user's SQL has a session of its own, in which relations have the names that it uses."""
    size = Size.FEW if few else Size.SMALL if is_small(job) else Size.LARGE
    spark = workplace.spark_of(job.name, size)
    return new_session(spark) if job.stage.plan is None else spark

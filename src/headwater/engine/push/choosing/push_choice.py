"""One push of a stage that chooses: merge what arrived into what waits, show what is worth most, commit
both.

1  after a crash between the two commits: compute again what waits (storage/choosing/waiting_table.py)
2  one row for each key, held in memory while it is counted
3  one write: the changes of chosen keys, and what waits then
4  commit `shown`, then `waiting`
"""

from __future__ import annotations

import logging
import math
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import pyarrow as pa

from headwater.algebra.stages.choosing import table_of
from headwater.engine.push.choosing.commit_choice import commit_choice
from headwater.engine.push.choosing.queries import ABOUT, AT, PART, WORTH, ChoosingQueries, Statistics
from headwater.engine.push.commit import Pushed, bytes_copied
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import moved_files
from headwater.engine.query.inputs import Inputs, spark_schema
from headwater.engine.spark.metering import metered
from headwater.model import ReadWeight, Table
from headwater.overload.budget import overloaded
from headwater.overload.updates.choosing.priority import Circumstances, priority
from headwater.overload.updates.choosing.reads import weights
from headwater.planning.cost.effort import Effort
from headwater.storage.choosing.choices import Choice, note_choice
from headwater.storage.choosing.reads import learn_noted
from headwater.storage.choosing.waiting_table import Tally, WaitingTable
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.timeline import WEIGHT

__all__ = ["push_choice"]

logger = logging.getLogger(__name__)

KEYS_PER_TASK = 250_000


def push_choice(workplace: Workplace, job: Job) -> Pushed:
    """Show the part of what waits that the job's budget allows."""
    group = f"push {job.name} {job.until}"
    spark = workplace.spark_of(job.name)
    choosing = _Choosing(workplace, job)
    with metered(spark, group, f"choose {job.name}", "pushes") as meter:
        if not choosing.waiting.current():
            choosing.repair()
        choice = choosing.choose()
    note_choice(workplace.warehouse, choice)
    _log(choice)
    scanned = job.effort.scanned
    effort = Effort(job.effort.changed, scanned, choice.shown_rows)
    return Pushed(job, effort, timedelta(seconds=meter.seconds), meter, group, bytes_copied(workplace, job))


def _log(choice: Choice) -> None:
    if choice.event != "chose":
        logger.info("%s %s overload: %s", choice.table, choice.event, choice.reason)


@dataclass(slots=True)
class _Choosing:
    workplace: Workplace
    job: Job

    @property
    def table(self) -> Table:
        return self.workplace.catalog.project.tables[table_of(self.job.name)]

    @property
    def waiting(self) -> WaitingTable:
        return self.workplace.waiting(self.table.name)

    @property
    def queries(self) -> ChoosingQueries:
        schema = spark_schema(self.waiting.shown.columns())
        types = {field.name: field.dataType.simpleString() for field in schema}
        return ChoosingQueries(types, self.table.update_key, self.table.windows)

    def repair(self) -> None:
        """What waits as of the time of `shown`: what waited, and what was gained and shown since."""
        waiting = self.waiting
        time, before = waiting.shown.time(), waiting.tally()
        logger.info("what waits of %s is computed again: a choice was interrupted", self.table.name)
        with self._keys(waiting.time(), time, minus_shown=True) as (inputs, keys, counted):
            marked = self.queries.marked(keys, None, everything=False)
            with self._written(inputs, marked, True, time, counted.keys) as (_, files):
                began = before.began_at or counted.first or time
                tally = Tally(
                    began, before.arrived + counted.arrived, before.taken + counted.taken, counted.waits,
                    counted.keys,
                )  # fmt: skip
                waiting.replace(waiting.shown.columns(), time, files, tally)

    def choose(self) -> Choice:
        job, waiting, budget = self.job, self.waiting, self.job.budget
        before = waiting.tally()
        with self._keys(job.after, job.until) as (inputs, keys, counted):
            choosing = overloaded(budget, counted.waits, before.choosing)
            fits = budget.units is None or counted.waits <= budget.units
            taken = counted.waits if fits else min(budget.units or 0, counted.may)
            began = before.began_at or counted.first or job.until
            chosen = None
            if taken < counted.waits:
                order = priority(self.table.updates, self._circumstances(began, counted))
                chosen = self.queries.chosen(keys, order, taken, self._worth(inputs, keys))
            marked = self.queries.marked(keys, chosen, everything=True)
            with self._written(inputs, marked, choosing, job.until, counted.keys) as (shown, files):
                tally = Tally(
                    began if choosing else 0, before.arrived + counted.arrived, before.taken + taken,
                    counted.waits - taken, counted.keys if choosing else 0,
                )  # fmt: skip
                commit_choice(self.workplace, waiting, job, shown, files, tally)
        rows = sum(file.statistics.rows for file in shown)
        event = {(False, True): "entered", (True, False): "left"}.get((before.choosing, choosing), "chose")
        return Choice(
            job.until, self.table.name, event, job.reason, taken, tally.waits, tally.superseded, rows,
            budget.share,
        )  # fmt: skip

    def _worth(self, inputs: Inputs, keys: str) -> str:
        """What keys are worth, as the table of weights says now."""
        weight = self.table.weight
        if isinstance(weight, ReadWeight):
            return self._worth_by_reads(inputs, keys, weight)
        source = None if weight is None else self.workplace.warehouse.source(weight.table)
        if weight is None or source is None or not source.exists():
            return ""
        return self.queries.weighed(keys, inputs.slice(source, source.as_of(source.time())), weight)

    def _worth_by_reads(self, inputs: Inputs, keys: str, weight: ReadWeight) -> str:
        """By what has been read up to now; there are as many weights as are remembered, and no more."""
        reads = weights(learn_noted(self.workplace.warehouse, self.table.name, self.job.until))
        if not reads:
            return ""
        columns = {f"_key{at}": [key[at] for key in reads] for at in range(len(weight.columns))}
        frame = inputs.spark.createDataFrame(pa.table({**columns, WORTH: list(reads.values())}))
        return self.queries.weighed_by_reads(keys, inputs.frame(frame).text, weight.columns)

    def _circumstances(self, began_at: int, counted: Statistics) -> Circumstances:
        return Circumstances(
            self.job.until, began_at, self.job.budget.cost, counted.waits, counted.keys, counted.seen,
            round(counted.squares), counted.newest, counted.silence,
        )  # fmt: skip

    @contextmanager
    def _keys(
        self, after: int, until: int, minus_shown: bool = False
    ) -> Iterator[tuple[Inputs, str, Statistics]]:
        """The keys of what waited and what arrived in (after, until], in memory, and counted."""
        workplace, waiting, queries = self.workplace, self.waiting, self.queries
        source = workplace.warehouse.source(self.table.name)
        waiting.create(waiting.shown.columns())
        with Inputs(workplace.spark_of(self.job.name)) as inputs:
            waited = inputs.slice(waiting.timeline, waiting.part())
            arrived = inputs.arrivals(source, source.delta(after, until), AT)
            shown = waiting.shown
            taken = inputs.slice(shown, shown.delta(after, until)) if minus_shown else None
            frame = inputs.spark.sql(queries.keys(queries.inputs(waited, arrived, taken))).persist()
            try:
                keys = inputs.frame(frame).text
                row = inputs.spark.sql(queries.statistics(keys, until)).collect()[0]
                yield inputs, keys, Statistics(*((value or 0) for value in row))
            finally:
                frame.unpersist()

    @contextmanager
    def _written(
        self, inputs: Inputs, marked: str, remember: bool, time: int, keys: int
    ) -> Iterator[tuple[list[NewFile], list[NewFile]]]:
        """The files of `shown` and of `waiting`, in their folders, ready to be committed."""
        root = self.workplace.warehouse.root_of(self.job.kept.view)
        staging = os.path.join(self.workplace.warehouse.staging(root), uuid.uuid4().hex)
        waiting, columns = self.waiting, (*self.queries.types, WEIGHT)
        frame = inputs.spark.sql(self.queries.outputs(marked, remember))
        tasks = max(2, math.ceil(keys / KEYS_PER_TASK))
        try:
            frame.coalesce(tasks).write.partitionBy(PART).parquet(staging)
            shown = moved_files(os.path.join(staging, f"{PART}=0"), waiting.shown.path, time, columns)
            rest = moved_files(
                os.path.join(staging, f"{PART}=1"), waiting.timeline.path, time, (*columns, *ABOUT)
            )
            yield shown, rest
        finally:
            shutil.rmtree(staging, ignore_errors=True)

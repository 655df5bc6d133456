"""What is tried after a row made an action fail, so that it stops only the views that compute with it.

    1  stages that no row can make fail are pushed together, as they would have been without the others
    2  every other stage is pushed by itself, by its net changes: without the rows that came and went
    3  if that fails, it is recomputed as of now: a delta also computes with pairs of rows that were never
       there together, new ones of one relation and old ones of another
    4  if that fails, the stage stays where it is, and so do those that read it

A push pays for this after a failure only.  Net changes cost a shuffle of every relation that lost rows.  What
several views share cannot fail (planning/relations/sharings.py), so the stages that stay behind are those of
views whose own SQL fails, and of views that read such a view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from headwater.algebra.failures.plan_can_fail import plan_can_fail
from headwater.algebra.stages.stage import Stage
from headwater.engine.push.commit import Pushed
from headwater.engine.push.decide import Job
from headwater.engine.push.failures.data_errors import DataError, RowCause, row_cause
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import spark_schema
from headwater.planning.stages.actions import Action, Mode

__all__ = ["FailedStages", "Rescue", "StagesFailed"]


class StagesFailed(Exception):
    """Some stages of a push could not be computed, for the sake of their rows; all others were pushed."""

    def __init__(self, errors: dict[str, DataError]) -> None:
        super().__init__("; ".join(error.message for error in errors.values()))
        self.errors = errors


@dataclass(slots=True)
class FailedStages:
    """The stages that stay behind in a push, each with the reason."""

    errors: dict[str, DataError] = field(default_factory=dict)

    def add(self, job: Job, cause: RowCause, recomputed: bool) -> None:
        reads = ", ".join(name for name in job.reads if name != job.name)
        self.errors[job.name] = DataError(job, cause, recomputed, f"for a row of {reads}")

    def holds_back(self, view: str, stage: Stage) -> bool:
        """Whether a stage reads one that stays behind; then it does, too."""
        error = next((self.errors[name] for name in stage.reads if name in self.errors), None)
        if error is None:
            return False
        self.errors[stage.name] = error.of_reader(view)
        return True


@dataclass(frozen=True, slots=True)
class Rescue:
    workplace: Workplace
    decide: Callable[[Job], Job]  # what a stage has to do, by the logs as they are now
    run: Callable[[Action[Job], bool], list[Pushed]]  # an action; by net changes if so
    failed: FailedStages
    recompute: bool = True  # whether step 3 is worth its cost now

    def pushed(self, action: Action[Job]) -> Iterator[list[Pushed]]:
        """Push the stages of an action that failed; yields as it is done."""
        certain = self._certain(action.works) if len(action.stages) > 1 else []
        if certain:
            yield self.run(Action(action.spark, tuple(certain)), False)
        for job in action.works:
            if job not in certain and not self.failed.holds_back(job.kept.view, job.stage):
                yield from self._by_itself(self.decide(job))

    def _certain(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs that no row can make fail, and that read none that one can.

        Of a stage that is computed for the first time that is not known: no types of it are stored yet.
        """
        uncertain: set[str] = set()
        for job in jobs:
            plan = job.stage.plan
            if (
                plan is None
                or job.mode is Mode.INITIAL
                or not uncertain.isdisjoint(job.reads)
                or plan_can_fail(plan, self._types_of)
                or plan_can_fail(job.kept.finish, self._types_of)
            ):
                uncertain.add(job.name)
        return [job for job in jobs if job.name not in uncertain]

    def _types_of(self, relation: str) -> dict[str, str]:
        schema = spark_schema(self.workplace.timeline_of(relation).columns())
        return {column.name: column.dataType.simpleString() for column in schema}

    def _by_itself(self, job: Job) -> Iterator[list[Pushed]]:
        causes: list[RowCause] = []
        for attempt in self._attempts(job):
            try:
                pushed = self.run(Action(job.spark, (attempt,)), True)
            except Exception as error:
                cause = row_cause(error)
                if cause is None:
                    raise
                causes.append(cause)
            else:
                yield pushed
                return
        self.failed.add(job, causes[-1], recomputed=self._recomputes(job) or job.mode is not Mode.INCREMENTAL)

    def _attempts(self, job: Job) -> Iterator[Job]:
        yield job
        if job.mode is Mode.INCREMENTAL and self._recomputes(job):
            yield replace(
                job, mode=Mode.FULL, reason="a row that its changes are computed with makes them fail"
            )

    def _recomputes(self, job: Job) -> bool:
        """Not what would lose the rows that it has outlived."""
        return self.recompute and not job.kept.outlives

"""What a push leaves behind: a commit of each stage, and a record of what it took.

Every mode ends in the same commit, which carries the time, so that a push that is repeated after a crash
commits once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.engine.push.choosing.everything_shown import everything_shown
from headwater.engine.push.decide import Job
from headwater.engine.push.seen import newest_seen
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.metering import Meter
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Mode
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.timeline import COMPACTED

__all__ = ["Pushed", "bytes_copied", "commit", "move_on"]


@dataclass(frozen=True, slots=True)
class Pushed:
    """What was done for a stage. Each stage of an action has its share of the action's cost."""

    job: Job
    effort: Effort
    duration: timedelta = timedelta()  # of the whole action
    meter: Meter = field(default_factory=Meter)
    action: str = ""  # the same for the stages of one action; none where no work was done
    bytes_copied: int = 0  # from another site
    actions_before: int | None = None  # of its kind that its Spark had run

    @property
    def stage(self) -> str:
        return self.job.name

    @property
    def mode(self) -> Mode:
        return self.job.mode

    @property
    def reason(self) -> str:
        return self.job.reason

    @property
    def after(self) -> int:
        return self.job.after

    @property
    def until(self) -> int:
        return self.job.until


def move_on(workplace: Workplace, job: Job) -> Pushed:
    """Commit only the stage's time: nothing changed."""
    if job.until > job.after:
        _hollow(workplace, job)
        workplace.timeline(job.name).commit(job.until, after=job.after)
    return Pushed(job, job.effort)


def _hollow(workplace: Workplace, job: Job) -> None:
    """Give up the hidden stages, before the view: who is killed in between recomputes it again."""
    for timeline in map(workplace.timeline, job.hollowed):
        if (time := timeline.time()) < job.until:
            timeline.empty(job.until, time)


def commit(workplace: Workplace, job: Job, files: Sequence[NewFile]) -> int:
    """Make the files part of the stage as of the job's time; returns the number of changes in them."""
    # A stage that is computed for the first time has no past: nobody may read it as of an earlier time.
    first = {COMPACTED: job.until} if job.mode is Mode.INITIAL else None
    note = {"mode": job.mode.value}
    _hollow(workplace, job)
    if job.replaces:
        workplace.timeline(job.name).replace(job.until, files, note, job.after)
        return sum(file.statistics.rows for file in files)
    with everything_shown(workplace, job.stage, job.until) as chosen:
        transactions = {**(first or {}), **chosen, **newest_seen(workplace, job)}
        workplace.timeline(job.name).commit(job.until, files, note, transactions, after=job.after)
    return sum(file.statistics.rows for file in files)


def bytes_copied(workplace: Workplace, job: Job) -> int:
    """The bytes that a push reads of relations at other sites: it is a copy that filters on the way."""
    here = workplace.catalog.site_of(job.name)
    return sum(
        file.size
        for name, part in job.changed.items()
        if workplace.catalog.site_of(name) != here
        for file in part.files
    )

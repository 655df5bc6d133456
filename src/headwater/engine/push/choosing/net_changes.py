"""What happened to an input of an adapted join since its last push, as Spark SQL: rows with their weights."""

from __future__ import annotations

from headwater.algebra.stages.adapting import is_mark
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted, union
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT, Timeline

__all__ = ["names_of", "net_changes", "stored_rows"]


def names_of(job: Job) -> list[str]:
    """The columns of the input that are stored."""
    return [name for name in job.stage.columns if not is_mark(name)]


def stored_rows(workplace: Workplace, job: Job, inputs: Inputs) -> Query | None:
    """What the stage holds; None before its first push."""
    timeline = workplace.timeline(job.name)
    return None if job.after == BEGINNING else inputs.slice(timeline, timeline.as_of(job.after))


def net_changes(workplace: Workplace, job: Job, inputs: Inputs, stored: Query | None) -> str:
    """Rows that came have a positive weight, and those that went a negative one."""
    source, listed = workplace.timeline_of(job.stage.reads[0]), ", ".join(map(quoted, names_of(job)))
    changes = _changes(job, inputs, source, stored)
    return (
        f"(SELECT {listed}, sum({WEIGHT}) AS {WEIGHT} FROM {changes.text}"
        f" GROUP BY {listed} HAVING sum({WEIGHT}) <> 0)"
    )


def _changes(job: Job, inputs: Inputs, source: Timeline, stored: Query | None) -> Query:
    """If what happened since is forgotten, what is there now against what is stored."""
    names = names_of(job)
    if stored is not None and source.has_changes_since(job.after):
        return inputs.slice(source, source.delta(job.after, job.until)).named(names)
    now = inputs.slice(source, source.as_of(job.until)).named(names)
    return now if stored is None else union([now, operators.negate(stored.named(names))])

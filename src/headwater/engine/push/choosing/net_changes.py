"""What happened to an input of an adapted join since its last push, as Spark SQL: rows with their weights."""

from __future__ import annotations

from headwater.algebra.stages.adapting import CAPTURED, is_mark
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted, union
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT, Slice, Timeline

__all__ = ["names_of", "net_changes", "net_names", "stored_rows"]

_AT = "_at"  # of a change: the time of its commit


def names_of(job: Job) -> list[str]:
    """The columns of the input that are stored."""
    return [name for name in job.stage.columns if not is_mark(name)]


def net_names(job: Job) -> list[str]:
    """The columns of net changes: those, and when a row was captured if nothing else says when it is."""
    return [*names_of(job), *([CAPTURED] if _by_capture(job) else [])]


def _by_capture(job: Job) -> bool:
    return job.stage.probing is not None and job.stage.probing.time == CAPTURED


def stored_rows(workplace: Workplace, job: Job, inputs: Inputs) -> Query | None:
    """What the stage holds; None before its first push."""
    timeline = workplace.timeline(job.name)
    return None if job.after == BEGINNING else inputs.slice(timeline, timeline.as_of(job.after))


def net_changes(workplace: Workplace, job: Job, inputs: Inputs, stored: Query | None) -> str:
    """Rows that came have a positive weight, and those that went a negative one."""
    source, listed = workplace.timeline_of(job.stage.reads[0]), ", ".join(map(quoted, names_of(job)))
    changes = _changes(job, inputs, source, stored)
    captured = (
        f"timestamp_micros(max(if({WEIGHT} > 0, {_AT}, NULL))) AS {CAPTURED}, " if _by_capture(job) else ""
    )
    return (
        f"(SELECT {listed}, {captured}sum({WEIGHT}) AS {WEIGHT} FROM {changes.text}"
        f" GROUP BY {listed} HAVING sum({WEIGHT}) <> 0)"
    )


def _changes(job: Job, inputs: Inputs, source: Timeline, stored: Query | None) -> Query:
    """If what happened since is forgotten, what is there now against what is stored."""
    if stored is not None and source.has_changes_since(job.after):
        return _of_source(job, inputs, source, source.delta(job.after, job.until))
    now = _of_source(job, inputs, source, source.as_of(job.until))
    return now if stored is None else union([now, operators.negate(_without_time(job, stored))])


def _of_source(job: Job, inputs: Inputs, source: Timeline, part: Slice) -> Query:
    if _by_capture(job):
        return inputs.arrivals(source, part, _AT).named([*names_of(job), _AT])
    return inputs.slice(source, part).named(names_of(job))


def _without_time(job: Job, stored: Query) -> Query:
    """What is stored, as what the source says."""
    names = names_of(job)
    if not _by_capture(job):
        return stored.named(names)
    columns = [*((name, quoted(name)) for name in names), (_AT, "CAST(NULL AS BIGINT)")]
    return stored.select(columns)

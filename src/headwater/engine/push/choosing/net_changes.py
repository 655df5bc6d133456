"""What happened to an input of an adapted join since its last push, as Spark SQL: rows with their weights."""

from __future__ import annotations

from headwater.algebra.stages.adapting import is_mark
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import quoted, union
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT, Slice

__all__ = ["changes_since", "names_of", "net_changes"]


def names_of(job: Job) -> list[str]:
    """The columns of the input that are stored."""
    return [name for name in job.stage.columns if not is_mark(name)]


def changes_since(workplace: Workplace, job: Job) -> Slice | None:
    """What happened to the input since; None if that is forgotten, or nothing was stored before."""
    source = workplace.timeline_of(job.stage.reads[0])
    if job.after == BEGINNING or not source.has_changes_since(job.after):
        return None
    return source.delta(job.after, job.until)


def net_changes(workplace: Workplace, job: Job, inputs: Inputs) -> str:
    """Rows that came have a positive weight, and those that went a negative one.

    If what happened is forgotten: what is there now against what is stored.  Where nothing went, every row is
    there once, by its key, and nothing has to be added up.
    """
    source, names = workplace.timeline_of(job.stage.reads[0]), names_of(job)
    listed, since = ", ".join(map(quoted, names)), changes_since(workplace, job)
    if since is not None:
        changes = inputs.slice(source, since).named(names)
    else:
        changes = inputs.slice(source, source.as_of(job.until)).named(names)
        if job.after != BEGINNING:
            timeline = workplace.timeline(job.name)
            stored = inputs.slice(timeline, timeline.as_of(job.after))
            changes = union([changes, operators.negate(stored.named(names))])
    if since is not None and since.inserts_only:
        return f"(SELECT {listed}, {WEIGHT} FROM {changes.text})"
    return (
        f"(SELECT {listed}, sum({WEIGHT}) AS {WEIGHT} FROM {changes.text}"
        f" GROUP BY {listed} HAVING sum({WEIGHT}) <> 0)"
    )

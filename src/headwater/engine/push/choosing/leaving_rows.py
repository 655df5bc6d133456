"""Which recent rows leave an input of an adapted join in a push, as Spark SQL.

    went       the input no longer has them
    too old    they are older than they are kept; at the push before none was

Either is looked for only where the log says that it may be: a stream that only gains rows is not joined with
what is stored, and of what is stored only the files are read that hold rows of such times.  A row and its
removal have the same time, so no file is left out that has a part in it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headwater.algebra.stages.stage import Probing
from headwater.clock import micros
from headwater.engine.push.choosing.net_changes import changes_since, names_of
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import quoted
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT, Range, Slice

__all__ = ["leaving_rows"]


def leaving_rows(workplace: Workplace, job: Job, probing: Probing, inputs: Inputs, net: str) -> str | None:
    """With all columns of the stage and how often each is there; None if none leaves. `net`: the changes."""
    if job.after == BEGINNING:
        return None
    parts = [_too_old(workplace, job, probing, inputs), _went(workplace, job, probing, inputs, net)]
    there = [part for part in parts if part is not None]
    if not there:
        return None
    columns = ", ".join(map(quoted, job.stage.columns))
    return (
        f"(SELECT {columns}, sum({WEIGHT}) AS {WEIGHT} FROM ({' UNION ALL '.join(there)})"
        f" GROUP BY {columns} HAVING sum({WEIGHT}) <> 0)"
    )


def _too_old(workplace: Workplace, job: Job, probing: Probing, inputs: Inputs) -> str | None:
    timeline = workplace.timeline(job.name)
    first, last = (time - micros(probing.keep) for time in (job.after, job.until))
    part = timeline.as_of(job.after, (Range(probing.time, _instant(first), _instant(last - 1)),))
    if part.empty:
        return None
    time = quoted(probing.time)
    between = f"{time} >= timestamp_micros({first}) AND {time} < timestamp_micros({last})"
    return f"SELECT {_listed(job)} FROM {inputs.slice(timeline, part).text} AS s WHERE {between}"


def _went(workplace: Workplace, job: Job, probing: Probing, inputs: Inputs, net: str) -> str | None:
    since, timeline = changes_since(workplace, job), workplace.timeline(job.name)
    if since is not None and since.inserts_only:
        return None
    part = timeline.as_of(job.after, _times(since, probing.time))
    if part.empty:
        return None
    names = names_of(job)
    same = " AND ".join(f"s.{quoted(name)} <=> n.{quoted(name)}" for name in names)
    kept = f"s.{quoted(probing.time)} >= timestamp_micros({job.until - micros(probing.keep)})"
    gone = f"(SELECT {', '.join(map(quoted, names))} FROM {net} WHERE {WEIGHT} < 0)"
    stored = inputs.slice(timeline, part).text
    return f"SELECT {_listed(job)} FROM {stored} AS s LEFT SEMI JOIN {gone} AS n ON {same} WHERE {kept}"


def _listed(job: Job) -> str:
    return ", ".join(f"s.{quoted(name)}" for name in (*job.stage.columns, WEIGHT))


def _times(since: Slice | None, column: str) -> tuple[Range, ...]:
    """Between which a stored row lies that went; none if the log does not say."""
    if since is None:
        return ()
    ends = [(file.minimum.get(column), file.maximum.get(column)) for file in since.files]
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    if not known or any(
        file.nulls.get(column) != file.rows
        for file, (low, high) in zip(since.files, ends, strict=True)
        if low is None or high is None
    ):
        return ()
    return (Range(column, min(low for low, _ in known), max(high for _, high in known)),)


def _instant(time: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)

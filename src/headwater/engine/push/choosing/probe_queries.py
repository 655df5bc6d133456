"""The changes of an input of an adapted join, as Spark SQL: each row with its kind."""

from __future__ import annotations

from headwater.algebra.stages.adapting import PROBED, PUSHED
from headwater.algebra.stages.stage import Probing
from headwater.clock import micros
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted, union
from headwater.errors import InternalError
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT, Timeline

__all__ = ["GONE", "KIND", "LATE", "PROBING", "SILENT", "probes_query"]

KIND = "_kind"
PROBING, SILENT, LATE, GONE = range(4)


def probes_query(workplace: Workplace, job: Job, inputs: Inputs) -> str:
    """What is added to the stage's timeline, and what came too late for that."""
    if job.stage.probing is None:
        raise InternalError("HW901", f'stage "{job.name}" has no probes')
    timeline, source = workplace.timeline(job.name), workplace.timeline_of(job.stage.reads[0])
    first = job.after == BEGINNING
    stored = None if first else inputs.slice(timeline, timeline.as_of(job.after))
    net = _net(job, _changes(job, inputs, source, stored))
    came = _came(job, job.stage.probing, net)
    return came if stored is None else f"{came} UNION ALL {_went(job, job.stage.probing, net, stored)}"


def _names(job: Job) -> list[str]:
    """The columns of the input that are stored."""
    return [name for name in job.stage.columns if name not in (PUSHED, PROBED)]


def _changes(job: Job, inputs: Inputs, source: Timeline, stored: Query | None) -> Query:
    """What happened to the input since; if that is forgotten, what is there now against what is stored."""
    names = _names(job)
    if stored is not None and source.horizon() <= job.after:
        return inputs.slice(source, source.delta(job.after, job.until)).named(names)
    now = inputs.slice(source, source.as_of(job.until)).named(names)
    return now if stored is None else union([now, operators.negate(stored.named(names))])


def _net(job: Job, changes: Query) -> str:
    listed = ", ".join(map(quoted, _names(job)))
    return (
        f"(SELECT {listed}, sum({WEIGHT}) AS {WEIGHT} FROM {changes.text}"
        f" GROUP BY {listed} HAVING sum({WEIGHT}) <> 0)"
    )


def _came(job: Job, probing: Probing, net: str) -> str:
    listed, time = ", ".join(map(quoted, _names(job))), quoted(probing.time)
    fresh = f"{time} >= timestamp_micros({job.until - micros(probing.tolerance)})"
    allowance = job.budget.units
    rank = f"row_number() OVER (ORDER BY {time} DESC, {', '.join(map(quoted, probing.key))})"
    ranked, probed = ("0", "true") if allowance is None else (rank, f"_rank <= {allowance}")
    return (
        f"SELECT {listed}, timestamp_micros({job.until}) AS {PUSHED}, {probed} AS {PROBED}, {WEIGHT},"
        f" CASE WHEN NOT coalesce({fresh}, false) THEN {LATE} WHEN {probed} THEN {PROBING}"
        f" ELSE {SILENT} END AS {KIND} FROM (SELECT *, {ranked} AS _rank FROM {net} WHERE {WEIGHT} > 0)"
    )


def _went(job: Job, probing: Probing, net: str, stored: Query) -> str:
    names = _names(job)
    listed, mine = ", ".join(map(quoted, names)), ", ".join(f"s.{quoted(name)}" for name in names)
    old = f"s.{quoted(probing.time)} < timestamp_micros({job.until - micros(probing.keep)})"
    same = " AND ".join(f"s.{quoted(name)} <=> n.{quoted(name)}" for name in names)
    return (
        f"SELECT {mine}, s.{PUSHED}, s.{PROBED}, -s.{WEIGHT} AS {WEIGHT}, {GONE} AS {KIND}"
        f" FROM (SELECT {listed}, {PUSHED}, {PROBED}, sum({WEIGHT}) AS {WEIGHT} FROM {stored.text}"
        f" GROUP BY {listed}, {PUSHED}, {PROBED} HAVING sum({WEIGHT}) <> 0) AS s"
        f" LEFT JOIN (SELECT {listed}, true AS _gone FROM {net} WHERE {WEIGHT} < 0) AS n ON {same}"
        f" WHERE coalesce(n._gone, false) OR {old}"
    )

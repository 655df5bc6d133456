"""One push of an input of an adapted join: what came is inserted, what went or grew too old is taken out.

    came        net new rows that are within tolerance; the newest of them, up to the allowance, probe
    went        stored rows that the input no longer has, and those that are too old to be shown
    late        new rows that had outlived their tolerance before they came: no result may hold them

One query, one write, one commit; counted on the way.
"""

from __future__ import annotations

from datetime import timedelta

from pyspark.sql import Observation
from pyspark.sql import functions as f

from headwater.algebra.stages.adapting import PROBED, PUSHED
from headwater.algebra.stages.stage import Probing
from headwater.clock import micros
from headwater.engine.push.commit import Pushed, bytes_copied
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import arrow_columns, write
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted, union
from headwater.engine.spark.metering import metered
from headwater.planning.cost.effort import Effort
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.choosing.probes import Probes, note_probes
from headwater.storage.timeline import COMPACTED, WEIGHT, Timeline

__all__ = ["push_probes"]

_KIND = "_kind"
_PROBING, _SILENT, _LATE, _GONE = range(4)


def push_probes(workplace: Workplace, job: Job, probing: Probing) -> Pushed:
    """Bring the recent rows of an input to a time."""
    group = f"push {job.name} {job.until}"
    with metered(workplace.spark_of(job.name), group, f"probe {job.name}", "pushes") as meter:
        probes, rows = _push(workplace, job, probing)
    note_probes(workplace.warehouse, probes)
    effort = Effort(job.effort.changed, job.effort.scanned, rows)
    return Pushed(job, effort, timedelta(seconds=meter.seconds), meter, group, bytes_copied(workplace, job))


def _push(workplace: Workplace, job: Job, probing: Probing) -> tuple[Probes, int]:
    timeline = workplace.timeline(job.name)
    first = job.after == BEGINNING
    with Inputs(workplace.spark_of(job.name)) as inputs:
        source = workplace.timeline_of(job.stage.reads[0])
        stored = None if first else inputs.slice(timeline, timeline.as_of(job.after))
        changes = _changes(job, inputs, source, stored)
        frame = inputs.spark.sql(_query(job, probing, changes, stored))
        counted = Observation()
        kinds = (f.count_if(f.col(_KIND) == kind).alias(str(kind)) for kind in range(4))
        kept = frame.observe(counted, *kinds).where(f.col(_KIND) != _LATE).drop(_KIND)
        if not timeline.exists():
            timeline.create(arrow_columns(kept), f"recent rows of {probing.stream} in {probing.view}")
        files = write(kept, timeline.path, job.until, spread=True)
        compacted = {COMPACTED: job.until} if first else {}
        timeline.commit(job.until, files, {"mode": job.mode.value}, compacted, after=job.after)
        counts = {kind: int(counted.get.get(str(kind), 0)) for kind in range(4)}
    seconds = 0.0 if first else (job.until - job.after) / 1e6
    arrived = counts[_PROBING] + counts[_SILENT]
    probes = Probes(
        job.until, probing.view, probing.stream, seconds, arrived, counts[_PROBING], counts[_LATE],
        job.budget.units, job.reason,
    )  # fmt: skip
    return probes, sum(file.statistics.rows for file in files)


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


def _query(job: Job, probing: Probing, changes: Query, stored: Query | None) -> str:
    """The changes of the stage, each with its kind."""
    names = _names(job)
    listed, time = ", ".join(map(quoted, names)), quoted(probing.time)
    net = (
        f"(SELECT {listed}, sum({WEIGHT}) AS {WEIGHT} FROM {changes.text}"
        f" GROUP BY {listed} HAVING sum({WEIGHT}) <> 0)"
    )
    fresh = f"{time} >= timestamp_micros({job.until - micros(probing.tolerance)})"
    allowance = job.budget.units
    rank = f"row_number() OVER (ORDER BY {time} DESC, {', '.join(map(quoted, probing.key))})"
    ranked = "0" if allowance is None else rank
    probed = "true" if allowance is None else f"_rank <= {allowance}"
    came = (
        f"SELECT {listed}, timestamp_micros({job.until}) AS {PUSHED}, {probed} AS {PROBED}, {WEIGHT},"
        f" CASE WHEN NOT coalesce({fresh}, false) THEN {_LATE} WHEN {probed} THEN {_PROBING}"
        f" ELSE {_SILENT} END AS {_KIND} FROM (SELECT *, {ranked} AS _rank FROM {net} WHERE {WEIGHT} > 0)"
    )
    if stored is None:
        return came
    mine = ", ".join(f"s.{quoted(name)}" for name in names)
    old = f"s.{time} < timestamp_micros({job.until - micros(probing.keep)})"
    went = (
        f"SELECT {mine}, s.{PUSHED}, s.{PROBED}, -s.{WEIGHT} AS {WEIGHT}, {_GONE} AS {_KIND}"
        f" FROM (SELECT {listed}, {PUSHED}, {PROBED}, sum({WEIGHT}) AS {WEIGHT} FROM {stored.text}"
        f" GROUP BY {listed}, {PUSHED}, {PROBED} HAVING sum({WEIGHT}) <> 0) AS s"
        f" LEFT JOIN (SELECT {listed}, true AS _gone FROM {net} WHERE {WEIGHT} < 0) AS n"
        f" ON {' AND '.join(f's.{quoted(name)} <=> n.{quoted(name)}' for name in names)}"
        f" WHERE coalesce(n._gone, false) OR {old}"
    )
    return f"{came} UNION ALL {went}"

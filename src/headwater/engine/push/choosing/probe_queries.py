"""The changes of an input of an adapted join, as Spark SQL: each row with its kind."""

from __future__ import annotations

from headwater.algebra.stages.adapting import PROBED, PUSHED, given, is_mark
from headwater.algebra.stages.stage import Probing, StageKind
from headwater.clock import micros
from headwater.engine.push.choosing.net_changes import names_of, net_changes, stored_rows
from headwater.engine.push.choosing.numbering import numbered
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.errors import InternalError
from headwater.planning.stages.actions import SMALL_ROWS
from headwater.storage.timeline import WEIGHT

__all__ = ["GONE", "KIND", "LATE", "PROBING", "SILENT", "probes_query"]

KIND = "_kind"
PROBING, SILENT, LATE, GONE = range(4)


def probes_query(workplace: Workplace, job: Job, inputs: Inputs) -> str:
    """What is added to the stage's timeline, and what came too late for that."""
    probing = job.stage.probing
    if probing is None:
        raise InternalError("HW901", f'stage "{job.name}" has no probes')
    stored = stored_rows(workplace, job, inputs)
    net = net_changes(workplace, job, inputs, stored)
    rows = _numbered(workplace, job, inputs, net) if probing.numbered else f"{net} WHERE {WEIGHT} > 0"
    came = _came(job, probing, rows)
    return came if stored is None else f"{came} UNION ALL {_went(job, probing, net, stored, inputs)}"


def _numbered(workplace: Workplace, job: Job, inputs: Inputs, net: str) -> str:
    others = [stage for stage in job.kept.stages if stage.kind is StageKind.PROBES and stage != job.stage]
    return numbered(workplace, job, inputs, net, others)


def _numbers(job: Job) -> list[str]:
    """The columns with a row's own number and those of the last rows that it saw."""
    return [name for name in job.stage.columns if is_mark(name) and name not in (PUSHED, PROBED)]


def _came(job: Job, probing: Probing, came: str) -> str:
    listed, time = ", ".join(map(quoted, names_of(job))), quoted(probing.time)
    numbers = "".join(f", {name}" for name in _numbers(job))
    fresh = f"{time} >= {_instant(job.until - micros(probing.tolerance), WEIGHT)}"
    allowance = job.budget.units
    keys = ", ".join(map(quoted, probing.key))
    rank = f"row_number() OVER (ORDER BY coalesce({fresh}, false) DESC, {time}, {keys})"
    ranked, probed = (
        ("0", "true") if allowance is None else (rank, f"_rank <= {given(str(allowance), WEIGHT)}")
    )
    return (
        f"SELECT {listed}, {_instant(job.until, WEIGHT)} AS {PUSHED}, {probed} AS {PROBED}{numbers},"
        f" {WEIGHT}, CASE WHEN NOT coalesce({fresh}, false) THEN {LATE} WHEN {probed} THEN {PROBING}"
        f" ELSE {SILENT} END AS {KIND} FROM (SELECT *, {ranked} AS _rank FROM {came})"
    )


def _instant(time: int, column: str) -> str:
    return given(f"timestamp_micros({time})", column)


def _sent(inputs: Inputs) -> str:
    return "SHUFFLE_HASH" if inputs.one_task else "BROADCAST"


def _went(job: Job, probing: Probing, net: str, stored: Query, inputs: Inputs) -> str:
    names = names_of(job)
    listed, mine = ", ".join(map(quoted, names)), ", ".join(f"s.{quoted(name)}" for name in names)
    old = f"s.{quoted(probing.time)} < {_instant(job.until - micros(probing.keep), f's.{WEIGHT}')}"
    same = " AND ".join(f"s.{quoted(name)} <=> n.{quoted(name)}" for name in names)
    his = ", ".join(f"s.{name}" for name in (PUSHED, PROBED, *_numbers(job)))
    hint = f" /*+ {_sent(inputs)}(n) */" if job.effort.changed <= SMALL_ROWS else ""
    # Of all that is stored only what goes is added up.
    return (
        f"SELECT *, {GONE} AS {KIND} FROM (SELECT{hint} {mine}, {his}, -sum(s.{WEIGHT}) AS {WEIGHT}"
        f" FROM {stored.text} AS s"
        f" LEFT JOIN (SELECT {listed}, true AS _gone FROM {net} WHERE {WEIGHT} < 0) AS n ON {same}"
        f" WHERE coalesce(n._gone, false) OR {old} GROUP BY {mine}, {his} HAVING sum(s.{WEIGHT}) <> 0)"
    )

"""Numbers of the rows of an input, for windows of rows: in the order in which they came.

Rows come by push, then by their times, then by the place of their input in FROM, then by key.  Those that
are too late for any result have no number.  How many have come is committed with each push, so a number is
never given twice, whatever is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.algebra.stages.adapting import NUMBER, given, seen
from headwater.algebra.stages.stage import Probing, Stage
from headwater.clock import micros
from headwater.engine.push.choosing.net_changes import net_changes, net_names, stored_rows
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import quoted
from headwater.errors import InternalError
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT

__all__ = ["CAME", "numbered", "rows_before"]

CAME = "headwater-came"  # the transaction that records how many rows of an input have come
_PLACE, _TIME, _FRESH = "_place", "_came_at", "_fresh"


def rows_before(workplace: Workplace, stage: str) -> int:
    """How many rows of an input have come before this push."""
    timeline = workplace.timeline(stage)
    return (timeline.log.transaction(CAME) or 0) if timeline.exists() else 0


def numbered(workplace: Workplace, job: Job, inputs: Inputs, net: str, others: Sequence[Stage]) -> str:
    """The rows of `net` that came, with their numbers and those of the others' last rows before them."""
    own = _probing(job.stage)
    events = [_own(job, own, net), *(_of_other(workplace, job, inputs, stage) for stage in others)]
    before = f"OVER (ORDER BY {_TIME}, {_PLACE})"
    numbers = [
        f"{_before(workplace, stage.name)} + count_if({_PLACE} = {_probing(stage).place} AND {_FRESH})"
        f" {before} AS {seen(_probing(stage).place)}"
        for stage in others
    ]
    keys = ", ".join(map(quoted, own.key))
    first = _before(workplace, job.name)
    number = (
        f"CASE WHEN {_FRESH} THEN {first} + count_if({_FRESH}) OVER (PARTITION BY {_PLACE}"
        f" ORDER BY {_TIME}, {keys} ROWS UNBOUNDED PRECEDING) END AS {NUMBER}"
    )
    counted = f"SELECT *, {', '.join((number, *numbers))} FROM ({' UNION ALL '.join(events)})"
    return f"(SELECT * FROM ({counted}) WHERE {_PLACE} = {own.place})"


def _before(workplace: Workplace, stage: str) -> str:
    return given(str(rows_before(workplace, stage)), WEIGHT)


def _own(job: Job, probing: Probing, net: str) -> str:
    return (
        f"SELECT *, {quoted(probing.time)} AS {_TIME}, {probing.place} AS {_PLACE},"
        f" {_fresh(job, probing)} AS {_FRESH} FROM {net} WHERE {WEIGHT} > 0"
    )


def _of_other(workplace: Workplace, job: Job, inputs: Inputs, stage: Stage) -> str:
    """When rows of another input came that have no number yet; in the columns of this one."""
    timeline, probing = workplace.timeline(stage.name), _probing(stage)
    after = timeline.time() if timeline.exists() else BEGINNING
    other = replace(job, stage=stage, after=min(after, job.until))
    net = net_changes(workplace, other, inputs, stored_rows(workplace, other, inputs))
    nulls = ", ".join(f"NULL AS {quoted(name)}" for name in net_names(job))
    return (
        f"SELECT {nulls}, 1 AS {WEIGHT}, {quoted(probing.time)} AS {_TIME}, {probing.place} AS {_PLACE},"
        f" {_fresh(job, probing)} AS {_FRESH} FROM {net} WHERE {WEIGHT} > 0"
    )


def _fresh(job: Job, probing: Probing) -> str:
    oldest = given(f"timestamp_micros({job.until - micros(probing.tolerance)})", WEIGHT)
    return f"coalesce({quoted(probing.time)} >= {oldest}, false)"


def _probing(stage: Stage) -> Probing:
    if stage.probing is None:
        raise InternalError("HW901", f'stage "{stage.name}" has no probes')
    return stage.probing

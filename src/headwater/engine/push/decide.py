"""How a stage gets to a time, decided from the logs alone, before Spark is involved.

A stage that was never computed is computed; one that reads nothing new only has its time moved on; a replica
is copied; everything else is pushed by its delta or recomputed, whichever is expected to be faster.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from headwater.algebra.delta.derive import delta, unrestricted
from headwater.algebra.moments.plans import TIME, bind, time_moves
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Plan
from headwater.algebra.stages.adapting import instant, only_probing, probing_stages
from headwater.algebra.stages.by_last import by_last
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.engine.push.choosing.aging import rows_grow_old
from headwater.engine.push.choosing.decision import how_to_choose
from headwater.engine.push.workplace import Pending, Workplace
from headwater.engine.query.estimates import Estimates
from headwater.overload.budget import EVERYTHING, Budget
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.refresh import Choice
from headwater.planning.stages.actions import Mode
from headwater.sql.parsing.moments import text_moves
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import Slice

__all__ = ["Choose", "Job", "decide", "delta_plan", "stage_moves"]

Choose = Callable[[Stage, Effort, Effort], Choice]  # by the efforts of a delta and of a recompute


@dataclass(frozen=True, slots=True)
class Job:
    """What it takes to bring a stage to a time, decided but not yet done."""

    kept: Kept
    stage: Stage
    after: int
    until: int
    mode: Mode
    reason: str
    effort: Effort = Effort(0, 0, 0)
    changed: Mapping[str, Slice] = field(default_factory=dict)
    spark: str = ""
    budget: Budget = EVERYTHING  # of a stage that chooses
    passed: bool = False  # whether the time alone may change its rows: its SQL says now()
    likeness: Hashable = None  # of a first computation (together/first_computations.py)
    hollowed: tuple[str, ...] = ()  # hidden stages that a recompute as a whole leaves empty (whole.py)
    replaces: bool = False  # what was stored is replaced: nobody needs the difference
    whole: bool = False  # `stage` is the view as a whole
    apart: bool = False  # of an adapted join: rows that leave are joined by which row came last
    found: float = 0.0  # by the last pushes of an adapted join, which finds many results of few rows

    @property
    def name(self) -> str:
        return self.stage.name

    @property
    def reads(self) -> tuple[str, ...]:
        return self.stage.reads


def decide(
    workplace: Workplace,
    kept: Kept,
    stage: Stage,
    until: int,
    choose: Choose,
    pending: Pending | None = None,
    budget: Budget = EVERYTHING,
) -> Job:
    """How a stage gets to `until`; everything it reads must be complete up to there, or pending."""
    after = workplace.timeline(stage.name).time()
    spark = workplace.address(stage.name)
    passed = stage_moves(stage, after, until)

    def job(
        mode: Mode, reason: str, effort: Effort = Effort(0, 0, 0), changed: Mapping[str, Slice] | None = None
    ) -> Job:
        return Job(
            kept, stage, after, max(after, until), mode, reason, effort, changed or {}, spark, budget, passed
        )

    if after >= until:
        return job(Mode.EMPTY, "already there")
    if workplace.timeline(stage.name).hollow():
        reason = "its view was recomputed as a whole until now"
        return job(Mode.INITIAL, reason, _whole(workplace, stage))
    if (original := workplace.catalog.copies.get(stage.name)) is not None:
        rows = workplace.timeline_of(original).rows_between(after, until)
        reason = f"a copy of {original} at site {workplace.catalog.site_of(stage.name)}"
        return job(Mode.COPY, reason, Effort(rows, 0, rows))
    if stage.kind is StageKind.PROBES:
        arrived = _changed(workplace, stage, until, {})
        rows = sum(part.rows for part in arrived.values())
        reason = budget.reason or "all rows that came look for partners"
        if not rows and after != BEGINNING and not forgotten(workplace, stage, after):
            if not rows_grow_old(workplace, stage, after, until):
                return job(Mode.EMPTY, "nothing changed")
            reason = "rows that are there may have grown too old"
        return job(Mode.PROBE, reason, Effort(rows, workplace.rows(stage.name), rows), arrived)
    if after == BEGINNING:
        return job(Mode.INITIAL, "never computed before", _whole(workplace, stage))
    if forgotten(workplace, stage, after):
        return job(
            Mode.FULL, "changes since its last push have been compacted away", _whole(workplace, stage)
        )
    changed = _changed(workplace, stage, until, pending or {})
    if stage.kind is StageKind.CHOOSING and (how := how_to_choose(workplace, stage, budget)) is not None:
        rows, waits = sum(part.rows for part in changed.values()), how.waiting_rows
        shown = rows + waits if budget.units is None else min(2 * budget.units, rows + waits)
        effort = Effort(rows, waits, shown) if how.mode is Mode.CHOOSE else _whole(workplace, stage)
        return job(how.mode, how.reason, effort, changed)
    if not changed and not passed:
        return job(Mode.EMPTY, "nothing changed")
    by_delta, anew = _efforts(workplace, stage, changed)
    if passed and stage.plan is not None:
        crossing = _crossing(workplace, job(Mode.INCREMENTAL, "", changed=changed), pending or {})
        by_delta = replace(by_delta, changed=by_delta.changed + crossing)
    choice = choose(stage, by_delta, anew)
    mode, effort = (Mode.FULL, anew) if choice.full else (Mode.INCREMENTAL, by_delta)
    decided = job(mode, choice.reason, effort, changed)
    if not probing_stages(kept):
        return decided
    learnt, project, warehouse = workplace.learnt, workplace.catalog.project, workplace.warehouse
    return replace(
        decided,
        apart=learnt.apart(project, warehouse, kept, until),
        found=learnt.of(project, warehouse, kept.view, until).lately,
    )


def forgotten(workplace: Workplace, stage: Stage, after: int) -> bool:
    """Whether a relation that the stage reads no longer has, or never had, its changes since `after`.

    Compaction waits for every view of the project; but a view may be dropped and added again later, and what
    a view reads may have been computed for the first time after the view's last push, or not at all yet.
    """
    read = (workplace.timeline_of(name) for name in stage.reads if name != stage.name)
    return not all(timeline.exists() and timeline.has_changes_since(after) for timeline in read)


def _changed(workplace: Workplace, stage: Stage, until: int, pending: Pending) -> dict[str, Slice]:
    """The relations that changed since the stage's time, with their deltas."""
    relations = workplace.relations(stage, until, pending)
    deltas = {name: relations.changed(name) for name in stage.reads if name != stage.name}
    return {name: part for name, part in deltas.items() if not part.empty}


def _whole(workplace: Workplace, stage: Stage) -> Effort:
    return Effort(0, sum(workplace.rows(name) for name in stage.reads), 0)


def _efforts(workplace: Workplace, stage: Stage, changed: Mapping[str, Slice]) -> tuple[Effort, Effort]:
    """What a delta and a recompute would have to do, in rows, as far as the logs tell."""
    rows = sum(part.rows for part in changed.values())
    sizes = {name: workplace.rows(name) for name in stage.reads if name != stage.name}
    own = workplace.rows(stage.name)
    beside = sum(size for name, size in sizes.items() if len(changed) > 1 or name not in changed)
    if stage.kind in (StageKind.LINEAR, StageKind.GROUPS):
        beside += own
    return Effort(rows, beside, rows), Effort(0, sum(sizes.values()) + own, max(own, rows))


def stage_moves(stage: Stage, after: int, until: int) -> bool:
    """Whether the time alone may change a stage's rows between two times."""
    if stage.plan is None:
        return text_moves(stage.sql, after, until)
    return time_moves(stage.plan, after, until)


def _crossing(workplace: Workplace, job: Job, pending: Pending) -> int:
    """About how many rows the time alone lets in or lets go: as many as the files have that may hold some."""
    estimates = Estimates(workplace.relations(job.stage, job.until, pending))
    plan = delta_plan(replace(job, changed={}), estimates)
    return 0 if plan is None else estimates.rows(plan)


def delta_plan(job: Job, estimates: Estimates, few: bool = False) -> Plan | None:
    """The plan of a stage's changes, unless there are certainly none.

    `few`: all that the stage reads are so few rows that comparing all of them costs less than asking Spark
    for those that a change touches.
    """
    inserts = frozenset(name for name, part in job.changed.items() if part.inserts_only)
    changed = frozenset(job.changed) | ({TIME} if job.passed else set())
    plan = _delta_plan(job.stage, changed, inserts, few and not probing_stages(job.kept))
    if plan is not None and (probing := probing_stages(job.kept)):
        by_which = by_last if job.apart else only_probing
        plan = by_which(plan, probing, instant(job.until))
    return None if plan is None else estimates.without_empty(bind(plan, job.after, job.until))


@lru_cache(maxsize=2_000)
def _delta_plan(stage: Stage, changed: frozenset[str], inserts: frozenset[str], few: bool) -> Plan | None:
    """Cached: from push to push the same relations change."""
    plan = delta(stage, changed, inserts, seeks=not few)
    if plan is None:
        return None
    return unrestricted(optimize(plan)) if few else optimize(plan)

"""A view that is recomputed as a whole: one query of Spark, as if it were kept by full refresh.

A view of several stages would be recomputed stage by stage, each read, compared with what is stored, written
and read again.  Where a recompute is cheaper than the delta (planning/cost/ways.py says which is), the whole
view is one query over what it reads.  What its hidden stages remember is given up: they are emptied at the
view's time, and computed anew when the delta is cheaper again.

The difference from what was stored is not needed, either, if nobody reads it: no other stage, no sink, no
follower of the view's changes, and no reader of its history.  Then the new rows replace the old ones, which
costs no comparison and gives up the view's history; else the difference is stored as ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from headwater.algebra.plans.nodes import Scan
from headwater.algebra.stages.as_a_whole import as_a_whole, scans_to_net
from headwater.algebra.stages.stage import Kept, Stage
from headwater.catalog import Catalog
from headwater.engine.push.decide import Job, forgotten, stage_moves
from headwater.engine.push.workplace import Workplace
from headwater.model import RefreshPolicy
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.learning.ways import Refresh
from headwater.planning.stages.actions import Mode
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.followed import followed

__all__ = ["ViewNow", "may_be_whole", "netted", "view_now", "whole_job"]

# Of the files that are replaced within `retention.reads`, after which they are deleted.
MOST_BYTES_KEPT = 20_000_000_000
FEW = 4  # times fewer rows than a source


@dataclass(frozen=True, slots=True)
class ViewNow:
    """A view that could be recomputed as a whole, and what either way would do."""

    kept: Kept
    stage: Stage  # as a whole
    refresh: Refresh
    must: bool  # its hidden stages have been emptied ahead of it: there is no other way
    idle: bool = False  # nothing changed, and its hidden stages stay empty


def may_be_whole(catalog: Catalog, kept: Kept) -> Stage | None:
    """The view as one stage, if it may be recomputed so: it reads sources, and nobody else its hidden stages.

    How much a source changed is known before anything is pushed, and so which stages are needed.
    """
    if kept.view not in catalog.kept or catalog.policy_of(kept.view) is not RefreshPolicy.AUTO:
        return None
    hidden = _hidden(kept)
    others = (stage for other, stage in catalog.stages() if other.view != kept.view)
    if any(name in hidden for stage in others for name in stage.reads):
        return None
    stored = hidden | {kept.view}
    if any(copy in stored or original in hidden for copy, original in catalog.copies.items()):
        return None
    stage = as_a_whole(kept)
    return stage if stage is not None and catalog.project.tables.keys() >= set(stage.reads) else None


def view_now(workplace: Workplace, kept: Kept, until: int) -> ViewNow | None:
    """None if there is nothing to choose: it was never computed, nothing has changed, or history is gone."""
    stage = may_be_whole(workplace.catalog, kept)
    after = workplace.timeline(kept.view).time()
    if stage is None or not BEGINNING < after < until:
        return None
    hidden = [workplace.timeline(name) for name in _hidden(kept)]
    emptied = any(timeline.hollow() for timeline in hidden)
    must = any(timeline.hollow() and timeline.time() > after for timeline in hidden)
    changed = {name: _changes(workplace, name, after, until) for name in stage.reads}
    idle = not any(changed.values()) and not stage_moves(stage, after, until)
    if (idle and not emptied) or (forgotten(workplace, stage, after) and not must):
        return None
    sizes = {name: workplace.rows(name) for name in (*stage.reads, *_hidden(kept), kept.view)}
    promise = workplace.catalog.project.views[kept.view].freshness.total_seconds()
    refresh = Refresh(kept, stage, changed, sizes, emptied, promise)
    return ViewNow(kept, stage, refresh, must, idle and not must)


def whole_job(workplace: Workplace, now: ViewNow, until: int, reason: str) -> Job:
    """What it takes to recompute the view as a whole; no more than its time moves on if nothing changed."""
    name = now.kept.view
    mode = Mode.EMPTY if now.idle else Mode.FULL
    return Job(
        now.kept,
        now.stage,
        workplace.timeline(name).time(),
        until,
        mode,
        reason,
        Effort(
            sum(now.refresh.changed.values()),  # by which lessons tell this from other recomputes
            sum(now.refresh.sizes[read] for read in now.stage.reads),
            now.refresh.sizes[name],
        ),
        spark=workplace.address(name),
        hollowed=tuple(sorted(_hidden(now.kept))),
        replaces=_replaceable(workplace, name),
        whole=True,
    )


def netted(workplace: Workplace, kept: Kept) -> dict[Scan, tuple[str, ...]]:
    """What is read with positive weights, each with the key of its source.

    Where the view has few rows it costs less to sum up those.
    """
    sources = max(workplace.rows(name) for name in kept.reads)
    scans = scans_to_net(kept, result=FEW * workplace.rows(kept.view) > sources)
    tables = workplace.catalog.project.tables
    return {scan: tables[scan.relation].key for scan in scans}


def _hidden(kept: Kept) -> set[str]:
    return {stage.name for stage in kept.stages} - {kept.view}


def _changes(workplace: Workplace, relation: str, after: int, until: int) -> int:
    timeline = workplace.timeline_of(relation)
    return timeline.rows_between(after, until) if timeline.exists() else 0


def _replaceable(workplace: Workplace, view: str) -> bool:
    """Whether nobody reads how the view changes, and its old files do not pile up."""
    catalog, retention = workplace.catalog, workplace.catalog.project.retention
    if any(view in stage.reads and stage.name != view for _, stage in catalog.stages()):
        return False
    if view in catalog.copies.values() or workplace.sink.read_up_to(view) is not None:
        return False
    timeline = workplace.timeline(view)
    if retention.history > timedelta() or followed(timeline.path):
        return False
    pushes = retention.reads / max(catalog.project.views[view].freshness, timedelta(seconds=1))
    return sum(file.size for file in timeline.snapshot().files) * pushes <= MOST_BYTES_KEPT

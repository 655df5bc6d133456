"""What a push did with the inputs of adapted joins, noted: how many probed, what they find, what follows.

`system/joins` has a row for each input.  `system/overload` has one when a join begins or ceases to choose,
and for every analysis of its allowances, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from headwater.algebra.stages.stage import StageKind
from headwater.engine.push.choosing.probe_queries import LATE, PROBING, SILENT
from headwater.engine.push.choosing.sample_paths import sample_paths
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.errors import InternalError
from headwater.storage.choosing.choices import Choice, note_choice
from headwater.storage.choosing.probes import Probes, note_probes
from headwater.storage.delta.delta_log import BEGINNING

__all__ = ["note_push"]

Counts = Mapping[int, int]  # rows by kind


def note_push(workplace: Workplace, pushed: Sequence[tuple[Job, Counts]]) -> None:
    """After the inputs of one or several joins are committed."""
    for view in dict.fromkeys(job.kept.view for job, _ in pushed):
        of_view = [(job, counts) for job, counts in pushed if job.kept.view == view]
        noted = [_probes(job, counts) for job, counts in of_view]
        noted = _sampled(workplace, of_view[0][0], noted)
        note_probes(workplace.warehouse, noted)
        _note_adaptation(workplace, view, noted)


def _probes(job: Job, counts: Counts) -> Probes:
    probing = job.stage.probing
    if probing is None:
        raise InternalError("HW901", f'stage "{job.name}" has no probes')
    seconds = 0.0 if job.after == BEGINNING else (job.until - job.after) / 1e6
    arrived = counts[PROBING] + counts[SILENT]
    return Probes(
        job.until, probing.view, probing.stream, seconds, arrived, counts[PROBING], counts[LATE],
        job.budget.units, job.reason, share=job.budget.share,
    )  # fmt: skip


def _sampled(workplace: Workplace, job: Job, noted: Sequence[Probes]) -> list[Probes]:
    """With what some of the rows that came find."""
    stages = [stage for stage in job.kept.stages if stage.kind is StageKind.PROBES]
    if not any(probes.arrived for probes in noted):
        return list(noted)
    join = workplace.learnt.of(workplace.catalog.project, workplace.warehouse, job.kept.view, job.until)
    samples = sample_paths(workplace, job.kept, stages, join.tree, job.until, seconds=noted[0].seconds)
    return [
        replace(probes, sampled=sample.rows, after=sample.after, shown=sample.shown, present=sample.present)
        if (sample := samples.get(probes.stream)) is not None
        else probes
        for probes in noted
    ]


def _note_adaptation(workplace: Workplace, view: str, noted: Sequence[Probes]) -> None:
    project, warehouse, first = workplace.catalog.project, workplace.warehouse, noted[0]
    limited = any(probes.allowance is not None for probes in noted)
    was_limited = workplace.learnt.of(project, warehouse, view, first.at).limited
    analysis = workplace.learnt.take_in(project, warehouse, view, noted)
    if limited and not was_limited:
        _note(workplace, noted, "entered", first.reason)
    if analysis is not None and limited:
        _note(workplace, noted, "adapted" if analysis.taken else "kept", analysis.reason)
    if was_limited and not limited:
        _note(workplace, noted, "left", first.reason)


def _note(workplace: Workplace, noted: Sequence[Probes], event: str, reason: str) -> None:
    probed, arrived = sum(probes.probed for probes in noted), sum(probes.arrived for probes in noted)
    choice = Choice(noted[0].at, noted[0].view, event, reason, probed, arrived - probed, 0, 0, noted[0].share)
    note_choice(workplace.warehouse, choice)

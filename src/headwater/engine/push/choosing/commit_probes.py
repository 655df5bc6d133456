"""The commit of an input of an adapted join: its files, its time, and how many rows have come in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headwater.engine.push.choosing.numbering import CAME, rows_before
from headwater.engine.push.choosing.probe_queries import PROBING, SILENT
from headwater.engine.push.decide import Job
from headwater.engine.push.seen import newest_seen
from headwater.engine.push.workplace import Workplace
from headwater.storage.delta.delta_log import BEGINNING, NewFile
from headwater.storage.timeline import COMPACTED

__all__ = ["commit_probes"]


def commit_probes(
    workplace: Workplace, job: Job, files: Sequence[NewFile], counts: Mapping[int, int]
) -> None:
    """`counts`: rows by kind. The rows of an input are committed before the view that is joined from them."""
    came = counts[PROBING] + counts[SILENT]
    transactions = {CAME: rows_before(workplace, job.name) + came, **newest_seen(workplace, job)}
    if job.after == BEGINNING:
        transactions[COMPACTED] = job.until
    workplace.timeline(job.name).commit(
        job.until, files, {"mode": job.mode.value}, transactions, after=job.after
    )

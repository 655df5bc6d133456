"""The two commits of a choice, in the order that a crash cannot break (storage/choosing/waiting_table.py)."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.engine.push.decide import Job
from headwater.engine.push.seen import newest_seen
from headwater.engine.push.workplace import Workplace
from headwater.storage.choosing.waiting_table import CHOSEN, Tally, WaitingTable
from headwater.storage.delta.delta_log import NewFile

__all__ = ["commit_choice"]


def commit_choice(
    workplace: Workplace,
    waiting: WaitingTable,
    job: Job,
    shown: Sequence[NewFile],
    rest: Sequence[NewFile],
    tally: Tally,
) -> None:
    """What is shown first: it says that what waits is out of date, until that is committed too."""
    note = {"mode": job.mode.value}
    transactions = {CHOSEN: job.until, **newest_seen(workplace, job)}
    waiting.shown.commit(job.until, shown, note, transactions, after=job.after)
    waiting.replace(waiting.shown.columns(), job.until, rest, tally)

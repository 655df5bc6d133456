"""A source that has gone back: restored from a backup, or with commits lost that were not on the disk yet.

Its clock knows when something was committed last (storage/source_clock.py).  Where the log ends before that,
views and whatever else reads the source may hold changes that it no longer has, and would count twice what is
sent again.  So the source gets a new time, later than any that was given out or declared, and its history
before that is given up: every reader finds its place gone and starts from the rows that are there.

Where the clock was restored as well, whoever reads the source still knows: a stage keeps with its commits
when what it has seen of each source was changed last (engine/push/seen.py).
"""

from __future__ import annotations

import logging

from headwater.storage.source_clock import Turn
from headwater.storage.timeline import COMPACTED, Timeline

__all__ = ["renew", "renew_if_restored"]

logger = logging.getLogger(__name__)


def renew_if_restored(timeline: Timeline, turn: Turn) -> None:
    """Have every reader of a restored source begin anew. For who holds the turn of its clock."""
    if timeline.time() < turn.committed:
        renew(timeline, turn)


def renew(timeline: Timeline, turn: Turn, beyond: int = 0) -> None:
    """Have every reader begin anew, at a time later than any given out and than `beyond`."""
    logger.warning(
        "%s is older than what was committed to it: it was restored or has lost commits;"
        " what reads it is computed anew", timeline.path,
    )  # fmt: skip
    time = max(turn.last, beyond) + 1
    timeline.commit(time, note={"mode": "restored"}, transactions={COMPACTED: time})
    turn.store(time)

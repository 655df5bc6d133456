"""What makes a retried call harmless: what was committed under a token or a batch id is not committed again.

Both are recorded in the same Delta commit as the changes, so they are there if and only if the changes are;
both are looked up under the source's lock, in the table's log, before each commit.

    Token("producer-a", 17)       a writer whose numbers increase: one entry in the log, however many calls
    BatchId("orders-2026-01-31")  a call with a name of its own: the log remembers the last REMEMBERED of them

Batch ids stand in a ring of slots, each three transactions of the log: a digest of the id, what the batch
came to, and its time.  A new id takes the slot of the oldest, so a table's log holds a bounded number of them
for ever, in its checkpoints too, whatever is compacted or vacuumed.  The digest has 63 bits: one in 10^16
batches would be taken for another one that is still remembered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.errors import InputError
from headwater.storage.delta.delta_log import DeltaLog

__all__ = ["REMEMBERED", "BatchId", "Recorded", "Token"]

REMEMBERED = 1_000
_MOST = 2**31 - 1  # records of a batch that can be counted


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was committed before: how many records were accepted and rejected, and when."""

    accepted: int = 0
    rejected: int = 0
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Token:
    writer: str
    sequence: int

    def within(self, name: str) -> Token:
        """The same token in a table that several share."""
        return Token(f"{name}/{self.writer}", self.sequence)

    def recorded(self, log: DeltaLog) -> Recorded | None:
        """What was already committed under this token or a later one of the same writer, if anything was."""
        last = log.transaction(self.writer)
        return Recorded() if last is not None and last >= self.sequence else None

    def transactions(self, _log: DeltaLog, _recorded: Recorded) -> dict[str, int]:
        """What a commit under this token records."""
        return {self.writer: self.sequence}


@dataclass(frozen=True, slots=True)
class BatchId:
    name: str
    ring: str = "headwater-batch"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # callers of the Python API pass what they like
            raise TypeError(f"a batch id is text, not {type(self.name).__name__}")
        if not self.name.strip():
            raise InputError(
                "HW868",
                "a batch id must not be empty",
                hint="Use a name of the batch's own: --batch 2026-01-31",
            )

    @classmethod
    def given(cls, name: str | None) -> BatchId | None:
        """The id that a caller gave, if any."""
        return None if name is None else cls(name)

    def within(self, name: str) -> BatchId:
        """The same id in a table that several share: each has a ring of its own."""
        return BatchId(self.name, f"{name}/{self.ring}")

    def recorded(self, log: DeltaLog) -> Recorded | None:
        """What the batch came to when it was committed, if it was, and is remembered."""
        numbers, digest = log.transactions(), self._digest()
        for slot in range(REMEMBERED):
            if numbers.get(f"{self.ring}:{slot}") == digest:
                accepted, rejected = divmod(numbers.get(f"{self.ring}:{slot}:counts", 0), _MOST + 1)
                return Recorded(accepted, rejected, numbers.get(f"{self.ring}:{slot}:time"))
        return None

    def transactions(self, log: DeltaLog, recorded: Recorded) -> dict[str, int]:
        """What a commit of this batch records, in the slot of the oldest one."""
        slot = f"{self.ring}:{self._free_slot(log.transactions())}"
        counts = min(recorded.accepted, _MOST) * (_MOST + 1) + min(recorded.rejected, _MOST)
        return {slot: self._digest(), f"{slot}:counts": counts, f"{slot}:time": recorded.time or 0}

    def _free_slot(self, numbers: Mapping[str, int]) -> int:
        return min(range(REMEMBERED), key=lambda slot: numbers.get(f"{self.ring}:{slot}:time", -1))

    def _digest(self) -> int:
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8]) >> 1

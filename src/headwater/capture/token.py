"""A token makes a retried call harmless: what was committed under it is never committed again.

A token names a writer and a sequence number.  The number travels in the same Delta commit as the changes, so
it is recorded if and only if they are; before each commit, under the source's lock, the number last recorded
for that writer is read from the table's log.  A writer's numbers must grow.

    Token("producer-a", 17)       one entry in the log per writer, however many calls
    Token.once("order-4711")      a single call; each such token stays in the log for good
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.storage.delta_log import DeltaLog

__all__ = ["Token"]


@dataclass(frozen=True, slots=True)
class Token:
    writer: str
    sequence: int

    @staticmethod
    def once(name: str) -> Token:
        return Token(f"once:{name}", 1)

    def reached(self, log: DeltaLog) -> bool:
        """Whether something was already committed under this token or a later one of its writer."""
        last = log.transaction(self.writer)
        return last is not None and last >= self.sequence

    def transactions(self) -> dict[str, int]:
        return {self.writer: self.sequence}

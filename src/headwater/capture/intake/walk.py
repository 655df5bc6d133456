"""The records of a batch one by one, each against what the earlier ones left.

resolve.py says what each operation does; here it is done, on numbers.  A record is accepted entirely or not
at all, and a rejected record has no effect on later ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from headwater.capture.intake.batch import Batch, Operation
from headwater.capture.intake.codes import Codes
from headwater.capture.intake.links import Link
from headwater.storage.timeline import WEIGHT

__all__ = ["Count", "Limit", "Walk"]


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` rows for any value of `columns`."""

    columns: tuple[str, ...]
    most: int
    broken: str
    warn: bool = False


@dataclass(slots=True)
class Count:
    """A limit and what it counts: the code of each pool row (-1: not counted), and the rows per code."""

    limit: Limit
    of_row: list[int]
    present: dict[int, int]


class Walk:
    """Resolves the records in order. `touched` and `weights` are the resulting changes, by pool row."""

    def __init__(
        self,
        batch: Batch,
        numbers: Codes,
        current: pa.Table,
        keyed: bool,
        replacing: bool,
        tests: list[Count],
        links: list[Link],
    ) -> None:
        self.operations: list[int] = batch.operations.tolist()
        self.first_new = len(current)
        self.first_old = len(current) + len(batch)
        self.numbers: list[int] = numbers.tolist()
        self.keyed = keyed
        self.replacing = replacing
        self.tests = tests
        self.links = links
        self.touched: list[int] = []
        self.weights: list[int] = []
        self.reasons: dict[int, str] = {}
        self.warned = 0
        self.holders: dict[int, list[int]] = {}
        for row, weight in enumerate(current.column(WEIGHT).to_pylist()):
            self.holders.setdefault(self.numbers[row], []).extend([row] * max(weight, 0))

    def run(self) -> None:
        for position, operation in enumerate(self.operations):
            reason = self._resolve(position, operation)
            if reason:
                self.reasons[position] = reason

    def _resolve(self, position: int, operation: int) -> str:
        new = self.first_new + position
        replaced = -1
        if operation >= Operation.UPDATE:
            holding = self.holders.get(self.numbers[self.first_old + position])
            if not holding:
                return "there is no such row to " + ("update" if operation == Operation.UPDATE else "delete")
            replaced = holding[-1]
            if self._taken(position, new, operation):
                return "the new key is taken"
        elif self.keyed and (self.replacing or operation == Operation.UPSERT):
            holding = self.holders.get(self.numbers[new])
            replaced = holding[-1] if holding else -1
        added = new if operation != Operation.DELETE else -1
        reason = self._forbidden(replaced, added)
        if not reason:
            self._apply(replaced, added)
        return reason

    def _taken(self, position: int, new: int, operation: int) -> bool:
        """Whether an update moves a row to a key that another row has."""
        moves = self.numbers[new] != self.numbers[self.first_old + position]
        return (
            self.keyed
            and operation == Operation.UPDATE
            and moves
            and bool(self.holders.get(self.numbers[new]))
        )

    def _forbidden(self, replaced: int, added: int) -> str:
        """Why limits or foreign keys forbid the change; "" if they do not.

        Violations that only warn count once.
        """
        warned = False
        if added >= 0:
            reason, warned = self._beyond(replaced, added)
            if reason:
                return reason
        for link in self.links:
            reason = link.broken(replaced, added)
            if reason and not link.foreign.warn:
                return reason
            warned = warned or bool(reason)
        self.warned += warned
        return ""

    def _beyond(self, replaced: int, added: int) -> tuple[str, bool]:
        """Why a limit forbids the new row ("" if none does), and whether one that only warns was exceeded."""
        warned = False
        for test in self.tests:
            code = test.of_row[added]
            if code < 0:
                continue
            freed = 1 if replaced >= 0 and test.of_row[replaced] == code else 0
            if test.present.get(code, 0) - freed + 1 > test.limit.most:
                if not test.limit.warn:
                    return test.limit.broken, False
                warned = True
        return "", warned

    def _apply(self, replaced: int, added: int) -> None:
        for row, weight in ((replaced, -1), (added, 1)):
            if row < 0:
                continue
            self.touched.append(row)
            self.weights.append(weight)
            for test in self.tests:
                code = test.of_row[row]
                if code >= 0:
                    test.present[code] = test.present.get(code, 0) + weight
            for link in self.links:
                link.move(row, weight)
            holding = self.holders.setdefault(self.numbers[row], [])
            if weight > 0:
                holding.append(row)
            elif holding[-1] == row:
                holding.pop()
            else:
                holding.remove(row)

"""What a push has to do for a stage, in rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Effort", "total"]


@dataclass(frozen=True, slots=True)
class Effort:
    changed: int  # changes read
    scanned: int  # rows of relations read to find their partners
    result: int  # changes made


def total(efforts: Iterable[Effort]) -> Effort:
    changed = scanned = result = 0
    for effort in efforts:
        changed, scanned, result = changed + effort.changed, scanned + effort.scanned, result + effort.result
    return Effort(changed, scanned, result)

"""What a run tells whoever watches it, every second or so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headwater.capture.rejected import Rejected
from headwater.engine.run.auditor import Snapshot

__all__ = ["Progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    at: int
    views: Sequence[Snapshot]
    pushes: dict[str, int]
    violations: dict[str, int]
    errors: dict[str, str]
    captured: dict[str, int]
    rejected: Mapping[str, Rejected] = field(default_factory=dict)  # sources with dead letters
    pushing: frozenset[str] = frozenset()  # views that are being computed
    promised: bool = True  # False: nothing is owed, as until idle
    notes: Sequence[str] = ()  # what happened to the project while it ran, oldest first

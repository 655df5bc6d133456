"""How much of the machine upkeep may use: a share of its cores, over time.

Upkeep keeps later pushes cheap, but a push that is due now comes first.  So it may owe: work that is worth a
minute is done at once, and then nothing more is begun until the share has paid for it.  It saves up little:
what is earned from one look to the next, so that many small merges need not wait for a look each.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from headwater.clock import Clock

__all__ = ["MACHINE_SHARE", "UpkeepBudget"]

# Promises are admitted and pushes forecast without upkeep: a tenth of the machine slows a push by less than
# what forecasts are off anyway, and merges of random updates cost less than the pushes that apply them
# (docs/compaction.md).
MACHINE_SHARE = 0.1
SAVED_S = 10.0  # what so many seconds earn is saved up at most

_SECOND = 1_000_000


@dataclass(slots=True)
class UpkeepBudget:
    """Core-seconds, earned as time passes. For one thread."""

    clock: Clock
    share: float = MACHINE_SHARE
    cores: int = field(default_factory=lambda: os.cpu_count() or 1)
    spent: float = 0.0  # in all, since the run began
    _saved: float = field(default=0.0, init=False)  # negative: owed
    _seen_at: int = field(init=False)

    def __post_init__(self) -> None:
        self._seen_at = self.clock.monotonic()

    def affords_more(self) -> bool:
        """Whether what was done so far is paid for."""
        now = self.clock.monotonic()
        earned = (now - self._seen_at) / _SECOND * self.share * self.cores
        self._seen_at = now
        self._saved = min(self._saved + earned, SAVED_S * self.share * self.cores)
        return self._saved >= 0.0

    def spend(self, core_seconds: float) -> None:
        self.spent += core_seconds
        self._saved -= core_seconds

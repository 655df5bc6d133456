"""How often somebody may ask: a bucket that fills steadily, from which every request takes one drop.

    1 drop a request; `rate` drops a second flow in; the bucket holds `rate * BURST`

Pure arithmetic on instants of a monotonic clock.  Buckets of those who have not asked for longest are
forgotten first, so that no number of addresses needs more memory.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from headwater.units import SECOND

__all__ = ["Rates"]

BURST = 2.0  # seconds' worth of requests at once
REMEMBERED = 4096  # callers


@dataclass(slots=True)
class Rates:
    """For one thread."""

    rate: float  # requests a second
    _buckets: OrderedDict[str, tuple[float, int]] = field(default_factory=OrderedDict)

    def wait(self, caller: str, now: int) -> float:
        """Take a drop; returns 0, or how many seconds to wait if the bucket is empty. `now` is monotonic."""
        full = max(1.0, self.rate * BURST)
        drops, at = self._buckets.pop(caller, (full, now))
        drops = min(full, drops + (now - at) / SECOND * self.rate)
        waiting = 0.0 if drops >= 1 else (1 - drops) / self.rate
        self._buckets[caller] = (drops - 1 if drops >= 1 else drops, now)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        return waiting

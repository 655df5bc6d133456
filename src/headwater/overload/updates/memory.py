"""Where waiting tuples lie: pages given out on demand and given back at once (UpStream, section 7.1).

A pool hands out pages of equal size.  `OnDemandPages` fills the holes it has before it asks for a page (the empty
locations pool), and gives a page back as soon as its last tuple has left.  `NaivePages` is the paper's yardstick: a
key keeps its location for ever.  Both meter themselves: pages and bytes at the peak, and the effective use, which is
tuples held over locations allocated, both averaged over time.

    add(at) -> location         release(location, at)

Invariant: a page in the pool of holes has at least one hole and at least one tuple, except the page being filled.
Cost: O(1) each.  The running queue keeps rows in Arrow instead (`rows.py`): the bench shows both.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MemoryUse", "Meter", "NaivePages", "OnDemandPages", "PagePool"]

PAGE_BYTES = 4096
TUPLE_BYTES = 64


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """What a run needed; `pages_mean` and `effective_use` are averages over time."""

    pages_peak: int
    bytes_peak: int
    effective_use: float
    pages_mean: float


class Meter:
    """Integrals of tuples held and locations allocated over time, with the peak."""

    def __init__(self) -> None:
        self.at = 0.0
        self.held = 0
        self.allocated = 0
        self.allocated_peak = 0
        self.held_area = 0.0
        self.allocated_area = 0.0

    def change(self, at: float, held: int, allocated: int) -> None:
        duration = at - self.at
        self.at = at
        self.held_area += duration * self.held
        self.allocated_area += duration * self.allocated
        self.held += held
        if allocated:
            self.allocated += allocated
            if self.allocated > self.allocated_peak:
                self.allocated_peak = self.allocated

    def use(self, at: float, page_locations: int, page_bytes: int) -> MemoryUse:
        """The account up to `at`.  A queue that was always empty wastes nothing: its effective use is 1."""
        self.change(max(at, self.at), 0, 0)
        pages = -(-self.allocated_peak // page_locations)
        share = self.held_area / self.allocated_area if self.allocated_area else 1.0
        mean = self.allocated_area / page_locations / self.at if self.at else 0.0
        return MemoryUse(pages, pages * page_bytes, share, mean)


class PagePool:
    """Numbers of free pages; the one given back last is given out first, for it is still warm."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._next = 0

    def allocate(self) -> int:
        if self._free:
            return self._free.pop()
        self._next += 1
        return self._next - 1

    def release(self, page: int) -> None:
        self._free.append(page)


class OnDemandPages:
    """Locations on as few pages as the holes allow."""

    def __init__(self, page_locations: int = PAGE_BYTES // TUPLE_BYTES, page_bytes: int = PAGE_BYTES) -> None:
        self.page_locations = page_locations
        self.page_bytes = page_bytes
        self.meter = Meter()
        self.pool = PagePool()
        self.holes: dict[int, list[int]] = {}

    def add(self, at: float) -> int:
        """MemAdd: a hole if there is one, else the first location of a new page."""
        added = 0
        if not self.holes:
            page = self.pool.allocate()
            self.holes[page] = list(range(self.page_locations - 1, -1, -1))
            added = self.page_locations
        page, free = next(iter(self.holes.items()))
        slot = free.pop()
        if not free:
            del self.holes[page]
        self.meter.change(at, 1, added)
        return page * self.page_locations + slot

    def release(self, location: int, at: float) -> None:
        """MemRem: a hole more; a page that is all holes goes back to the pool."""
        page, slot = divmod(location, self.page_locations)
        free = self.holes.get(page)
        if free is None:
            free = self.holes[page] = []
        free.append(slot)
        if len(free) == self.page_locations:
            del self.holes[page]
            self.pool.release(page)
            self.meter.change(at, -1, -self.page_locations)
        else:
            self.meter.change(at, -1, 0)

    def use(self, at: float) -> MemoryUse:
        return self.meter.use(at, self.page_locations, self.page_bytes)


class NaivePages:
    """A location for every key seen, kept for ever: `location` is the key's own."""

    def __init__(self, page_locations: int = PAGE_BYTES // TUPLE_BYTES, page_bytes: int = PAGE_BYTES) -> None:
        self.page_locations = page_locations
        self.page_bytes = page_bytes
        self.meter = Meter()
        self._seen: set[int] = set()

    def add_for(self, key: int, at: float) -> int:
        self.meter.change(at, 1, 0 if key in self._seen else 1)
        self._seen.add(key)
        return key

    def release(self, location: int, at: float) -> None:
        self.meter.change(at, -1, 0)

    def use(self, at: float) -> MemoryUse:
        return self.meter.use(at, self.page_locations, self.page_bytes)

"""Memory of waiting tuples: pages allocated on demand and released at once (UpStream, section 7.1).

A pool hands out pages of equal size.  `OnDemandPages` fills its holes before it asks for a page (the empty
locations pool), and releases a page as soon as its last tuple has left.  `naive_use` is the paper's
yardstick, in which a key keeps its location for ever.  Measured are pages and bytes at the peak, and the
effective use: tuples held over locations allocated, both averaged over time.

    add(at) -> location         release(location, at)

Invariant: a page in the pool of holes has at least one hole, and a page with tuples at least one tuple.
Cost: O(1) each.  The real queue stores rows in Arrow instead (`rows.py`): the bench shows both.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MemoryUse", "Meter", "OnDemandPages", "PagePool", "naive_use"]

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
    """The integral of allocated pages over time, and their peak."""

    def __init__(self) -> None:
        self.at = 0.0
        self.pages = 0
        self.peak = 0
        self.area = 0.0

    def change(self, at: float, pages: int) -> None:
        self.area += (at - self.at) * self.pages
        self.at = at
        self.pages += pages
        self.peak = max(self.peak, self.pages)

    def use(self, at: float, held_area: float, page_locations: int, page_bytes: int) -> MemoryUse:
        """The use up to `at`; a queue that was always empty wastes nothing, so its effective use is 1."""
        self.change(max(at, self.at), 0)
        share = held_area / (self.area * page_locations) if self.area else 1.0
        mean = self.area / self.at if self.at else 0.0
        return MemoryUse(self.peak, self.peak * page_bytes, share, mean)


class PagePool:
    """Numbers of free pages; the page released last is reused first, as it is still in the cache."""

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
        self.holes: dict[int, list[int]] = {}  # page -> its empty locations, at least one
        self._filling: list[int] = []  # the empty locations of the page being filled (nap)
        self._filling_page = -1

    def add(self, at: float) -> int:
        """MemAdd: a freed location if there is one, else the first of a new page."""
        if not self._filling:
            self._next_page(at)
        location = self._filling.pop()
        if not self._filling:
            del self.holes[self._filling_page]
        return location

    def _next_page(self, at: float) -> None:
        if not self.holes:
            page, size = self.pool.allocate(), self.page_locations
            self.holes[page] = list(range((page + 1) * size - 1, page * size - 1, -1))
            self.meter.change(at, 1)
        self._filling_page, self._filling = next(iter(self.holes.items()))

    def release(self, location: int, at: float) -> None:
        """MemRem: one more hole; a page that is all holes goes back to the pool at once."""
        page = location // self.page_locations
        free = self.holes.get(page)
        if free is None:
            free = self.holes[page] = []
        free.append(location)
        if len(free) == self.page_locations:
            self._release_page(page, at)

    def _release_page(self, page: int, at: float) -> None:
        del self.holes[page]
        self.pool.release(page)
        self.meter.change(at, -1)
        if page == self._filling_page:
            self._filling, self._filling_page = [], -1

    def use(self, at: float, held_area: float) -> MemoryUse:
        """`held_area` is the integral of tuples held: the sum of all waits."""
        return self.meter.use(at, held_area, self.page_locations, self.page_bytes)


def naive_use(held_mean: float, seen_mean: float) -> MemoryUse:
    """The paper's yardstick: a location for every key ever seen.

    Its use follows from two averages over time.
    """
    share = held_mean / seen_mean if seen_mean else 1.0
    pages = seen_mean * TUPLE_BYTES / PAGE_BYTES
    return MemoryUse(-int(-pages // 1), int(seen_mean * TUPLE_BYTES), share, pages)

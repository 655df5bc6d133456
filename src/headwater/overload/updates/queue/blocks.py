"""Memory of window buffers: chains of equal blocks, taken from pages (UpStream, section 7.2).

The tuples of one key are stored in a chain of blocks, oldest first; within a block they are contiguous.  The
first block has a dequeue offset, the last an enqueue offset.  A block without tuples returns to its page,
and a page without blocks returns to the pool.  A chain is the paper's list of FixedLengthContiguousZones.
"""

from __future__ import annotations

from collections import deque

from headwater.overload.updates.queue.memory import PAGE_BYTES, TUPLE_BYTES, MemoryUse, OnDemandPages

__all__ = ["BlockChain", "BlockMemory"]

BLOCK_TUPLES = 8


class BlockMemory:
    """Pages cut into blocks, with the integral of tuples held."""

    def __init__(self, block_tuples: int = BLOCK_TUPLES) -> None:
        self.block_tuples = block_tuples
        self.pages = OnDemandPages(PAGE_BYTES // TUPLE_BYTES // block_tuples)
        self.held = 0
        self.held_peak = 0
        self._held_area = 0.0
        self._at = 0.0

    def count(self, tuples: int, at: float) -> None:
        self._held_area += self.held * (at - self._at)
        self._at = at
        self.held += tuples
        self.held_peak = max(self.held_peak, self.held)

    def use(self, at: float) -> MemoryUse:
        self.count(0, max(at, self._at))
        return self.pages.use(at, self._held_area / self.block_tuples)


class BlockChain:
    """The tuples of one key, in order of arrival: times only, which is all a simulation needs."""

    __slots__ = ("_blocks", "_head", "_memory", "_tail", "tuples")

    def __init__(self, memory: BlockMemory) -> None:
        self._memory = memory
        self._blocks: deque[int] = deque()
        self._head = 0  # tuples gone from the first block: the dequeue offset
        self._tail = memory.block_tuples  # tuples written to the last block: the enqueue offset
        self.tuples: deque[float] = deque()

    def append(self, source_at: float, at: float) -> None:
        if self._tail == self._memory.block_tuples:
            self._blocks.append(self._memory.pages.add(at))
            self._tail = 0
        self._tail += 1
        self.tuples.append(source_at)
        self._memory.count(1, at)

    def drop_before(self, source_at: float, at: float) -> None:
        """Drop the tuples older than `source_at`; an empty chain releases its last block as well."""
        while self.tuples and self.tuples[0] < source_at - 1e-9:
            self.tuples.popleft()
            self._memory.count(-1, at)
            self._head += 1
            if self._head == self._memory.block_tuples:
                self._release(at)
        if not self.tuples and self._blocks:
            self._release(at)
            self._tail = self._memory.block_tuples

    def _release(self, at: float) -> None:
        self._memory.pages.release(self._blocks.popleft(), at)
        self._head = 0

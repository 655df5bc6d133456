"""`best`: serve the key for which a refresh now is worth most (a Whittle index, with two corrections).

Consider one key alone, refreshed whenever its staleness has reached a, at a price W for each refresh.  After
a refresh the key stays clean for a time q on average, until its next update; then it grows stale until it is
refreshed again.  Refreshing at a is the cheapest choice exactly when

    W(a) = a^2 / 2  +  a q  +  q^2 (1 - exp(-cost / q))

The first two terms are the Whittle index of this restless bandit (the second is why slow updaters should go
first: their refresh lasts); the third accounts for staleness ending when processing completes, not when it
starts.  The policy serves the key with the highest W(a) times its weight.

**How long does a refresh last?**  Until the next update (rate r), or until the backlog is gone, because then
the key would have been served anyway: q = 1 / (r + m), where 1 / m is the mean time the backlog still lasts,
seen from a random moment.  Under steady overload m is 0.  In bursts m is what matters: on real quotes it
turns a loss of 3 % against IN-PLACE into a gain of 6 %.

Both are learnt online (`rates.py`).

**Cheap dequeue.**  When keys begin to wait, they are put into classes of nearly equal rate (a factor of
2^(1/3)) and equal weight, centred on the mean rate, so that similar keys share a class.  Within a class W is
highest for the key that has waited longest, so a class is a plain queue and only the heads compete: a
dequeue compares some tens of heads, never all keys.

Doubt: the index is optimal for many keys with memoryless updates; no proof covers ten keys or real quotes.
"""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heapreplace
from itertools import islice
from math import log2

import numpy as np

from headwater.overload.updates.queue.cells import Floats, Ints, KeyCells
from headwater.overload.updates.queue.rates import FINE, Backlog, Rates

__all__ = ["Best", "index"]

CLASS_WIDTH = FINE // 3  # three classes an octave
AHEAD = 128  # with n keys waiting, n / 128 steps are decided at once


def index(age: Floats, clean: Floats, cost: float) -> Floats:
    """W(a) of keys whose oldest update is `age` old and that stay clean for `clean` after a refresh."""
    return age * (age / 2 + clean) + _completion_term(clean, cost)


def _completion_term(clean: Floats, cost: float) -> Floats:
    return -clean * clean * np.expm1(-cost / np.maximum(clean, 1e-300))


class Best:
    """Keys that wait, by class of rate and weight; the heads of the classes compete by their index."""

    name = "best"
    moves_waiting = False

    def __init__(self, cells: KeyCells, cost: float) -> None:
        self.cells = cells
        self.cost = cost
        self.backlog = Backlog()
        self.rates = Rates(cells, self.backlog, cost)
        self._length = 0
        self._slots: dict[tuple[int, float], int] = {}
        self._queues: list[deque[int]] = []
        self._live: set[int] = set()
        self._upcoming: list[int] = []
        self._end_rate = 0.0
        self._reshape()

    def __len__(self) -> int:
        return self._length

    def _reshape(self) -> None:
        """Rebuild the columns over the classes. Needed when a class is new, which soon stops happening."""
        self._interval = np.array([2.0 ** (mark / FINE) for mark, _ in self._slots])
        self._weights = [weight for _, weight in self._slots]
        self._head = [self.cells.first_at_view[queue[0]] if queue else 0.0 for queue in self._queues]
        self._assess(self._end_rate)

    def _assess(self, end_rate: float) -> None:
        """How long a refresh lasts for each class, and the last term of twice its index."""
        self._end_rate = end_rate
        self._clean = self._interval / (1.0 + end_rate * self._interval)
        self._twice_clean = (2.0 * self._clean).tolist()
        self._bonus = (2.0 * _completion_term(self._clean, self.cost)).tolist()

    def _slot(self, rate_class: int, weight: float) -> int:
        slot = self._slots.get((rate_class, weight))
        if slot is None:
            slot = self._slots[rate_class, weight] = len(self._slots)
            self._queues.append(deque())
            self._reshape()
        return slot

    def _slot_of(self, key: int, at: float) -> int:
        reference = self.rates.reference
        steps = round((FINE * log2(self.rates.interval(key, at)) - reference) / CLASS_WIDTH)
        return self._slot(reference + CLASS_WIDTH * steps, self.cells.weight_view[key])

    def _push(self, slot: int, key: int, at: float) -> None:
        queue = self._queues[slot]
        if not queue:
            self._head[slot] = at
            self._live.add(slot)
        queue.append(key)
        self._length += 1

    def enter(self, key: int, at: float) -> None:
        if not self._length:
            self.backlog.began_at = at
        rates = self.rates
        rates.entries += 1
        if rates.entries >= rates.refit_at:
            rates.refit(at)
        self._push(self._slot_of(key, at), key, at)

    def enter_many(self, keys: Ints, ats: Floats) -> None:
        if not len(keys):
            return
        if not self._length:
            self.backlog.began_at = float(ats[0])
        self.rates.count_entries(len(keys), float(ats[-1]))
        slots = self._slots_of(keys, ats)
        grouped = np.argsort(slots, kind="stable")
        starts = np.flatnonzero(np.diff(slots[grouped], prepend=-1))
        for group in np.split(grouped, starts[1:]):
            slot = int(slots[group[0]])
            self._push(slot, int(keys[group[0]]), float(ats[group[0]]))
            self._queues[slot].extend(keys[group[1:]].tolist())
            self._length += len(group) - 1

    def _slots_of(self, keys: Ints, ats: Floats) -> Ints:
        """As `_slot_of`, for many keys: only the few distinct classes are looked up, the rest is arrays."""
        reference = self.rates.reference
        fine = FINE * np.log2(self.rates.intervals(keys, ats)) - reference
        rates = reference + CLASS_WIDTH * np.rint(fine / CLASS_WIDTH).astype(np.int64)
        pairs = np.stack([rates.astype(np.float64), self.cells.weight[keys]])
        if (pairs[1] == 1.0).all():
            low = int(rates.min())
            present = np.flatnonzero(np.bincount(rates - low)) + low
            table = np.zeros(int(present[-1]) - low + 1, np.int64)
            table[present - low] = [self._slot(int(rate), 1.0) for rate in present]
            return table[rates - low]
        distinct, inverse = np.unique(pairs, axis=1, return_inverse=True)
        assigned = [self._slot(int(rate), float(weight)) for rate, weight in distinct.T]
        return np.array(assigned, np.int64)[inverse.ravel()]

    def supersede(self, key: int, at: float) -> None:
        """Nothing to do: the key is served by its oldest waiting update."""

    def supersede_many(self, keys: Ints, ats: Floats) -> None:
        """Nothing to do: the keys are served by their oldest waiting updates."""

    def take(self, now: float) -> int:
        if not self._upcoming:
            self._upcoming = [self._highest(now)] if self._length < AHEAD else self._next_slots(now)
        slot = self._upcoming.pop()
        queue = self._queues[slot]
        key = queue.popleft()
        if queue:
            self._head[slot] = self.cells.first_at_view[queue[0]]
        else:
            self._settle(slot)
        self._length -= 1
        if not self._length:
            self.backlog.ended(now)
        return key

    def _next_slots(self, now: float) -> list[int]:
        """The classes of the next steps, last first, when so many keys wait that ages hardly change
        meanwhile.

        A class's queue grows only at its end, so the intended keys are still at its head when their turn
        comes.
        """
        self._learn(now)
        first_at, queues = self.cells.first_at_view, self._queues
        heads = [(-self._score(slot, self._head[slot], now), slot, 0) for slot in self._live]
        heapify(heads)
        slots = []
        for _ in range(self._length // AHEAD):
            _, slot, position = heads[0]
            slots.append(slot)
            position += 1
            if position < len(queues[slot]):
                since = first_at[queues[slot][position]]
                heapreplace(heads, (-self._score(slot, since, now), slot, position))
            else:
                heappop(heads)
        slots.reverse()
        return slots

    def _score(self, slot: int, since: float, now: float) -> float:
        """Twice the index, which saves a multiplication."""
        age = now - since
        return (age * (age + self._twice_clean[slot]) + self._bonus[slot]) * self._weights[slot]

    def _learn(self, now: float) -> None:
        """Update the estimated length of backlogs once it has changed enough to matter."""
        end_rate = self.backlog.end_rate(now)
        if not 0.95 * self._end_rate <= end_rate <= 1.05 * self._end_rate:
            self._assess(end_rate)

    def _settle(self, slot: int) -> None:
        """After a class lost its head: compete with the next key, or not at all if the class is empty."""
        queue = self._queues[slot]
        if queue:
            self._head[slot] = self.cells.first_at_view[queue[0]]
        else:
            self._live.discard(slot)

    def _highest(self, now: float) -> int:
        """The class whose head has the highest index. `_score` is inlined, as this runs at every step."""
        if len(self._live) == 1:
            return next(iter(self._live))
        self._learn(now)
        head, clean, bonus, weights = self._head, self._twice_clean, self._bonus, self._weights
        highest, best = -1.0, -1
        for slot in self._live:
            age = now - head[slot]
            score = (age * (age + clean[slot]) + bonus[slot]) * weights[slot]
            if score > highest:
                highest, best = score, slot
        return best

    def take_many(self, now: float, count: int) -> Ints:
        """The `count` keys with the highest index now, highest first."""
        self._upcoming.clear()
        keys, scores, slots = self._candidates(now, count)
        chosen = np.argsort(-scores, kind="stable")[:count]
        for slot, taken in enumerate(np.bincount(slots[chosen], minlength=len(self._queues)).tolist()):
            if taken:
                self._drop(slot, taken)
        if len(chosen) and not self._length:
            self.backlog.ended(now)
        return keys[chosen]

    def _candidates(self, now: float, count: int) -> tuple[Ints, Floats, Ints]:
        """The first `count` keys of each class: no other key can be among the first `count` of all."""
        self._assess(self.backlog.end_rate(now))
        live = sorted(self._live)
        heads = [list(islice(self._queues[slot], count)) for slot in live]
        slots = np.repeat(np.array(live, np.int64), [len(head) for head in heads])
        keys = np.array([key for head in heads for key in head], np.int64)
        ages = now - self.cells.first_at[keys]
        return keys, index(ages, self._clean[slots], self.cost) * np.array(self._weights)[slots], slots

    def _drop(self, slot: int, count: int) -> None:
        queue = self._queues[slot]
        if count == len(queue):
            queue.clear()
        else:
            for _ in range(count):
                queue.popleft()
        self._length -= count
        self._settle(slot)

    def waiting(self) -> list[tuple[int, int]]:
        """Each key with its rate class, in the order in which they began to wait."""
        classes = {slot: rate for (rate, _), slot in self._slots.items()}
        pairs = [(key, classes[slot]) for slot, queue in enumerate(self._queues) for key in queue]
        return sorted(pairs, key=lambda pair: self.cells.first_at_view[pair[0]])

    def restore(self, waiting: list[tuple[int, int]], state: dict[str, float]) -> None:
        self.rates.restore(state)
        self.backlog.restore(state)
        for key, rate_class in waiting:
            slot = self._slot(rate_class, self.cells.weight_view[key])
            self._push(slot, key, self.cells.first_at_view[key])

    def state(self) -> dict[str, float]:
        return self.rates.state() | self.backlog.state()

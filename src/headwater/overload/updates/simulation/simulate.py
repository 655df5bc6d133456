"""Run a policy over a trace: from chunks of updates to an `Outcome`.

    simulate(trace(times, keys), Settings("best", cost=0.01))

`append` and `shed` need their horizon in advance; for the others it defaults to the last arrival.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from headwater.errors import InputError, did_you_mean
from headwater.overload.updates.queue.cells import KeyCells, KeyIndex
from headwater.overload.updates.queue.memory import OnDemandPages
from headwater.overload.updates.queue.policies import POLICIES, make_order
from headwater.overload.updates.simulation.append_run import AppendRun
from headwater.overload.updates.simulation.run import Outcome, QueueRun
from headwater.overload.updates.simulation.staleness import Profile
from headwater.overload.updates.simulation.trace import Chunk

__all__ = ["Settings", "simulate", "trace"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a trace is run. `keep` is the fraction that `shed` processes."""

    policy: str
    cost: float
    horizon: float | None = None
    keep: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            guess = did_you_mean(self.policy, POLICIES) or f"choose one of {', '.join(POLICIES)}"
            raise InputError("HW610", f'there is no policy "{self.policy}"', hint=guess)
        if not 0 <= self.cost < float("inf"):
            raise InputError(
                "HW611", f"the cost of an update is {self.cost:g} seconds; it cannot be negative"
            )
        if not 0 <= self.keep <= 1:
            raise InputError("HW612", f"the fraction to keep is {self.keep:g}; it must lie between 0 and 1")
        if self.horizon is not None and not 0 < self.horizon < float("inf"):
            raise InputError("HW613", f"the horizon is {self.horizon:g} seconds; it must be above 0")


def trace(times: Iterable[float], keys: Iterable[object]) -> list[Chunk]:
    """A trace in memory, as one chunk."""
    at = np.fromiter(times, np.float64)
    numbers: dict[object, int] = {}
    ids = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int64)
    return [Chunk(at, ids, len(numbers))]


def _until(chunks: Iterable[Chunk], horizon: float | None) -> Iterator[Chunk]:
    """The updates up to and at the horizon."""
    for chunk in chunks:
        if horizon is not None and len(chunk.times) and chunk.times[-1] > horizon:
            inside = int(np.searchsorted(chunk.times, horizon, "right"))
            keys = chunk.keys[:inside]
            yield Chunk(chunk.times[:inside], keys, int(keys.max()) + 1 if inside else 0)
            return
        yield chunk


def simulate(
    chunks: Iterable[Chunk],
    settings: Settings,
    *,
    weights: Mapping[object, float] | None = None,
    index: KeyIndex | None = None,
    pages: OnDemandPages | None = None,
    profile: Profile | None = None,
) -> Outcome:
    """The outcome of a trace under a policy; `weights` are by key value and require the trace's `index`."""
    arriving = _until(chunks, settings.horizon)
    if settings.policy in ("append", "shed"):
        return _run_append(arriving, settings, weights or {}, index, profile)
    cells = KeyCells()
    run = QueueRun(make_order(settings.policy, cells, settings.cost), cells, settings.cost, pages, profile)
    last = 0.0
    for chunk in arriving:
        seen = cells.size
        cells.grow(chunk.key_count)
        if weights and index is not None:
            cells.weight[seen : cells.size] = [
                weights.get(key, 1.0) for key in index.values[seen : cells.size]
            ]
        run.feed(chunk.times.tolist(), chunk.keys.tolist(), chunk.key_count)
        last = float(chunk.times[-1]) if len(chunk.times) else last
    return run.finish(last if settings.horizon is None else settings.horizon)


def _run_append(
    chunks: Iterable[Chunk],
    settings: Settings,
    weights: Mapping[object, float],
    index: KeyIndex | None,
    profile: Profile | None,
) -> Outcome:
    if settings.horizon is None:
        chunks = list(chunks)
    horizon = settings.horizon if settings.horizon is not None else _last_of(chunks)
    keep = settings.keep if settings.policy == "shed" else 1.0
    run = AppendRun(settings.cost, horizon, keep, settings.seed, profile)
    for chunk in chunks:
        run.feed(chunk.times.tolist(), chunk.keys.tolist(), chunk.key_count)
    if index is not None:
        run.weight = [weights.get(key, 1.0) for key in index.values[: len(run.since)]]
    return run.finish(settings.policy)


def _last_of(chunks: Iterable[Chunk]) -> float:
    return max((float(chunk.times[-1]) for chunk in chunks if len(chunk.times)), default=0.0)

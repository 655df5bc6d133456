"""Plain re-implementations, slow and obvious, that the fast code is compared with."""

from __future__ import annotations

from collections.abc import Sequence


def staleness_of(pending: list[tuple[float, float]], horizon: float) -> float:
    """Time average of t - (oldest pending arrival) over [0, horizon]; `pending` holds (arrived, cleared)
    pairs.

    Between two consecutive events nothing changes, so each stretch is an exact trapezium.
    """
    cuts = sorted({0.0, horizon, *(t for pair in pending for t in pair if 0 <= t <= horizon)})
    total = 0.0
    for begin, end in zip(cuts, cuts[1:], strict=False):
        standing = [arrived for arrived, cleared in pending if arrived <= begin and cleared >= end]
        if standing:
            oldest = min(standing)
            total += (begin - oldest + end - oldest) / 2 * (end - begin)
    return total / horizon


def run_queue(
    times: Sequence[float], keys: Sequence[object], cost: float, horizon: float, policy: str
) -> tuple[float, float, int]:
    """Application staleness, queue staleness and steps completed, for fifo and inplace, event by event."""
    line: list[object] = []
    arrived: dict[object, list[float]] = {}  # waiting updates of each key
    done: dict[object, list[tuple[float, float]]] = {}
    dequeued: dict[object, list[tuple[float, float]]] = {}
    service: tuple[float, object, list[float]] | None = None
    processed = 0

    def begin(now: float) -> None:
        nonlocal service
        if line:
            key = line.pop(0)
            took = arrived.pop(key)
            dequeued.setdefault(key, []).extend((t, now) for t in took)
            service = (now + cost, key, took)

    def complete() -> None:
        nonlocal service, processed
        assert service is not None
        at, key, took = service
        done.setdefault(key, []).extend((t, at) for t in took)
        service, processed = None, processed + 1
        begin(at)

    for at, key in zip(times, keys, strict=True):
        if at > horizon:
            break
        while service is not None and service[0] <= at:
            complete()
        arrived.setdefault(key, []).append(at)
        if key not in line:
            line.append(key)
        elif policy == "fifo":
            line.remove(key)
            line.append(key)
        if service is None:
            begin(at)
    while service is not None and service[0] <= horizon:
        complete()
    never = float("inf")
    left = [(key, t) for key, waits in arrived.items() for t in waits]
    in_service = [] if service is None else [(service[1], t) for t in service[2]]
    seen = {key for at, key in zip(times, keys, strict=True) if at <= horizon}
    application = queue = 0.0
    for key in seen:
        open_now = [(t, never) for k, t in left if k == key]
        in_step = [(t, never) for k, t in in_service if k == key]
        application += staleness_of(done.get(key, []) + open_now + in_step, horizon)
        queue += staleness_of(dequeued.get(key, []) + open_now, horizon)
    return application / len(seen), queue / len(seen), processed


def run_append(
    times: Sequence[float], keys: Sequence[object], processed: Sequence[bool], cost: float, horizon: float
) -> float:
    """Application staleness of an append queue: a step clears its update and all earlier ones of the key."""
    free, ends = 0.0, []
    for at, keep in zip(times, processed, strict=True):
        if keep:
            free = max(at, free) + cost
        ends.append(free if keep else float("inf"))
    pending: dict[object, list[tuple[float, float]]] = {}
    for number, (at, key) in enumerate(zip(times, keys, strict=True)):
        if at <= horizon:
            later = [ends[i] for i in range(number, len(times)) if keys[i] == key]
            pending.setdefault(key, []).append((at, min(later)))
    return sum(staleness_of(pairs, horizon) for pairs in pending.values()) / len(pending)

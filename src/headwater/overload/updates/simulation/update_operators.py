"""The five operators under update semantics, over small relations: what UPDATE KEY means in SQL.

An update stream is a sequence of tuples (time, key, value), ascending in time for each key; each replaces
the previous tuple of its key.  `latest` is what an application sees of it.  An operator is *fresh* if it
gives the same final result when it receives only the newest tuple of each key, which is what lets the queue
skip the others:

    filter_updates    latest(filter(s)) is not filter(latest(s)): a newest tuple that fails the predicate
                      leaves the older result visible (section 3.2: as on append streams).  `retract=True`
                      removes it instead, which is what a view of the latest values means, and is fresh
    map_updates       never changes the key; fresh
    aggregate_updates windows of each key; the newest closed window is the update
    union_updates     keeps the newest tuple of each key; at equal times the earlier input wins; fresh
    join_updates      on the key, the most recent match within a window; fresh if both sides are
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from headwater.errors import InputError
from headwater.overload.updates.windowed.window_spec import OpenWindows, WindowSpec

__all__ = [
    "Tuple", "aggregate_updates", "check_order", "filter_updates", "join_updates", "latest", "map_updates",
    "union_updates",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tuple:
    """An update: from `at` on, `key` has this `value`; None means that it has none any more."""

    at: float
    key: Hashable
    value: object


Stream = Sequence[Tuple]


def check_order(stream: Stream) -> None:
    """Times ascend for each key; raises InputError where they do not."""
    last: dict[Hashable, float] = {}
    for item in stream:
        if item.at <= last.get(item.key, float("-inf")):
            raise InputError(
                "HW640", f"the updates of key {item.key!r} are not in ascending time at {item.at:g}"
            )
        last[item.key] = item.at


def latest(stream: Iterable[Tuple]) -> dict[Hashable, Tuple]:
    """The relation an application sees: the newest tuple of each key, without keys whose value is None."""
    newest: dict[Hashable, Tuple] = {}
    for item in stream:
        if item.key not in newest or item.at > newest[item.key].at:
            newest[item.key] = item
    return {key: item for key, item in newest.items() if item.value is not None}


def filter_updates(
    stream: Stream, predicate: Callable[[object], bool], *, retract: bool = False
) -> list[Tuple]:
    """Tuples that satisfy the predicate; with `retract`, a tuple that does not removes the key's result."""
    if not retract:
        return [item for item in stream if item.value is not None and predicate(item.value)]
    return [
        item if item.value is not None and predicate(item.value) else replace(item, value=None)
        for item in stream
    ]


def map_updates(stream: Stream, function: Callable[[object], object]) -> list[Tuple]:
    """The function sees the value only, so the key cannot change."""
    return [item if item.value is None else replace(item, value=function(item.value)) for item in stream]


def aggregate_updates(
    stream: Stream, spec: WindowSpec, function: Callable[[Sequence[object]], object]
) -> list[Tuple]:
    """One tuple for each window that closed, at the time of the tuple that closed it, by update key."""
    windows: dict[Hashable, OpenWindows] = {}
    held: dict[Hashable, list[Tuple]] = {}
    results: list[Tuple] = []
    for item in stream:
        key_windows = windows.setdefault(item.key, OpenWindows(spec))
        tuples = held.setdefault(item.key, [])
        tuples.append(item)
        closed = key_windows.arrive(item.at)[1]
        if closed:  # if a tuple closes several windows only the newest is an update: one value per time
            values = [member.value for member in tuples if spec.holds(closed[-1], member.at)]
            results.append(Tuple(item.at, item.key, function(values)))
        oldest = key_windows.starts[0] if key_windows.starts else item.at
        held[item.key] = [member for member in tuples if member.at >= oldest]
    return results


def union_updates(*inputs: Stream) -> list[Tuple]:
    """The inputs in order of time, without tuples that are not newer than the last one of their key."""
    merged = sorted(
        ((item.at, number, item) for number, stream in enumerate(inputs) for item in stream),
        key=lambda entry: entry[:2],
    )
    last: dict[Hashable, float] = {}
    out: list[Tuple] = []
    for at, _, item in merged:
        if at > last.get(item.key, float("-inf")):
            last[item.key] = at
            out.append(item)
    return out


def join_updates(
    left: Stream,
    right: Stream,
    window: float,
    condition: Callable[[object, object], bool] = lambda a, b: True,
) -> list[Tuple]:
    """Pairs of one key within `window` seconds of each other; a new tuple joins its most recent match."""
    held: tuple[dict[Hashable, list[Tuple]], dict[Hashable, list[Tuple]]] = ({}, {})
    both = [(item.at, 0, item) for item in left] + [(item.at, 1, item) for item in right]
    out: list[Tuple] = []
    for at, side, item in sorted(both, key=lambda entry: entry[:2]):
        held[side].setdefault(item.key, []).append(item)
        others = [other for other in held[1 - side].get(item.key, []) if other.at >= at - window]
        held[1 - side][item.key] = others
        pairs = [
            (item.value, other.value) if side == 0 else (other.value, item.value)
            for other in reversed(others)
        ]
        match = next((pair for pair in pairs if None not in pair and condition(*pair)), None)
        if match is not None:
            out = [pair for pair in out if not (pair.key == item.key and pair.at == at)]
            out.append(Tuple(at, item.key, match))
    return out

"""The work of one partition: read its counters of a window, look up what they count, add up, cut.

The same function runs in this process and in a task of Spark (engine/upkeep/refresh_rankings.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.bounds.plans.evaluate import evaluate, is_true
from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import RangeRead, sort_key
from headwater.serve.store.backends.values import added
from headwater.serve.store.protocol import Snapshot
from headwater.serve.store.rankings.ranked_view import ROW, RankedView
from headwater.serve.store.renamed import Renamed

__all__ = ["Group", "Partition", "merged", "placed", "read_partition"]

Counter = tuple[Any, ...]  # the key of a counter, without its epoch


@dataclass(frozen=True, slots=True)
class Group:
    """A group of the ranking within one window."""

    end: Any  # the window's last epoch
    values: tuple[Any, ...]
    states: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """What a partition found, and how many counters it read for that."""

    groups: tuple[Group, ...]
    rows: int


def read_partition(
    snapshot: Snapshot,
    names: Mapping[str, str],
    view: RankedView,
    ends: Sequence[Any],
    buckets: Iterable[int],
) -> Partition:
    """The groups of some buckets in the windows that end with `ends`; cut, if each is in one bucket only."""
    store, rows, by_key = Renamed(snapshot, names), 0, dict[tuple[Any, tuple[Any, ...]], Group]()
    slots = dict.fromkeys(slot for end in ends for slot in view.window(end))
    for bucket in buckets:
        counters: dict[Counter, dict[Any, dict[str, Any]]] = {}
        for slot in slots:
            for entry in store.scan(RangeRead(view.staging, (bucket, slot))):
                rows += 1
                key = tuple(entry[name] for name in view.key)
                counters.setdefault(key, {})[slot] = {name: entry[name] for name in view.states}
        for group in _contributions(store, view, ends, counters):
            _add(by_key, group)
    groups: Iterable[Group] = by_key.values()
    return Partition(tuple(_cut(view, groups) if view.whole else groups), rows)


def _contributions(
    store: Renamed, view: RankedView, ends: Sequence[Any], counters: Mapping[Counter, Mapping[Any, Any]]
) -> Iterator[Group]:
    """What each counter adds to which group of which window."""
    for end in ends:
        window = view.window(end)
        for key, by_slot in counters.items():
            held = [by_slot[slot] for slot in window if slot in by_slot]
            if not held:
                continue
            row = {**dict(zip(view.key, key, strict=True)), view.epoch: end, **_sums(view, held)}
            for out in execute(view.lookup.plan, store, view.catalog, row, lenient=True).rows:
                values = tuple(out.values())
                yield Group(end, values[: view.groups], values[view.groups :])


def _sums(view: RankedView, held: list[dict[str, Any]]) -> dict[str, Any]:
    total = held[0]
    for states in held[1:]:
        total = {name: added(total[name], states[name], +1) for name in view.states}
    return total


def _add(by_key: dict[tuple[Any, tuple[Any, ...]], Group], group: Group) -> None:
    key = (group.end, group.values)
    before = by_key.get(key)
    if before is not None:
        states = tuple(added(a, b, +1) for a, b in zip(before.states, group.states, strict=True))
        group = Group(group.end, group.values, states)
    by_key[key] = group


def merged(partitions: Iterable[Partition]) -> list[Group]:
    """The groups of all partitions; one that several have found is added up."""
    by_key: dict[tuple[Any, tuple[Any, ...]], Group] = {}
    for partition in partitions:
        for group in partition.groups:
            _add(by_key, group)
    return list(by_key.values())


def placed(view: RankedView, groups: Iterable[Group]) -> Iterator[dict[str, Any]]:
    """The rows of the ranking's table: the first places of each window and lead."""
    columns = view.table.column_names
    for (end, *leads), ranked in _ranked(view, groups).items():
        for place, row in enumerate(ranked[: view.most]):
            shown = (evaluate(output, row, {}) for output in view.outputs)
            yield dict(zip(columns, (end, *leads, place + 1, *shown), strict=True))


def _cut(view: RankedView, groups: Iterable[Group]) -> Iterator[Group]:
    for ranked in _ranked(view, groups).values():
        yield from (row[ROW][""] for row in ranked[: view.most])


def _ranked(view: RankedView, groups: Iterable[Group]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Groups by window and lead, best first; equals in the order of their values."""
    by_lead: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for group in groups:
        row = {ROW: _columns(group)}
        if all(is_true(evaluate(condition, row, {})) for condition in view.having):
            leads = tuple(evaluate(lead, row, {}) for lead in view.leads)
            by_lead.setdefault((group.end, *leads), []).append(row)
    for rows in by_lead.values():
        rows.sort(key=lambda row: repr(row[ROW][""].values))
        for item in reversed(view.order):
            rows.sort(
                key=lambda row, item=item: sort_key(  # type: ignore[misc]
                    evaluate(item.expr, row, {}), item.descending, item.nulls_first
                )
            )
    return by_lead


def _columns(group: Group) -> dict[str, Any]:
    named = {f"g{place}": value for place, value in enumerate(group.values)}
    named |= {f"s{place}": state for place, state in enumerate(group.states)}
    return {"": group, **named}

"""Fill parts of the store for the first time, batch by batch, in the memory of one.

A part is not read before it is marked complete, so a load that is killed is begun again.  A view is loaded by
the delta query of its first source: each of its rows holds one row of that source, so this finds every one
once, by the same plans that keep it afterwards.  Rows of a batch meet the same rows of other tables again and
again; what was read for one serves the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from headwater.bounds.plans.store import ROWID
from headwater.serve.store.backends.keys import key_of
from headwater.serve.store.keeping.remembered_reads import RememberedReads
from headwater.serve.store.keeping.upkeep import merged_states, numbered_rows, view_changes
from headwater.serve.store.layout import Layout, StoredView
from headwater.serve.store.protocol import KeptStore, Row, Snapshot, StoredIndex, StoredTable, Writing
from headwater.serve.store.rankings.record import REFRESHES
from headwater.serve.store.renamed import Renamed

__all__ = ["load"]

BATCH = 5_000

Rows = Callable[
    [StoredTable], Iterable[tuple[Row, int]]
]  # the rows of a relation, and how often each is there
Show = Callable[[str, int], None]


def load(
    store: KeptStore, layout: Layout, rows_of: Rows, time: int, show: Show = lambda part, rows: None
) -> None:
    """Make and fill the parts of the layout that are not complete, as of a time."""
    with store.snapshot() as snapshot:
        ready = snapshot.ready()
    missing = [part for part in layout.parts if part.id not in ready]
    with store.transaction() as writing:
        for part in missing:
            writing.drop(part.id)
            writing.create(part)
    wanted = {part.id for part in missing}
    if REFRESHES.id in wanted:
        _complete(store, REFRESHES.id)
    for table in layout.tables:
        if table.id in wanted:
            _load_table(store, table, rows_of(table), time, show)
    own = {view.table.id for view in layout.views}
    indexes = [index for index in layout.indexes if index.id in wanted]
    for index in indexes:
        if index.table not in own:
            _load_index(store, index, show)
    for view in layout.views:
        if view.table.id in wanted:
            _load_view(store, view, show)
        for index in indexes:
            if index.table == view.table.id:
                _load_index(store, index, show)


def _load_table(
    store: KeptStore, table: StoredTable, rows: Iterable[tuple[Row, int]], time: int, show: Show
) -> None:
    done = 0
    with _filled(store, table) as add:
        for batch in _batches(rows):
            add(batch)
            done += len(batch)
            show(table.relation, done)
    _complete(store, table.id, {table.relation: time})


@contextmanager
def _filled(store: KeptStore, table: StoredTable) -> Iterator[Callable[[list[tuple[Row, int]]], None]]:
    """Rows of a relation; without a key, how often a row is there already must be read for every batch."""
    if table.key == (ROWID,):
        yield lambda batch: _add_numbered(store, table, batch)
    else:
        with store.filling(table.id) as filling:
            yield lambda batch: filling.add([row for row, _ in batch])


def _add_numbered(store: KeptStore, table: StoredTable, batch: list[tuple[Row, int]]) -> None:
    with store.transaction() as writing:
        writing.put_many(table.id, numbered_rows(writing, table, batch))


def _load_index(store: KeptStore, index: StoredIndex, show: Show) -> None:
    done = 0
    with store.filling(index.id) as filling:
        for batch in _stored_batches(store, index.table):
            filling.add(batch)
            done += len(batch)
            show(index.text, done)
    _complete(store, index.id)


def _load_view(store: KeptStore, view: StoredView, show: Show) -> None:
    """A group grows with every batch; a row of a plain view comes once."""
    done, grouped = 0, view.chosen.candidate.grouped
    with store.filling(view.table.id) as filling:
        for batch in _stored_batches(store, view.sources[0]):
            if grouped:
                with store.transaction() as writing:
                    writing.put_many(view.table.id, _grown(writing, view, _changes(writing, view, batch)))
            else:
                with store.snapshot() as snapshot:
                    filling.add(list(_changes(snapshot, view, batch)))
            done += len(batch)
            show(view.table.relation, done)
    _complete(store, view.table.id)


def _changes(snapshot: Snapshot, view: StoredView, batch: list[Row]) -> Iterator[Row]:
    sources = RememberedReads(Renamed(snapshot, view.names))
    for row in batch:
        yield from view_changes(sources, view, view.chosen.maintenance[0], row)


def _grown(writing: Writing, view: StoredView, increments: Iterable[Row]) -> list[Row]:
    """The groups that increments fall into, as they are with them."""
    groups: dict[bytes, Row | None] = {}  # by the bytes of their keys: a NaN is equal to itself
    for increment in increments:
        values = tuple(increment[name] for name in view.table.key)
        key = key_of(values)
        before = groups[key] if key in groups else writing.get(view.table.id, values)
        groups[key] = merged_states(view, before, increment, +1) or before
    return [group for group in groups.values() if group is not None]


def _complete(store: KeptStore, part: str, times: Mapping[str, int] | None = None) -> None:
    with store.transaction() as writing:
        writing.mark_ready([part])
        writing.set_times(times or {})


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    pending = iter(rows)
    while batch := list(islice(pending, BATCH)):
        yield batch


def _stored_batches(store: KeptStore, table: str) -> Iterator[list[Row]]:
    """The rows of a table of the store, in the order of its key."""
    after = b""
    while True:
        with store.snapshot() as snapshot:
            batch = list(snapshot.rows(table, after, BATCH))
        if not batch:
            return
        after = batch[-1][0]
        yield [row for _, row in batch]

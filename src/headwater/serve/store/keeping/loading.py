"""Fill parts of the store for the first time: batch by batch, each a transaction, in the memory of one.

A part is not read before it is marked complete, so a load that is killed is begun again.  A view is loaded by
the delta query of its first source, row by row: each of its rows holds one row of that source, so this finds
every one once, by the same plans that keep it afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from headwater.serve.store.keeping.upkeep import Upkeep, merged_states, view_changes
from headwater.serve.store.layout import Layout, StoredView
from headwater.serve.store.protocol import KeptStore, Row, StoredIndex, StoredTable
from headwater.serve.store.rankings.record import REFRESHES

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
    for batch in _batches(rows):
        with store.transaction() as writing:
            upkeep = Upkeep(writing, ())
            for row, copies in batch:
                upkeep.insert(table, row, copies)
        done += len(batch)
        show(table.relation, done)
    _complete(store, table.id, {table.relation: time})


def _load_index(store: KeptStore, index: StoredIndex, show: Show) -> None:
    done = 0
    for batch in _stored_batches(store, index.table):
        with store.transaction() as writing:
            writing.fill(index.id, batch)
        done += len(batch)
        show(index.text, done)
    _complete(store, index.id)


def _load_view(store: KeptStore, view: StoredView, show: Show) -> None:
    upkeep, done = view.chosen.maintenance[0], 0
    for batch in _stored_batches(store, view.sources[0]):
        with store.transaction() as writing:
            for row in batch:
                for changed in view_changes(writing, view, upkeep, row):
                    after: Row | None = changed
                    if view.chosen.candidate.grouped:
                        key = tuple(changed[name] for name in view.table.key)
                        after = merged_states(view, writing.get(view.table.id, key), changed, +1)
                    if after is not None:
                        writing.put(view.table.id, after)
        done += len(batch)
        show(view.table.relation, done)
    _complete(store, view.table.id)


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

"""Writes that can be read at once: a change goes to its source and, with what follows from it, to the store.

The change is appended to the source as any other, at its own time, and the pipeline takes it from there:
views of the project follow as they always do.  The store need not wait for that.  Its bounded delta queries
are run at once, in one transaction that also notes the change's time as **early**; when the store comes to
that time with the pipeline, it leaves the change out.  So the two agree, whoever is killed between them: a
change that did not reach the store early reaches it later.

A change is applied early only if the store holds just the row that it replaces.  If changes before it are
still on their way, it waits for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.bounds.plans.store import ROWID
from headwater.capture.intake.append import Appended
from headwater.serve.store.keeping.groups import groups_of
from headwater.serve.store.keeping.relations import Changes, Relations
from headwater.serve.store.keeping.upkeep import Upkeep
from headwater.serve.store.layout import Layout
from headwater.serve.store.protocol import KeptStore, Row, StoredTable, Writing

__all__ = ["EarlyWriter", "Written"]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a write: how it was stored, and whether the store of queries holds it already."""

    appended: Appended
    at_once: bool


@dataclass(slots=True)
class EarlyWriter:
    """Applies changes of sources to the store before the pipeline does."""

    store: KeptStore
    relations: Relations
    layouts: Mapping[str, Layout]

    def apply(self, relation: str, time: int) -> bool:
        """Apply what was committed to a source at a time. False: the store gets it with the pipeline."""
        layout = next((group for group in groups_of(self.layouts) if relation in group.relations), None)
        if layout is None:
            return False
        self.store.know(layout.parts)
        with self.store.transaction() as writing:
            held, ready = writing.times().get(relation), writing.ready()
            if held is None or any(part.id not in ready for part in layout.parts):
                return False
            if held >= time or time in writing.early(relation):
                return True
            tables = [table for table in layout.tables if table.relation == relation]
            changes = {table.id: self._changes(table, time) for table in tables}
            if not all(_fits(writing, table, changes[table.id]) for table in tables):
                return False
            upkeep = Upkeep(writing, layout.views)
            for table in tables:
                for row, copies in changes[table.id].deleted:
                    upkeep.delete(table, row, copies)
                for row, copies in changes[table.id].inserted:
                    upkeep.insert(table, row, copies)
            writing.note_early(relation, time)
        return True

    def _changes(self, table: StoredTable, time: int) -> Changes:
        part = self.relations.delta(table.relation, time - 1, time)
        return self.relations.changes(table.relation, part, table.columns)


def _fits(writing: Writing, table: StoredTable, changes: Changes) -> bool:
    """Does the store hold what is deleted, and nothing under the keys of what is inserted besides?"""
    if table.key == (ROWID,):
        return not changes.deleted
    gone = {_key(table, row): row for row, _ in changes.deleted}
    for key, row in gone.items():
        if writing.get(table.id, key) != row:
            return False
    inserted = (_key(table, row) for row, _ in changes.inserted)
    return all(key in gone or writing.get(table.id, key) is None for key in inserted)


def _key(table: StoredTable, row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in table.key)

"""A store that is loaded, changed and asked without a project: what a keeper does, on rows in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from headwater.bounds.answers.answer import Answer
from headwater.catalog import build
from headwater.clock import ManualClock
from headwater.model import Project
from headwater.serve.noticed_reads import NoticedReads
from headwater.serve.store.answering import Answering
from headwater.serve.store.backends.sqlite import SqliteStore
from headwater.serve.store.declared import Checked, DeclaredQuery
from headwater.serve.store.executable import asks_the_time, obstacle
from headwater.serve.store.keeping.loading import load
from headwater.serve.store.keeping.upkeep import Upkeep
from headwater.serve.store.layout import layout_of, whole_layout
from headwater.serve.store.parameters import counts_of, parameters_of
from headwater.storage.warehouse import Warehouse

Rows = Mapping[str, Iterable[Mapping[str, Any]]]  # by table


class KeptStore:
    """The store of some queries over one schema; tables are given in an order in which parents come first."""

    def __init__(
        self, folder: Path, answers: Mapping[str, Answer], tables: Iterable[str], data: Rows
    ) -> None:
        self.clock = ManualClock()
        self.store = SqliteStore(str(folder / "store.sqlite"))
        self.tables, self.breaches = list(tables), 0
        checked = {name: _checked(name, answer) for name, answer in answers.items()}
        usable = {name: query.answer for name, query in checked.items() if not query.obstacle}
        self.layouts = {name: layout_of(answer) for name, answer in usable.items()}
        self.whole = whole_layout(self.layouts)
        self.store.know(self.whole.parts)
        load(self.store, self.whole, lambda table: [(row, 1) for row in data[table.relation]], 1)
        project = Project("p", "", str(folder), {}, {}, {}, {})
        reads = NoticedReads(build(project), Warehouse(project.storage), self.clock)
        self.answering = Answering(
            project,
            self.clock,
            self.store,
            checked,
            self.layouts,
            reads,
            _spelled={name.lower(): name for name in checked},
        )

    def change(self, deleted: Rows, inserted: Rows) -> None:
        """Apply a delta with all that follows from it, in one transaction."""
        stored = {table.relation: table for table in self.whole.tables}
        with self.store.transaction() as writing:
            upkeep = Upkeep(writing, self.whole.views)
            for name in (name for name in reversed(self.tables) if name in stored):
                for row in deleted.get(name, ()):
                    upkeep.delete(stored[name], row)
            for name in (name for name in self.tables if name in stored):
                for row in inserted.get(name, ()):
                    upkeep.insert(stored[name], row)
        self.breaches += upkeep.breaches

    def close(self) -> None:
        self.store.close()


def _checked(name: str, answer: Answer) -> Checked:
    bound = None if answer.bounded_plan is None else answer.bounded_plan.bound.operations
    tables = answer.catalog.tables.values() if answer.catalog is not None else ()
    types = {table.name: {column.name: column.type.lower() for column in table.columns} for table in tables}
    parameters = () if answer.query is None else parameters_of(answer.query, types)
    counts = () if answer.query is None else counts_of(answer.query, {}, 1000)
    declared = DeclaredQuery(name, "", answer.level.value, bound, parameters, counts=counts)
    return Checked(declared, answer, obstacle(answer), asks_the_time(answer))

"""What writers were told was accepted, and what the views must be by that: the model that a warehouse is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet
from headwater.algebra.plans.nodes import Version
from headwater.catalog import Catalog

__all__ = ["Accepted", "Table"]

Table = Mapping[int, tuple[int, ...]]  # rows by key
COLUMNS = ("id", "a", "b")


@dataclass(slots=True)
class Accepted:
    """The contents of each source, with the time since when it has them; and how many records were rejected."""

    history: dict[str, list[tuple[int, Table]]]
    rejected: int = 0
    _views: dict[tuple[object, ...], dict[str, ZSet]] = field(default_factory=dict)

    def now(self, table: str) -> Table:
        return self.history[table][-1][1]

    def since(self, table: str) -> int:
        return self.history[table][-1][0]

    def became(self, table: str, time: int, rows: Table) -> None:
        self.history[table].append((time, rows))

    def copy(self) -> Accepted:
        return Accepted(
            {table: list(states) for table, states in self.history.items()}, self.rejected, self._views
        )

    def rows(self, table: str, time: int) -> ZSet:
        """A source as of a time."""
        state = [rows for since, rows in self.history[table] if since <= time][-1]
        return dict.fromkeys(state.values(), 1)

    def views(self, catalog: Catalog, time: int) -> Mapping[str, ZSet]:
        """Every view as of a time, by its SQL."""
        states = tuple(frozenset(self.rows(table, time)) for table in self.history)
        key = (tuple(catalog.versions.items()), states)
        if key not in self._views:
            self._views[key] = self._evaluated(catalog, time)
        return self._views[key]

    def _evaluated(self, catalog: Catalog, time: int) -> dict[str, ZSet]:
        database = {(table, Version.NEW): (COLUMNS, self.rows(table, time)) for table in self.history}
        views = {}
        for name, kept in catalog.kept.items():
            for stage in kept.stages:
                assert stage.plan is not None
                database[stage.name, Version.NEW] = (stage.columns, evaluate(stage.plan, database))
            views[name] = evaluate(kept.finish, database)
            database[name, Version.NEW] = (kept.columns, views[name])
        return views


def after(rows: Table, records: Sequence[Mapping[str, Any]]) -> Table:
    """A table after records of a batch, each of which is right."""
    state = dict(rows)
    for record in records:
        match record:
            case {"op": "delete", "row": {"id": key}}:
                del state[key]
            case {"op": "upsert" | "update", "row": row} | row:
                state[row["id"]] = tuple(row[name] for name in COLUMNS)
    return state

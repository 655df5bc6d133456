"""The last refresh of each ranking: a table of the store, written with the places that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from headwater.serve.store.protocol import Row, Snapshot, StoredTable

__all__ = ["REFRESHES", "Refresh", "last_refresh", "refreshes", "row_of"]

_COLUMNS = ("id", "name", "time", "at", "seconds", "partitions", "rows", "most", "bound", "newest", "horizon",
            "places", "on_spark")  # fmt: skip
REFRESHES = StoredTable("r_refreshes", "refreshes", _COLUMNS, ("id",))


@dataclass(frozen=True, slots=True)
class Refresh:
    id: str  # of the ranking's table
    name: str  # of the query
    time: int  # as of which the counters were
    at: int  # when it was done
    seconds: float
    partitions: int
    rows: int  # counters that all partitions have read
    most: int  # counters that one partition has read
    bound: int  # that it may read
    newest: Any  # the last epoch of the newest window; None: nothing was counted
    horizon: Any  # epochs before this one are over
    places: int
    on_spark: bool


def last_refresh(snapshot: Snapshot, ranking: str) -> Refresh | None:
    if REFRESHES.id not in snapshot.ready():
        return None
    row = snapshot.get(REFRESHES.id, (ranking,))
    return None if row is None else _refresh(row)


def refreshes(snapshot: Snapshot) -> Iterator[Refresh]:
    if REFRESHES.id in snapshot.ready():
        for _, row in snapshot.rows(REFRESHES.id):
            yield _refresh(row)


def _refresh(row: Row) -> Refresh:
    return Refresh(**{name: row[name] for name in _COLUMNS})


def row_of(refresh: Refresh) -> dict[str, Any]:
    return {name: getattr(refresh, name) for name in _COLUMNS}

"""What an adapted join shows, checked by DuckDB over the stored rows: nothing of the engine is asked.

twice       results that are there more than once
no match    results that the view's own SQL does not have over its sources
stale       results of which a row had outlived its tolerance when the last of its rows came
differs     results that are missing or too many, by the rows that probed

A run may go on meanwhile.  So everything is read as of one time, and read again where compaction has given up
what was there then: it waits for those that read a relation, and the view is further back than its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep

import duckdb

from headwater.algebra.stages.adapting import PUSHED, probes
from headwater.catalog import Catalog
from headwater.clock import micros
from headwater.model import SqlText, View
from headwater.sql.ddl.joins.adapted_text import adapted_text
from headwater.sql.parsing.parser import in_dialect
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Checked", "check", "matches", "since_then"]

PATIENCE_S, AGAIN_S = 60.0, 0.5


@dataclass(frozen=True, slots=True)
class Checked:
    results: int
    twice: int
    no_match: int
    stale: int
    differs: int

    @property
    def right(self) -> bool:
        return not (self.twice or self.no_match or self.stale or self.differs)


def check(
    warehouse: Warehouse, catalog: Catalog, name: str, patience_s: float = PATIENCE_S
) -> Checked | None:
    """As of the view's time, whatever has been committed since; None if that cannot be read any more."""
    view, until = catalog.project.views[name], monotonic() + patience_s
    while True:
        time = _timeline(warehouse, catalog, name).time()
        checked = _checked(warehouse, catalog, view, time)
        if not _forgotten(warehouse, catalog, view, time):
            return checked
        if monotonic() >= until:
            return None
        sleep(AGAIN_S)


def _forgotten(warehouse: Warehouse, catalog: Catalog, view: View, time: int) -> bool:
    assert view.window is not None
    stages = (view.name, *(probes(view.name, stream.name) for stream in view.window.streams))
    sources = (warehouse.source(stream.table) for stream in view.window.streams)
    timelines = (*sources, *(_timeline(warehouse, catalog, stage) for stage in stages))
    return any(timeline.horizon() > time for timeline in timelines)


def _checked(warehouse: Warehouse, catalog: Catalog, view: View, time: int) -> Checked:
    shown = _timeline(warehouse, catalog, view.name)
    assert view.window is not None
    with _database() as database:
        _sources(database, warehouse, view, time)
        for stream in view.window.streams:
            stage = probes(view.name, stream.name)
            recent = _timeline(warehouse, catalog, stage)
            _register(database, stage, recent, recent.as_of(time))
        _register(database, "shown", shown, shown.as_of(time), once=False)
        right = in_dialect(SqlText(adapted_text(view)), "duckdb")
        every = in_dialect(view.sql, "duckdb")
        rows = f"SELECT * EXCLUDE ({WEIGHT}) FROM shown"
        return Checked(
            _count(database, "SELECT sum(_weight) FROM shown"),
            _count(database, f"SELECT count(*) FROM shown WHERE {WEIGHT} <> 1"),
            _count(database, f"SELECT count(*) FROM ({rows} EXCEPT ({every}))"),
            _stale(database, view),
            _count(
                database,
                f"SELECT count(*) FROM (({rows} EXCEPT ({right})) UNION ALL (({right}) EXCEPT {rows}))",
            ),
        )


def matches(warehouse: Warehouse, view: View, until: int) -> int:
    """All of them, of the rows that there were."""
    with _database() as database:
        _sources(database, warehouse, view, until)
        return _count(database, f"SELECT count(*) FROM ({in_dialect(view.sql, 'duckdb')})")


def since_then(warehouse: Warehouse, catalog: Catalog, name: str, since: int) -> tuple[int, int]:
    """Of rows that came after a time and are retained: the results that are shown, and all matches."""
    view, shown = catalog.project.views[name], _timeline(warehouse, catalog, name)
    window = view.window
    assert window is not None
    time = shown.time()
    kept = min(window.retain or stream.tolerance or window.length for stream in window.streams)
    oldest = max(since, time - micros(kept))
    with _database() as database:
        _sources(database, warehouse, view, time, f'"at" > make_timestamptz({oldest})')
        _register(database, "shown", shown, shown.as_of(time))
        joined = " ".join(
            f"JOIN {stream.table} r{number} ON r{number}.id = shown.i{number}"
            for number, stream in enumerate(window.streams)
        )
        every = in_dialect(view.sql, "duckdb")
        return (
            _count(database, f"SELECT count(*) FROM shown {joined}"),
            _count(database, f"SELECT count(*) FROM ({every})"),
        )


def _sources(
    database: duckdb.DuckDBPyConnection, warehouse: Warehouse, view: View, until: int, where: str = "true"
) -> None:
    assert view.window is not None
    for stream in view.window.streams:
        source = warehouse.source(stream.table)
        _register(database, stream.table, source, source.as_of(until), where=where)


def _stale(database: duckdb.DuckDBPyConnection, view: View) -> int:
    """The columns of the view are the ids of its rows, in the order of FROM."""
    window = view.window
    assert window is not None
    names = [f"r{number}" for number in range(len(window.streams))]
    joined = " ".join(
        f'JOIN "{probes(view.name, stream.name)}" {row} ON {row}.id = shown.i{number}'
        for number, (row, stream) in enumerate(zip(names, window.streams, strict=True))
    )
    made = f"greatest({', '.join(f'{row}.{PUSHED}' for row in names)})"
    old = " OR ".join(
        f"{made} > {row}.{stream.column} + to_microseconds({micros(stream.tolerance or window.length)})"
        for row, stream in zip(names, window.streams, strict=True)
    )
    return _count(database, f"SELECT count(*) FROM shown {joined} WHERE {old}")


@contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as database:
        database.execute("SET TimeZone = 'UTC'")
        yield database


def _register(
    database: duckdb.DuckDBPyConnection,
    name: str,
    timeline: Timeline,
    part: Slice,
    once: bool = True,
    where: str = "true",
) -> None:
    """The rows that a timeline has, each `once`; or with how often each is there."""
    database.register("changes", timeline.read(part))
    columns = ", ".join(f'"{column}"' for column in timeline.columns().names)
    weight = "" if once else f", sum({WEIGHT}) AS {WEIGHT}"
    database.execute(
        f'CREATE OR REPLACE TABLE "{name}" AS SELECT {columns}{weight} FROM changes WHERE {where}'
        f" GROUP BY {columns} HAVING sum({WEIGHT}) <> 0"
    )
    database.unregister("changes")


def _timeline(warehouse: Warehouse, catalog: Catalog, stage: str) -> Timeline:
    return warehouse.stage(catalog.folder(stage))


def _count(database: duckdb.DuckDBPyConnection, sql: str) -> int:
    (count,) = database.execute(sql).fetchone() or (0,)
    return int(count or 0)

"""Sources that have gone back behind what was computed from them begin anew when a run starts.

A source that was restored alone is known by its clock (storage/restored.py).  If its clock was restored too,
or both are gone, stages still know the newest change that they have seen (push/seen.py); where the source
does not have it, views hold rows that are not there, and would count twice what is sent again.

A clock that has gone back alone would give out times that stages have passed: it is moved on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from headwater.capture.intake.append import open_source
from headwater.catalog import Catalog
from headwater.engine.push.seen import seen_of
from headwater.model import Table
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.restored import renew
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["renew_restored"]


def renew_restored(catalog: Catalog, warehouse: Warehouse, tables: Iterable[str]) -> list[str]:
    """Have what reads a restored source begin anew; returns which sources that are."""
    renewed = [
        name for name in tables
        if (readers := list(_readers(catalog, warehouse, name)))
        and _gone_back(warehouse, catalog.project.tables[name], readers)
    ]  # fmt: skip
    return [f"source {name} was restored: what reads it is computed anew" for name in renewed]


def _readers(catalog: Catalog, warehouse: Warehouse, source: str) -> Iterator[Timeline]:
    """The stages that were computed from a source, replicas of it among them."""
    for _, stage in catalog.stages():
        if source in (*stage.reads, catalog.copies.get(stage.name)):
            timeline = warehouse.stage(catalog.folder(stage.name))
            if timeline.time() > BEGINNING:
                yield timeline


def _gone_back(warehouse: Warehouse, table: Table, readers: Sequence[Timeline]) -> bool:
    """Whether a source lacks what a stage has seen; then it is renewed."""
    source, clock = warehouse.source(table.name), warehouse.clock(table.name)
    passed = max(reader.time() for reader in readers)
    lacks = any(_lacks(source, table.name, reader) for reader in readers)
    if not lacks and (clock.last() or BEGINNING) >= passed:
        return False
    if lacks:
        open_source(warehouse, table)
    with clock.turn() as turn:
        assert turn is not None
        if lacks:
            renew(source, turn, passed)
        elif turn.last < passed:
            turn.declare(passed)
    return lacks


def _lacks(source: Timeline, name: str, reader: Timeline) -> bool:
    """A reader whose place is gone begins anew anyway."""
    seen, time = reader.log.transaction(seen_of(name)), reader.time()
    return seen is not None and source.has_changes_since(time) and source.newest(time) < seen

"""Whether a warehouse is what it must be: sources as accepted, views and plain tables as their SQL says, as of their times."""

from __future__ import annotations

from headwater.algebra.oracle.zsets import ZSet, consolidate
from headwater.capture.dead_letters import DEAD_LETTERS
from headwater.catalog import Catalog
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.published import read_published
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse
from support.crashes.accepted import COLUMNS, Accepted
from support.without_spark import shown

__all__ = ["check_complete", "check_letters", "check_sources", "check_views"]


def check_sources(warehouse: Warehouse, accepted: Accepted) -> None:
    """Nothing accepted is lost or doubled."""
    for table in accepted.history:
        timeline = warehouse.source(table)
        stored: ZSet = {}
        if timeline.time() != BEGINNING:
            read = timeline.read(timeline.as_of(timeline.time()), COLUMNS)
            rows = zip(*(read[name].to_pylist() for name in COLUMNS), strict=True)
            stored = consolidate(zip(rows, read[WEIGHT].to_pylist(), strict=True))
        expected = dict.fromkeys(accepted.now(table).values(), 1)
        assert stored == expected, f"source {table}: {_difference(stored, expected)}"


def check_views(catalog: Catalog, plain: Catalog, warehouse: Warehouse, accepted: Accepted) -> None:
    """Views and plain tables are what their SQL says, as of the times that their logs carry."""
    for view in plain.kept:
        timeline = warehouse.stage(catalog.folder(view))
        if (time := timeline.time()) != BEGINNING:
            expected = accepted.views(plain, time)[view]
            columns, stored = shown(timeline, time)
            assert stored == expected, f"view {view}: {_difference(stored, expected)}"
        published = warehouse.published(view)
        if published.exists() and published.description() == catalog.description(view):
            time, table = read_published(published)
            columns = plain.kept[view].columns
            rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
            stored = consolidate((row, 1) for row in rows)
            expected = accepted.views(plain, time)[view] if time != BEGINNING else {}
            assert stored == expected, f"plain table {view}: {_difference(stored, expected)}"


def check_complete(catalog: Catalog, plain: Catalog, warehouse: Warehouse, accepted: Accepted) -> None:
    """Every view and every plain table has all that was accepted."""
    check_sources(warehouse, accepted)
    check_views(catalog, plain, warehouse, accepted)
    latest = max(accepted.since(table) for table in accepted.history)
    for view in plain.kept:
        time = warehouse.stage(catalog.folder(view)).time()
        assert time >= latest, f"view {view} stays at {time}, though {latest} is captured"
        expected = accepted.views(plain, time)[view]
        stored = accepted.views(plain, warehouse.published(view).time())[view]
        assert stored == expected, f"plain table {view} stays behind: {_difference(stored, expected)}"
    check_letters(warehouse, accepted.rejected, accepted.rejected)


def check_letters(warehouse: Warehouse, least: int, most: int) -> None:
    """Rejected records are in the dead letters, each once."""
    letters = warehouse.system(DEAD_LETTERS).snapshot().rows
    assert least <= letters <= most, f"{letters} dead letters, expected {least} to {most}"


def _difference(stored: ZSet, expected: ZSet) -> str:
    lost = {row: weight for row, weight in expected.items() if stored.get(row) != weight}
    more = {row: weight for row, weight in stored.items() if expected.get(row) != weight}
    return f"expected {lost}, has {more}"

"""Files that Spark cannot read: said with the table and the file, instead of a stack of the JVM.

Sizes tell most of it.  A file of the right length that holds something else is the one that Spark names:

    [FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///.../part-0.parquet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from headwater.catalog import Catalog
from headwater.errors import HeadwaterError
from headwater.storage.delta.damage import DAMAGED, damage, damaged_source, damaged_stage
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.warehouse import Warehouse

__all__ = ["check_whole", "damage_behind"]

_UNREADABLE = (DAMAGED, "FAILED_READ_FILE", "not a Parquet file", "PATH_NOT_FOUND", "FileNotFoundException")


def check_whole(catalog: Catalog, warehouse: Warehouse, views: Collection[str]) -> None:
    """Raises HW805 if something that views are computed from, or what is stored of them, is damaged."""
    for name, log in _logs(catalog, warehouse, views):
        if what := damage(log):
            raise _damaged(catalog, name, what)


def damage_behind(
    error: Exception, catalog: Catalog, warehouse: Warehouse, views: Collection[str]
) -> Exception:
    """What is wrong with a file that views need; the error itself if that is not its cause."""
    text = str(error)
    if not any(sign in text for sign in _UNREADABLE):
        return error
    for name, log in _logs(catalog, warehouse, views):
        if what := damage(log) or _unreadable(log, text):
            return _damaged(catalog, name, what)
    return error


def _unreadable(log: DeltaLog, text: str) -> str:
    """The file of a table that an error names."""
    files = (file.relative for file in log.snapshot().files if file.relative in text)
    return next((f"{file} cannot be read" for file in files), "")


def _damaged(catalog: Catalog, name: str, what: str) -> HeadwaterError:
    return damaged_source(name, what) if name in catalog.project.tables else damaged_stage(name, what)


def _logs(catalog: Catalog, warehouse: Warehouse, views: Collection[str]) -> Iterator[tuple[str, DeltaLog]]:
    """The tables that views are computed from, sources first, and those of the views themselves."""
    for table in sorted({table for view in views for table in catalog.sources(view)}):
        yield table, warehouse.source(table).log
    for level in catalog.levels(views):
        for _, stage in level:
            yield stage.name, warehouse.stage(catalog.folder(stage.name)).log

"""What the warehouse says of relations: rows, changes per second, bytes and values of columns.

Only Delta logs are read.  A rate is taken from the newest ten minutes in which a source changed, cut into
equal pieces: the median of the pieces in which something changed, times their share.  So an initial load does
not count as a rate, and bursts count by how often they come.  A source that has been seen to change for less
than a minute has no rate yet.

The range of an integer column stands for the number of its distinct values, which says how often a value
meets an equal one elsewhere.  A range far beyond the rows of any source is that of hashed or random numbers
and is ignored.

A table that is damaged says nothing: planning goes on as if it had never been computed, because a run is
planned before it can mend it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import timedelta
from statistics import median
from typing import Any

from headwater.catalog import Catalog
from headwater.clock import micros
from headwater.errors import HeadwaterError
from headwater.planning.facts.facts import DEFAULT_BYTES
from headwater.storage.delta.data_files import BEGINNING, Snapshot
from headwater.storage.delta.delta_log import DataFile, DeltaLog
from headwater.storage.timeline import TIME, WEIGHT
from headwater.storage.warehouse import Warehouse

__all__ = [
    "bytes_per_row",
    "changes_per_second",
    "met_share",
    "ranges",
    "source_files",
    "view_files",
    "view_rows",
]

logger = logging.getLogger(__name__)

LOOKED_AT = timedelta(minutes=10)
SHORTEST = timedelta(minutes=1)
PIECES = 60
TELLING = 1_000  # rows: in smaller files what Parquet writes besides the rows outweighs them


def source_files(warehouse: Warehouse, name: str) -> tuple[DataFile, ...]:
    return _snapshot(warehouse.source(name).log).files


def view_files(catalog: Catalog, warehouse: Warehouse, view: str) -> tuple[DataFile, ...]:
    """The timeline of a view; nothing if it was never computed."""
    return _snapshot(warehouse.stage(catalog.folder(view)).log).files


def view_rows(catalog: Catalog, warehouse: Warehouse, view: str) -> int | None:
    """The rows of a view: those of its plain table; its timeline also counts what came and went."""
    plain = _snapshot(warehouse.published(view))
    if plain.description == catalog.description(view):
        return plain.rows
    files = view_files(catalog, warehouse, view)
    return sum(file.rows for file in files) if files else None


def _snapshot(log: DeltaLog) -> Snapshot:
    try:
        return log.snapshot()
    except HeadwaterError as error:
        logger.warning("planned without what %s holds: %s", log.path, error.message)
        return Snapshot(-1, BEGINNING, ())


def bytes_per_row(files: Sequence[DataFile]) -> float:
    rows = sum(file.rows for file in files)
    return sum(file.size for file in files) / rows if rows >= TELLING else DEFAULT_BYTES


def changes_per_second(files: Sequence[DataFile]) -> float | None:
    """The rate at which a timeline's newest files were filled; None if they cannot tell."""
    spans = sorted(
        (file.minimum[TIME], file.maximum[TIME], file.rows)
        for file in files
        if file.minimum.get(TIME) is not None and file.maximum.get(TIME) is not None
    )
    if not spans:
        return None
    newest = max(last for _, last, _ in spans)
    recent = [span for span in spans if span[0] > newest - micros(LOOKED_AT)]
    if not recent or newest - recent[0][0] < micros(SHORTEST):
        return None
    # What was committed at the first instant took an unknown time to arrive.
    begin = recent[0][0]
    later = [span for span in recent if span[0] > begin or span[1] > span[0]]
    length = (newest - begin) / PIECES
    pieces = [0.0] * PIECES
    for first, last, rows in later:
        low, high = (min(PIECES - 1, int((at - begin) / length)) for at in (first, last))
        for piece in range(low, high + 1):
            pieces[piece] += rows / (high - low + 1)
    busy = [rows for rows in pieces if rows > 0]
    return median(busy) / (length / 1e6) * len(busy) / PIECES if busy else None


def ranges(files: Sequence[DataFile], largest: float) -> dict[str, float]:
    """For every integer column the size of its range, if that is not far beyond `largest`."""
    return {name: size for name, size in _ranges(files) if size <= 10 * largest}


def _ranges(files: Sequence[DataFile]) -> Iterator[tuple[str, float]]:
    for name in {name for file in files for name in file.minimum} - {TIME, WEIGHT}:
        lows = [low for file in files if (low := file.minimum.get(name)) is not None]
        highs = [high for file in files if (high := file.maximum.get(name)) is not None]
        if lows and highs and all(type(bound) is int for bound in (*lows, *highs)):
            yield name, float(max(highs) - min(lows) + 1)


def met_share(changed: Sequence[DataFile], column: str, beside: Sequence[DataFile], other: str) -> float:
    """The share of a relation's rows in files that the newest values of another's column overlap."""
    newest = max((file.minimum[TIME] for file in changed), default=None)
    recent = [file for file in changed if file.minimum[TIME] == newest]
    low, high = _span(recent, column)
    rows = sum(file.rows for file in beside)
    if low is None or high is None or rows == 0:
        return 1.0
    met = 0
    for file in beside:
        least, most = _span((file,), other)
        outside = type(least) is type(low) and type(most) is type(high) and (most < low or least > high)
        met += 0 if outside else file.rows
    return met / rows


def _span(files: Sequence[DataFile], column: str) -> tuple[Any, Any]:
    """The least and the greatest value of a column of integers or texts, if all files state them."""
    lows, highs = [file.minimum.get(column) for file in files], [file.maximum.get(column) for file in files]
    bounds: list[Any] = [*lows, *highs]
    types = {type(bound) for bound in bounds}
    return (min(bounds), max(bounds)) if types in ({int}, {str}) else (None, None)

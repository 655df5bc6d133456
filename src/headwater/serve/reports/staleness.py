"""The staleness of views over time: a saw-tooth that falls at every push, against the promise.

Snapshots (every five seconds) and pushes together give the whole curve without a guess: at a push that ends
at `at` and moves a view from `after` to `until`, staleness falls from at - after to at - until; in between it
grows by a second a second.  (A killed run takes the newest pushes' records with it: then the fall is drawn at
the snapshot that shows it.)  What the audit calls a violation is marked; while nothing ran, the curve breaks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.catalog import Catalog
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.records.by_view import cut_by_view
from headwater.storage.records.journal import AUDIT, PUSHES, read_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["Point", "Staleness", "downsampled", "staleness_over_time"]

SEEN = ("at", "view", "time", "staleness_s", "violated")
PUSHED = ("at", "view", "stage", "after", "until", "error")
_MOVED = (
    (pc.field("stage") == pc.field("view"))
    & (pc.field("until") > pc.field("after"))
    & ((pc.field("error") == "") | pc.field("error").is_null())
)
SEEN_EVERY = 12_000_000  # snapshots come every five seconds; after a longer gap nobody knows


@dataclass(frozen=True, slots=True)
class Point:
    at: int
    seconds: float | None  # None: the curve breaks here


@dataclass(frozen=True, slots=True)
class Staleness:
    """A view's curve, its promise and the snapshots that broke it."""

    view: str
    freshness_s: float
    points: tuple[Point, ...]
    violations: tuple[Point, ...]
    pushes: int

    @property
    def peak(self) -> float:
        return max((point.seconds for point in self.points if point.seconds is not None), default=0.0)


def staleness_over_time(
    catalog: Catalog, warehouse: Warehouse, since: int | None, until: int, view: str | None = None
) -> tuple[Staleness, ...]:
    """Every view's curve over a period, or that of one; without `since`, from the first snapshot on."""
    wanted = None if view is None else pc.field("view") == view
    audit = read_rows(warehouse.system("audit"), AUDIT, since or 0, until, SEEN, wanted)
    pushes = read_rows(warehouse.system("pushes"), PUSHES, since or 0, until, PUSHED, wanted)
    seen = cut_by_view(audit.filter(pc.is_valid(audit.column("time"))))
    moved = cut_by_view(pushes.filter(_MOVED))
    names = [name for name in catalog.kept if view in (None, name)]
    return tuple(_view(catalog, name, _rows(seen, name), _rows(moved, name)) for name in names)


def _rows(by_view: Mapping[str, pa.Table], view: str) -> list[dict[str, Any]]:
    return by_view[view].to_pylist() if view in by_view else []


def _view(
    catalog: Catalog, name: str, snapshots: Sequence[Mapping[str, Any]], falls: Sequence[Mapping[str, Any]]
) -> Staleness:
    times, ats = [row["time"] for row in snapshots], [row["at"] for row in snapshots]
    points = [Point(row["at"], row["staleness_s"]) for row in snapshots]
    for row in falls:
        shown = bisect_left(times, row["until"])
        if shown < len(ats) and ats[shown] < row["at"]:
            continue  # recorded some time after its commit: a snapshot already shows the fall
        if row["after"] != BEGINNING:
            points.append(Point(row["at"], (row["at"] - row["after"]) / 1e6))
        points.append(Point(row["at"], (row["at"] - row["until"]) / 1e6))
    points.sort(key=lambda point: point.at)  # stable: before a push, then after it
    late = tuple(Point(row["at"], row["staleness_s"]) for row in snapshots if row["violated"])
    freshness = catalog.project.views[name].freshness.total_seconds()
    return Staleness(name, freshness, tuple(_broken(points)), late, len(falls))


def _broken(points: list[Point]) -> Iterator[Point]:
    """The points, with a break wherever nothing was seen for long; between two of them it only grows."""
    before: Point | None = None
    for point in points:
        if before is not None and before.seconds is not None and point.seconds is not None:
            grown = before.seconds + (point.at - before.at) / 1e6
            if point.at - before.at > SEEN_EVERY:
                yield Point(before.at + 1, None)
            elif grown > point.seconds + 0.5 and point.at > before.at:
                yield Point(point.at, grown)
        yield point
        before = point


def downsampled(points: Sequence[Point], most: int) -> list[Point]:
    """At most about `most` points that look the same: of every stretch of time the lowest and the highest.

    Peaks and falls are what a saw-tooth is read for, so a mean would tell nothing.  Breaks stay.
    """
    if len(points) <= most:
        return list(points)
    first, width = points[0].at, max(1, -(-(points[-1].at - points[0].at + 1) // max(1, most // 2)))
    chosen: list[Point] = []
    for _, group in groupby(points, key=lambda point: (point.at - first) // width):
        together = list(group)
        seen = [point for point in together if point.seconds is not None]
        ends = {id(choose(seen, key=_seconds)) for choose in (min, max)} if seen else set()
        broken = next((point for point in together if point.seconds is None), None)
        chosen += [point for point in together if id(point) in ends or point is broken]
    return chosen


def _seconds(point: Point) -> float:
    return point.seconds or 0.0

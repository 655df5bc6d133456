"""Read a view: its rows as of its time, or a typed error if that is staler than the reader accepts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pyarrow as pa

from headwater.catalog import Catalog
from headwater.clock import Clock, instant_text, micros
from headwater.errors import RefusedError, shown_folder
from headwater.serve.frames import Frames
from headwater.serve.reports.status import last_failure
from headwater.serve.reports.tables import stale_since
from headwater.storage.as_python import as_python
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.view_rows import read_view
from headwater.storage.warehouse import Warehouse

__all__ = ["NeverComputedError", "Rows", "Standing", "TooStaleError", "never_computed", "read", "standing"]


class TooStaleError(RefusedError):
    """The view is staler than asked for; `staleness` says how stale it is."""

    staleness: timedelta = timedelta()


class NeverComputedError(RefusedError):
    """The view has no rows yet, not even an empty answer: it was never computed."""


@dataclass(frozen=True, slots=True)
class Rows(Frames):
    """A view's rows as of `time` (microseconds since 1970), as Arrow."""

    view: str
    time: int
    staleness: timedelta
    table: pa.Table
    error: str = ""  # why the view does not advance, if it is late and its last push failed
    stalest_key: timedelta | None = None  # under overload: how stale its stalest key is

    def to_pylist(self, limit: int | None = None) -> list[dict[str, Any]]:
        """The rows, or the first of them; dates and instants that Python cannot hold are text."""
        return as_python(self.table if limit is None else self.table.slice(0, min(limit, len(self))))

    def __len__(self) -> int:
        return int(self.table.num_rows)


@dataclass(frozen=True, slots=True)
class Standing:
    """The time that a view is as of, and how stale it is, without its rows."""

    view: str
    time: int
    staleness: timedelta
    error: str = ""
    stalest_key: timedelta | None = None  # as in Rows


def standing(
    catalog: Catalog,
    warehouse: Warehouse,
    clock: Clock,
    name: str,
    max_staleness: timedelta | None = None,
) -> Standing:
    """How a view stands; an error if it was never computed, or is too stale. Reads a log, no rows."""
    view = catalog.view(name, "A table is not stale: read it without a bound on its staleness.")
    time = warehouse.stage(catalog.folder(view.name)).time()
    if time == BEGINNING:
        raise never_computed(view.name, catalog, warehouse)
    now = clock.now()
    error = last_failure(warehouse, view.name) if now - time > micros(view.freshness) else ""
    since = stale_since(catalog, warehouse, view.name)
    _refuse_stale(view.name, time, since, now, max_staleness, error)
    stalest = None if since is None else timedelta(microseconds=now - since)
    return Standing(view.name, time, timedelta(microseconds=max(0, now - time)), error, stalest)


def read(
    catalog: Catalog,
    warehouse: Warehouse,
    clock: Clock,
    name: str,
    max_staleness: timedelta | None = None,
) -> Rows:
    """The view's rows. Never waits: it answers or raises."""
    stands = standing(catalog, warehouse, clock, name, max_staleness)
    view = stands.view
    timeline = warehouse.stage(catalog.folder(view))
    time, table = read_view(timeline, warehouse.published(view), catalog.description(view))
    staleness = max(timedelta(), stands.staleness - timedelta(microseconds=time - stands.time))
    return Rows(view, time, staleness, table, stands.error, stands.stalest_key)


def never_computed(view: str, catalog: Catalog, warehouse: Warehouse) -> NeverComputedError:
    """The error of a view that has no rows yet: it fails, or no run has computed it."""
    if error := last_failure(warehouse, view):
        return NeverComputedError(
            "HW825",
            f'view "{view}" fails, so it has no rows yet',
            place=catalog.project.views[view].place,
            detail=error,
            hint="Mend the row or the view that it names; logs/headwater.log in the warehouse has more.",
        )
    return NeverComputedError(
        "HW821",
        f'view "{view}" has never been computed',
        hint=f"Start the run: headwater run {shown_folder(catalog.project.folder)}",
    )


def _refuse_stale(
    view: str, time: int, since: int | None, now: int, allowed: timedelta | None, failure: str
) -> None:
    """`since`: when the oldest update arrived that the view does not show under overload."""
    as_of = time if since is None else min(time, since)
    if allowed is None or now - as_of <= micros(allowed):
        return
    staleness = timedelta(microseconds=now - as_of)
    why = f" It does not advance: {failure}." if failure else ""
    if as_of < time:
        why = f" Under overload some of its keys are older: the stalest waits since {instant_text(as_of)}."
    error = TooStaleError(
        "HW822",
        f'view "{view}" is {staleness.total_seconds():.1f} s stale,'
        f" more than the {allowed.total_seconds():g} s asked for",
        detail=f"It is as of {instant_text(time)}.{why}",
        hint="Read without --max-staleness, or see `headwater status` for what keeps it from advancing.",
    )
    error.staleness = staleness
    raise error

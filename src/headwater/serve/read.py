"""Read a view: its rows as of its time, or a typed error if that is staler than the reader accepts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pyarrow as pa

from headwater.catalog import Catalog
from headwater.clock import Clock, instant_text, micros
from headwater.errors import RefusedError
from headwater.storage.delta_log import BEGINNING
from headwater.storage.view_rows import read_view
from headwater.storage.warehouse import Warehouse

__all__ = ["NeverComputedError", "Rows", "TooStaleError", "read"]


class TooStaleError(RefusedError):
    """The view is staler than asked for; `staleness` says how stale it is."""

    staleness: timedelta = timedelta()


class NeverComputedError(RefusedError):
    """The view has no rows yet, not even an empty answer: it was never computed."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A view's rows as of `time` (microseconds since 1970), as Arrow."""

    view: str
    time: int
    staleness: timedelta
    table: pa.Table

    def to_pylist(self) -> list[dict[str, Any]]:
        return list(self.table.to_pylist())

    def __len__(self) -> int:
        return int(self.table.num_rows)


def read(
    catalog: Catalog,
    warehouse: Warehouse,
    clock: Clock,
    name: str,
    max_staleness: timedelta | None = None,
) -> Rows:
    """The view's rows. Never waits: it answers or raises."""
    view = catalog.view(name)
    timeline = warehouse.stage(catalog.folder(view.name))
    time = timeline.time()
    if time == BEGINNING:
        raise NeverComputedError(
            "HW821",
            f'view "{view.name}" has never been computed',
            hint=f"Start the run: headwater run {catalog.project.folder}",
        )
    now = clock.now()
    _refuse_stale(view.name, time, now, max_staleness)
    time, table = read_view(timeline, warehouse.published(view.name), catalog.description(view.name))
    return Rows(view.name, time, timedelta(microseconds=max(0, now - time)), table)


def _refuse_stale(view: str, time: int, now: int, allowed: timedelta | None) -> None:
    if allowed is None or now - time <= micros(allowed):
        return
    staleness = timedelta(microseconds=now - time)
    error = TooStaleError(
        "HW822",
        f'view "{view}" is {staleness.total_seconds():.1f} s stale,'
        f" more than the {allowed.total_seconds():g} s asked for",
        detail=f"It is as of {instant_text(time)}.",
        hint="Read without --max-staleness, or see `headwater status` for what keeps it from advancing.",
    )
    error.staleness = staleness
    raise error

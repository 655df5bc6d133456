"""The bill of a project over any period, from the pushes and the audit alone: `headwater bill`.

A period of more than `FINE` is made of the sums of its full hours (storage/records/hours.py): a month of a
thousand views has five hundred million snapshots, and 720,000 sums.

The tables say who was served, where and at what effort; the project says the prices and who owns a view now
(of views that are gone, the audit says who owned them last).  Rows of older versions, without sites or bytes,
count as of the view's site, with nothing stored.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.catalog import Catalog
from headwater.model import View
from headwater.planning.cost.billing import Bill, PushRow, SnapshotRow, bill, hourly, served, with_processes
from headwater.storage.records.by_view import first_by_view, last_by_view
from headwater.storage.records.hours import AUDIT_HOURS
from headwater.storage.records.journal import PROCESS_CPU, first_instant, read_rows
from headwater.storage.records.recorded import recorded_pushes, recorded_stretches
from headwater.storage.warehouse import Warehouse
from headwater.units import HOUR

__all__ = ["Account", "account"]

FINE = 12 * HOUR  # up to here parts of a period may be shorter than an hour (planning/cost/billing.hourly)


@dataclass(frozen=True, slots=True)
class Account:
    """What a bill is made from; `bill` makes one for any period within it.

    If the whole is longer than `FINE`, a part begins and ends with the whole or at a full hour; an account of
    the whole alone has no parts.
    """

    catalog: Catalog
    pushes: tuple[PushRow, ...]  # oldest first
    snapshots: Mapping[str, tuple[SnapshotRow, ...]]  # of each view, oldest first
    since: int
    until: int
    processes: tuple[tuple[int, str, float], ...] = ()  # instant, process, CPU-seconds; oldest first

    def bill(self, since: int | None = None, until: int | None = None) -> Bill:
        start, end = self.since if since is None else since, self.until if until is None else until
        views, project = self.catalog.project.views, self.catalog.project
        prices = {name: site.prices for name, site in project.sites.items()} or {"default": project.prices}
        seen = [row for history in self.snapshots.values() for row in _around(history, start, end)]
        pushed = self.pushes[_first(self.pushes, start) : _first(self.pushes, end)]
        billed = bill(pushed, seen, prices, start, end, frozenset(views))
        owned = tuple(
            replace(line, owner=views[line.view].owner if line.view in views else line.owner)
            for line in billed.lines
        )
        used: dict[str, float] = {}
        for at, process, seconds in self.processes:
            if start <= at < end:
                used[process] = used.get(process, 0.0) + seconds
        masters = project.masters().items()
        elsewhere = tuple(name for name, master in masters if master.startswith("sc://"))
        here = {name for name, _ in masters} - {*elsewhere}
        price = prices.get("default") or project.prices
        billed = replace(billed, lines=owned, elsewhere=elsewhere)
        return with_processes(billed, used, pushed, here, price)

    def over_time(self) -> tuple[Bill, ...]:
        """The period in parts that a picture can show."""
        return tuple(self.bill(start, end) for start, end in hourly(self.since, self.until))


def _first(rows: Sequence[PushRow | SnapshotRow], at: int) -> int:
    return bisect_left(rows, at, key=lambda row: row.at)


def _around(history: Sequence[SnapshotRow], start: int, end: int) -> Sequence[SnapshotRow]:
    """The snapshots of a period, the last one before it and the first one after it."""
    return history[max(0, _first(history, start) - 1) : _first(history, end) + 1]


def account(
    catalog: Catalog, warehouse: Warehouse, since: int | None, until: int, whole: bool = False
) -> Account:
    """Read the tables for a period; without `since`, from the first row on.

    `whole`: only the bill of all of it will be asked for, so rows are added up as they are read.
    """
    firsts = [
        first_instant(warehouse.system(name)) for name in ("audit", "pushes", "audit_hours", "push_hours")
    ]
    start = min((first for first in firsts if first is not None), default=until) if since is None else since
    end = max(start, until)
    fine = not whole and end - start <= FINE
    views = catalog.project.views
    snapshots: dict[str, list[SnapshotRow]] = {}
    for table in _stretches(warehouse, start, end, fine):
        for row in _snapshots(table, views):
            snapshots.setdefault(row.view, []).append(row)
    pushes = (_pushes(table, views) for table in recorded_pushes(warehouse, start, end, fine))
    return Account(
        catalog,
        tuple(sorted(chain.from_iterable(pushes), key=lambda row: row.at)),
        {view: tuple(sorted(rows, key=lambda row: row.at)) for view, rows in snapshots.items()},
        start,
        end,
        tuple(_processes(warehouse, start, end)),
    )


def _processes(warehouse: Warehouse, start: int, end: int) -> Iterator[tuple[int, str, float]]:
    """What processes used up to an instant, since the instant before."""
    rows = read_rows(warehouse.system("process_cpu"), PROCESS_CPU, start, end)
    yield from zip(*(rows.column(name).to_pylist() for name in PROCESS_CPU.names), strict=True)


def _stretches(warehouse: Warehouse, start: int, end: int, fine: bool) -> Iterator[pa.Table]:
    """The snapshots of a period, and of each view the last ones before it and the first ones after it.

    Those say what was stored when it began, and until when.
    """
    yield _last(recorded_stretches(warehouse, 0, start))
    yield from recorded_stretches(warehouse, start, end, fine)
    yield _first_rows(recorded_stretches(warehouse, end))


def _last(tables: Iterable[pa.Table]) -> pa.Table:
    nothing = AUDIT_HOURS.empty_table()
    return reduce(lambda last, table: last_by_view(pa.concat_tables([last, table])), tables, nothing)


def _first_rows(tables: Iterable[pa.Table]) -> pa.Table:
    """Each view's first row; the tables are in the order of time."""
    first = AUDIT_HOURS.empty_table()
    for table in tables:
        news = table.filter(pc.invert(pc.is_in(table.column("view"), first.column("view").combine_chunks())))
        first = pa.concat_tables([first, first_by_view(news)])
    return first


def _columns(table: pa.Table, **otherwise: Any) -> list[list[Any]]:
    """The columns, with what stands for a missing value."""
    return [pc.fill_null(table.column(name), value).to_pylist() for name, value in otherwise.items()]


def _pushes(table: pa.Table, views: Mapping[str, View]) -> Iterator[PushRow]:
    columns = _columns(
        table, at=0, view="", site="", serves="", cpu_seconds=0.0, bytes_copied=0, result_rows=0, late_rows=0
    )
    penalties = table.column("penalty").to_pylist()
    split = cache(served)
    for at, view, site, serves, cpu, copied, rows, late, penalty in zip(*columns, penalties, strict=True):
        home = site or _home(views, view)
        yield PushRow(at, split(view, serves), home, cpu, copied, rows, late, view, penalty)


def _snapshots(table: pa.Table, views: Mapping[str, View]) -> Iterator[SnapshotRow]:
    columns = _columns(
        table, at=0, view="", owner="", site="", penalty=-1.0, violated=0, stored_bytes=0, until=0,
        byte_time=0.0, kept=0,
    )  # fmt: skip
    for at, view, owner, site, penalty, *rest in zip(*columns, strict=True):
        if penalty < 0:  # of a version that did not record it
            penalty = float(views[view].penalty) if view in views else 0.0
        yield SnapshotRow(at, view, owner, site or _home(views, view), penalty, *rest)


def _home(views: Mapping[str, View], view: str) -> str:
    return views[view].site if view in views else "default"

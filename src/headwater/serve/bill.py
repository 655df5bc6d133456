"""The bill of a project over any period, from the pushes and the audit alone: `headwater bill`.

The tables say who was served, where and at what effort; the project says the prices and who owns a view now
(of views that are gone, the audit says who owned them last).  Rows of older versions, without sites or bytes,
count as of the view's site, with nothing stored.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.catalog import Catalog
from headwater.model import View
from headwater.sharing.billing import Bill, PushRow, SnapshotRow, bill, hourly, served
from headwater.storage.journal import AUDIT, PUSHES, read_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["Account", "account"]


@dataclass(frozen=True, slots=True)
class Account:
    """What a bill is made from; `bill` makes one for any period within it."""

    catalog: Catalog
    pushes: tuple[PushRow, ...]  # oldest first
    snapshots: Mapping[str, tuple[SnapshotRow, ...]]  # of each view, oldest first
    since: int
    until: int

    def bill(self, since: int | None = None, until: int | None = None) -> Bill:
        start, end = self.since if since is None else since, self.until if until is None else until
        views, project = self.catalog.project.views, self.catalog.project
        prices = {name: site.prices for name, site in project.sites.items()} or {"default": project.prices}
        seen = [row for history in self.snapshots.values() for row in _around(history, start, end)]
        pushed = self.pushes[_first(self.pushes, start) : _first(self.pushes, end)]
        found = bill(pushed, seen, prices, start, end, frozenset(views))
        owned = tuple(
            replace(line, owner=views[line.view].owner if line.view in views else line.owner)
            for line in found.lines
        )
        return replace(found, lines=owned)

    def over_time(self) -> tuple[Bill, ...]:
        """The period in parts that a picture can show."""
        return tuple(self.bill(start, end) for start, end in hourly(self.since, self.until))


def _first(rows: Sequence[PushRow | SnapshotRow], at: int) -> int:
    return bisect_left(rows, at, key=lambda row: row.at)


def _around(history: Sequence[SnapshotRow], start: int, end: int) -> Sequence[SnapshotRow]:
    """The snapshots of a period, the last one before it and the first one after it."""
    return history[max(0, _first(history, start) - 1) : _first(history, end) + 1]


def account(catalog: Catalog, warehouse: Warehouse, since: int | None, until: int) -> Account:
    """Read the tables for a period; without `since`, from the first row on."""
    audit = read_rows(warehouse.system("audit"), AUDIT)
    pushes = read_rows(warehouse.system("pushes"), PUSHES)
    firsts = [table.column("at")[0].as_py() for table in (audit, pushes) if table.num_rows]
    start = min(firsts, default=until) if since is None else since
    end = max(start, until)
    inside = pushes.filter((pc.field("at") >= start) & (pc.field("at") < end))
    snapshots: dict[str, list[SnapshotRow]] = {}
    for row in _snapshots(_from(audit, start), catalog.project.views):
        snapshots.setdefault(row.view, []).append(row)
    return Account(
        catalog,
        tuple(_pushes(inside, catalog.project.views)),
        {view: tuple(rows) for view, rows in snapshots.items()},
        start,
        end,
    )


def _columns(table: pa.Table, **otherwise: Any) -> list[list[Any]]:
    """The columns, with what stands for a missing value."""
    return [pc.fill_null(table.column(name), value).to_pylist() for name, value in otherwise.items()]


def _pushes(table: pa.Table, views: Mapping[str, View]) -> Iterator[PushRow]:
    columns = _columns(
        table, at=0, view="", site="", serves="", cpu_seconds=0.0, bytes_copied=0, result_rows=0, late_rows=0
    )
    split = cache(served)
    for at, view, site, serves, cpu, copied, rows, late in zip(*columns, strict=True):
        yield PushRow(at, split(view, serves), site or _home(views, view), cpu, copied, rows, late, view)


def _snapshots(table: pa.Table, views: Mapping[str, View]) -> Iterator[SnapshotRow]:
    columns = _columns(table, at=0, view="", owner="", site="", penalty=-1.0, violated=False, stored_bytes=0)
    for at, view, owner, site, penalty, violated, stored in zip(*columns, strict=True):
        if penalty < 0:  # of a version that did not record it
            penalty = float(views[view].penalty) if view in views else 0.0
        yield SnapshotRow(at, view, owner, site or _home(views, view), penalty, violated, stored)


def _home(views: Mapping[str, View], view: str) -> str:
    return views[view].site if view in views else "default"


def _from(audit: pa.Table, since: int) -> pa.Table:
    """The rows since an instant, and each view's last one before it: that says what was stored then."""
    before = audit.filter(pc.field("at") < since)
    after = audit.filter(pc.field("at") >= since)
    if before.num_rows == 0:
        return after
    last = before.group_by("view").aggregate([("at", "max")])
    joined = before.join(last, keys=["view", "at"], right_keys=["view", "at_max"], join_type="inner")
    return pa.concat_tables([joined.select(after.column_names), after]).sort_by("at")

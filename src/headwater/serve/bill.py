"""The bill of a project over any period, from the pushes and the audit alone: `headwater bill`.

The tables say who was served, where and at what effort; the project says the prices and who owns a view now
(of views that are gone, the audit says who owned them last).  Rows of older versions, without sites or bytes,
count as of the view's site, with nothing stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
    pushes: tuple[PushRow, ...]
    snapshots: tuple[SnapshotRow, ...]
    since: int
    until: int

    def bill(self, since: int | None = None, until: int | None = None) -> Bill:
        start, end = self.since if since is None else since, self.until if until is None else until
        views, project = self.catalog.project.views, self.catalog.project
        prices = {name: site.prices for name, site in project.sites.items()} or {"default": project.prices}
        found = bill(self.pushes, self.snapshots, prices, start, end, frozenset(views))
        owned = tuple(
            replace(line, owner=views[line.view].owner if line.view in views else line.owner)
            for line in found.lines
        )
        return replace(found, lines=owned)

    def over_time(self) -> tuple[Bill, ...]:
        """The period in parts that a picture can show."""
        return tuple(self.bill(start, end) for start, end in hourly(self.since, self.until))


def account(catalog: Catalog, warehouse: Warehouse, since: int | None, until: int) -> Account:
    """Read the tables for a period; without `since`, from the first row on."""
    audit = read_rows(warehouse.system("audit"), AUDIT)
    pushes = read_rows(warehouse.system("pushes"), PUSHES)
    firsts = [table.column("at")[0].as_py() for table in (audit, pushes) if table.num_rows]
    start = min(firsts, default=until) if since is None else since
    end = max(start, until)
    views = catalog.project.views
    inside = pushes.filter((pc.field("at") >= start) & (pc.field("at") < end))
    return Account(
        catalog,
        tuple(_push(row, views.get(row["view"])) for row in _rows(inside, _PUSH)),
        tuple(_snapshot(row, views.get(row["view"])) for row in _rows(_from(audit, start), _SNAPSHOT)),
        start,
        end,
    )


_PUSH = (
    "at", "view", "site", "serves", "cpu_seconds", "bytes_copied", "result_rows", "late_rows", "error",
)  # fmt: skip
_SNAPSHOT = ("at", "view", "owner", "site", "penalty", "violated", "stored_bytes")


def _rows(table: pa.Table, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    yield from table.select(columns).to_pylist()


def _from(audit: pa.Table, since: int) -> pa.Table:
    """The rows since an instant, and each view's last one before it: that says what was stored then."""
    before = audit.filter(pc.field("at") < since)
    after = audit.filter(pc.field("at") >= since)
    if before.num_rows == 0:
        return after
    last = before.group_by("view").aggregate([("at", "max")])
    joined = before.join(last, keys=["view", "at"], right_keys=["view", "at_max"], join_type="inner")
    return pa.concat_tables([joined.select(after.column_names), after])


def _push(row: dict[str, Any], view: View | None) -> PushRow:
    home = view.site if view is not None else "default"
    return PushRow(
        at=row["at"],
        serves=served(row["view"], row["serves"]),
        site=row["site"] or home,
        cpu_seconds=row["cpu_seconds"] or 0.0,
        bytes_copied=row["bytes_copied"] or 0,
        rows=0 if row["error"] else row["result_rows"] or 0,
        late_rows=row["late_rows"] or 0,
        late_for=row["view"],
    )


def _snapshot(row: dict[str, Any], view: View | None) -> SnapshotRow:
    penalty = row["penalty"]
    return SnapshotRow(
        at=row["at"],
        view=row["view"],
        owner=row["owner"] or "",
        site=row["site"] or (view.site if view is not None else "default"),
        penalty=(float(view.penalty) if view is not None else 0.0) if penalty is None else penalty,
        violated=bool(row["violated"]),
        stored_bytes=row["stored_bytes"] or 0,
    )

"""The views of `headwater status`: staleness against freshness, what it cost, and how each was refreshed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.cli.show.output import console, print_table
from headwater.cli.show.screens.live import INTENDED
from headwater.cli.show.tables import Column
from headwater.units import dollar_text, seconds_text

if TYPE_CHECKING:
    from headwater.serve.reports.status import Status, ViewStatus

__all__ = ["print_view_status"]

COLUMNS = (
    Column("staleness", True), Column("freshness", True), Column("rows", True, 1),
    Column("pushes", True, 3, unless_zero=True), Column("violations", True, 1, unless_zero=True),
    Column("CPU s", True, 4, unless_zero=True), Column("dollars", True, 5, unless_zero=True),
    Column("last refresh", rank=2, unless_zero=True),
)  # fmt: skip


def print_view_status(current: Status) -> None:
    """Sites and owners have columns only where a project has them."""
    if not current.views:
        console().print("It declares no materialized view yet.")
        return
    extra = [
        name
        for name, usual in (("site", "default"), ("owner", ""))
        if any(getattr(view, name) != usual for view in current.views)
    ]
    print_table(
        "",
        (Column("view"), *(Column(name, rank=6) for name in extra), *COLUMNS),
        [
            (view.name, *(getattr(view, name) or "-" for name in extra), *_cells(view))
            for view in current.views
        ],
    )
    out = console()
    for view in current.views:
        if view.error:
            out.print(f"{view.name}: {view.error}", style="red", markup=False)
        elif why := _why_full(view):
            out.print(f"{view.name}: {why}", markup=False)
    if current.running is not None and not any(_is_late(view) for view in current.views):
        out.print(INTENDED, style="dim")


def _cells(view: ViewStatus) -> tuple[object, ...]:
    return (
        "never computed" if view.staleness_s is None else f"{view.staleness_s:,.1f} s",
        seconds_text(view.freshness_s),
        f"{view.rows:,}",
        f"{view.pushes:,}",
        f"{view.violations:,}",
        f"{view.cpu_seconds:,.1f}",
        dollar_text(view.dollars, 6),
        "failed" if view.error else "" if view.last_push is None else view.last_push.mode,
    )


def _is_late(view: ViewStatus) -> bool:
    return view.staleness_s is None or view.staleness_s > view.freshness_s


def _why_full(view: ViewStatus) -> str:
    """Why a view that has a delta was recomputed."""
    last = view.last_push
    if last is None or last.mode != "full" or view.refresh != "incremental" or not last.reason:
        return ""
    return f"the last refresh was full: {last.reason}"

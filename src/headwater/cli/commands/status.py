"""`headwater status`: staleness against promise, cost, violations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.files import writable_picture
from headwater.cli.input.opening import open_last_good
from headwater.cli.show.adapted_joins import print_adapted_joins
from headwater.cli.show.captures import print_capture_problems
from headwater.cli.show.chosen_tables import print_chosen_tables
from headwater.cli.show.output import console, print_json, print_table
from headwater.cli.show.rejected import warn_of_rejected
from headwater.cli.show.screens.again import again_and_again
from headwater.cli.show.storage_tables import print_storage, storage_json
from headwater.cli.show.tables import Column
from headwater.cli.show.trees import print_tree_status
from headwater.cli.show.view_status import print_view_status
from headwater.clock import instant_text
from headwater.errors import InputError, shown_folder
from headwater.serve.asking import period
from headwater.serve.reports.status_json import status_json
from headwater.units import byte_text

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.serve.reports.status import Status

__all__ = ["status"]


def status(
    folder: ProjectFolder,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw staleness over time; .svg, .png or .pdf."),
    ] = None,
    last: Annotated[
        str | None,
        typer.Option("--last", metavar="D", help="With --plot: only the last minutes or hours: 10m, 2h."),
    ] = None,
    storage: Annotated[
        bool,
        typer.Option("--storage", help="Also what is stored, what it is for, and what vacuum would delete."),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Show it again every few seconds, until Ctrl-C.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show each view's staleness against its freshness, how it was refreshed and why, and what it has cost.

    --plot draws the staleness of every view over time, up to and after each push, with violations marked.

    Examples: `headwater status shop --json | jq '.views[] | {name, staleness_s, freshness_s}'`,
    `headwater status shop --plot staleness.svg --last 10m`, `headwater status shop --storage`,
    `headwater status shop --watch`
    """
    if watch:
        again_and_again(lambda: status(folder, storage=storage, as_json=as_json))
        return
    project = open_last_good(folder)
    if plot is not None:
        _draw(project, plot, last)
    elif last is not None:
        raise InputError(
            "HW003",
            "--last needs --plot",
            hint="Add --plot FILE; for the cost of a period use headwater bill DIR --last 1h.",
        )
    current = project.status()
    stored = (project.storage(), project.vacuum(dry_run=True)) if storage else None
    if as_json:
        print_json(status_json(current) | ({"storage": storage_json(*stored)} if stored else {}))
        warn_of_rejected(project)
        return
    _print(current)
    warn_of_rejected(project)
    if stored:
        print_storage(*stored)


def _print(current: Status) -> None:
    out = console()
    out.print(f"{current.project}: {_runs(current)}")
    print_view_status(current)
    print_adapted_joins(current)
    print_tree_status(current.trees)
    for site in current.sites:
        if not site.alive:
            out.print(
                f"site {site.site} has not answered since {instant_text(site.since)}: {site.error}",
                style="red",
            )
    _print_sources(current)
    print_chosen_tables(current)
    _print_slots(current)
    _print_store(current)


def _print_store(current: Status) -> None:
    """The store of the project's queries: its time and its size."""
    store = current.store
    if store is None:
        return
    if store.error:
        console().print(f"store of queries: {store.error}", style="yellow", markup=False, soft_wrap=True)
        return
    if store.time is None:
        console().print("store of queries: nothing is loaded yet")
        return
    console().print(
        f"store of queries: {store.parts} tables, indexes and views, {byte_text(store.bytes)}, "
        f"as of {instant_text(store.time)}, {store.staleness_s:,.1f} s ago"
    )
    for ranking in store.rankings:
        console().print(
            f"  {ranking.name}: refreshed {(current.at - ranking.refreshed_at) / 1e6:,.0f} s ago in"
            f" {ranking.seconds:,.2f} s{' on Spark' if ranking.on_spark else ''}, {ranking.partitions}"
            f" partitions; one read at most {ranking.most_rows_read:,} rows"
            f" of the {ranking.serial_bound:,} it may"
        )


SOURCES = (
    Column("source"), Column("from", rank=3), Column("rows", True), Column("changes", True, 2),
    Column("per s", True, 4, unless_zero=True), Column("lag", True, 1, unless_zero=True),
    Column("rejected", True, unless_zero=True), Column("newest change", rank=2, unless_zero=True),
)  # fmt: skip


def _print_sources(current: Status) -> None:
    """Every source, then what is wrong with some of them, and what to do next."""
    print_table(
        "",
        SOURCES,
        [
            (
                source.name,
                source.provider,
                f"{source.rows:,}",
                f"{source.changes:,}",
                "" if source.rate_per_s is None else f"{source.rate_per_s:,.1f}",
                "" if source.lag_s is None else f"{source.lag_s:,.1f} s",
                f"{source.rejected:,}",
                _instant(source.time),
            )
            for source in current.sources
        ],
    )
    for source in current.sources:
        print_capture_problems(source.name, source.error, source.waiting, source.detail)
        if source.next:
            console().print(f"{source.name}: next: {source.next}", style="yellow")


def _print_slots(current: Status) -> None:
    """How much of its log each PostgreSQL server retains for the project."""
    if not current.slots:
        return
    numbers = ("lag", "retained", "allowed", "captured up to")
    print_table(
        "",
        ("database", "slot", *numbers),
        [
            (slot.database, slot.slot or "none", *map(_size, (slot.lag_bytes, slot.retained_bytes)),
             "" if slot.max_lag_bytes is None else byte_text(slot.max_lag_bytes),
             "" if slot.lag_seconds is None else f"{slot.lag_seconds:,.0f} s ago")
            for slot in current.slots
        ],
        right=numbers,
    )  # fmt: skip
    for slot in current.slots:
        if slot.error:
            console().print(f"{slot.database}: {slot.error}", style="red")
        if slot.too_long:
            console().print(
                f"{slot.database}: the slot retains more than max_slot_lag allows; the next run drops it and "
                "compares all tables with a new snapshot, `headwater capture DIR --drop` drops it now",
                style="red",
            )


def _size(size: int | None) -> str:
    return "unknown" if size is None else byte_text(size)


def _runs(current: Status) -> str:
    if current.running is None:
        return "not running"
    return f"running, process {current.running.get('pid')} since {current.running.get('since')}"


def _instant(time: int | None) -> str:
    return "" if time is None else instant_text(time)


def _draw(project: Headwater, path: Path, last: str | None) -> None:
    from headwater.serve.reports.staleness import staleness_over_time
    from headwater.serve.reports.staleness_picture import draw_staleness

    since, until = period(project.clock.now(), None, None, last)
    picture = writable_picture(path)
    curves = staleness_over_time(project.catalog, project.warehouse, since, until)
    if not any(curve.points for curve in curves):
        raise InputError(
            "HW890",
            "there is nothing to draw: no snapshot was taken in this period",
            hint=f"Keep the views first: headwater run {shown_folder(project.project.folder)}",
        )
    draw_staleness(picture, project.project.name, curves)

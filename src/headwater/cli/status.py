"""`headwater status`: staleness against promise, cost, violations."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.bill import period, writable_picture
from headwater.cli.output import console, print_json, print_table
from headwater.clock import instant_text
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.serve.status import Status, ViewStatus

__all__ = ["status"]


def status(
    folder: ProjectFolder,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw staleness over time; .svg, .png or .pdf."),
    ] = None,
    last: Annotated[
        str | None, typer.Option("--last", metavar="D", help="With --plot: the last minutes, hours: 10m, 2h.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Each view's staleness against its promise, how it is refreshed and why, what it has cost.

    --plot draws the staleness of every view over time, up to and after each push, with violations marked.

    Examples: `headwater status shop --json | jq '.views[] | {name, staleness_s, freshness_s}'`,
    `headwater status shop --plot staleness.svg --last 10m`
    """
    import headwater

    project = headwater.open(str(folder))
    if plot is not None:
        _draw(project, plot, last)
    elif last is not None:
        raise InputError(
            "HW001", "--last is for --plot", hint="headwater bill DIR --last 1h sums up a period"
        )
    found = project.status()
    if as_json:
        answer = asdict(found)
        for one in answer["views"] + answer["sources"]:
            one["time"] = None if one["time"] is None else instant_text(one["time"])
        for one in answer["sites"]:
            one |= {name: one[name] and instant_text(one[name]) for name in ("since", "last_seen")}
        answer["at"] = instant_text(found.at)
        print_json(answer)
        return
    out = console()
    if found.running is not None:
        out.print(
            f"{found.project}: kept by process {found.running.get('pid')} since {found.running.get('since')}"
        )
    else:
        out.print(f"{found.project}: not running")
    _print_views(found)
    for one in found.views:
        if one.error:
            out.print(f"{one.name}: {one.error}", style="red")
    for site in found.sites:
        if not site.alive:
            out.print(
                f"site {site.site} does not answer since {instant_text(site.since)}: {site.error}",
                style="red",
            )
    print_table(
        "",
        ("source", "from", "changes", "newest change"),
        [
            (one.name, one.provider, one.changes, "" if one.time is None else instant_text(one.time))
            for one in found.sources
        ],
        right=("changes",),
    )


def _print_views(found: Status) -> None:
    """Sites and owners have columns only where a project has them."""
    numbers = ("staleness", "freshness", "rows", "pushes", "violations", "CPU s", "dollars")
    places = [
        name
        for name, plain in (("site", "default"), ("owner", ""))
        if any(getattr(one, name) != plain for one in found.views)
    ]
    print_table(
        "",
        ("view", *places, *numbers, "last refresh"),
        [
            (one.name, *(getattr(one, name) or "-" for name in places), *_cells(one), _last(one))
            for one in found.views
        ],
        right=numbers,
    )


def _cells(one: ViewStatus) -> tuple[object, ...]:
    return (
        "never computed" if one.staleness_s is None else f"{one.staleness_s:.1f} s",
        f"{one.freshness_s:g} s",
        one.rows,
        one.pushes,
        one.violations,
        f"{one.cpu_seconds:.1f}",
        f"{one.dollars:.6f}",
    )


def _last(one: ViewStatus) -> str:
    return "failed" if one.error else "" if one.last_push is None else one.last_push.mode


def _draw(project: Headwater, path: Path, last: str | None) -> None:
    from headwater.serve.staleness import staleness_over_time
    from headwater.serve.staleness_picture import draw_staleness

    since, until = period(project.clock.now(), None, None, last)
    found = staleness_over_time(project.catalog, project.warehouse, since, until)
    if not any(one.points for one in found):
        raise InputError(
            "HW890",
            "there is nothing to draw: no snapshot was taken in this period",
            hint=f"Keep the views first: headwater run {project.project.folder}",
        )
    draw_staleness(writable_picture(path), project.project.name, found)

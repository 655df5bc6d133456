"""`headwater plan`: how each view is kept, whether its promise can be kept, what it shares and costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.output import print_json
from headwater.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.serve.plan import Planned, PlannedView
    from headwater.sharing.graph import Edge, PlanGraph

__all__ = ["plan"]


def plan(
    folder: ProjectFolder,
    view: Annotated[
        str | None, typer.Option("--view", metavar="NAME", help="One view, with what a push will run.")
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Also every critical path and what a push of each view will run."),
    ] = False,
    with_file: Annotated[
        list[Path] | None,
        typer.Option(
            "--with", metavar="FILE.sql", help="Price the views of another file without adding them."
        ),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="FILE", help="Draw the plan: sites, what is shared, the critical path."
        ),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Print the plan's vertices and edges as text.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say before anything runs whether each promise can be kept, what it costs, and what views share.

    Exit status 1 if a view is refused. Spark is not started and nothing is written.

    Examples: `headwater plan shop`, `headwater plan shop --view order_lines`,
    `headwater plan shop --with new_view.sql`, `headwater plan shop --svg plan.svg`
    """
    import headwater
    from headwater.cli.plan_json import plan_json
    from headwater.cli.plan_tables import print_plan
    from headwater.sharing.graph_text import show_graph

    project = headwater.open(str(folder))
    planned = project.plan(_checked(project, with_file or []))
    if with_file and not any(one.asked for one in planned.views):
        names = ", ".join(map(str, with_file))
        raise InputError(
            "HW863", f"{names} declares no view", hint="write a CREATE MATERIALIZED VIEW into it"
        )
    shown = planned.views if view is None else (_named(planned, view),)
    if svg is not None:
        _draw(svg, planned, view)
    if as_json:
        print_json(plan_json(planned, shown, explain or view is not None))
    elif text:
        print(show_graph(_graph(planned, view)))
    else:
        print_plan(planned, shown, explain or view is not None)
    if not all(one.estimate.admitted for one in shown):
        raise typer.Exit(1)


def _checked(project: Headwater, files: list[Path]) -> list[Path]:
    for path in files:
        if not path.is_file():
            raise InputError("HW861", f"there is no file {path}", hint="--with takes a file of SQL")
        if path.suffix == ".sql" and path.resolve().parent == Path(project.project.folder).resolve():
            raise InputError(
                "HW862",
                f"{path} is part of the project already",
                hint="keep the file outside the folder, or write EXPLAIN CREATE MATERIALIZED VIEW in it",
            )
    return files


def _named(planned: Planned, name: str) -> PlannedView:
    found = {one.view.name.lower(): one for one in planned.views}
    if name.lower() not in found:
        known = [one.view.name for one in planned.views]
        raise InputError(
            "HW210",
            f'there is no view "{name}" in project "{planned.project}"',
            detail=f"Its views: {', '.join(known) or 'none'}.",
            hint=did_you_mean(name, known),
        )
    return found[name.lower()]


def _critical(planned: Planned, view: str | None) -> tuple[Edge, ...]:
    """The path to mark: that of the view asked for, else of the view nearest to its promise."""
    kept = [one for one in planned.views if one.estimate.admitted]
    if view is not None:
        kept = [one for one in kept if one.view.name.lower() == view.lower()]
    if not kept:
        return ()
    hasty = max(kept, key=lambda one: one.estimate.critical_path / one.view.freshness)
    return hasty.estimate.path.edges


def _draw(path: Path, planned: Planned, view: str | None) -> None:
    from headwater.sharing.plan_picture import plan_svg

    graph = _graph(planned, view)
    subtitle = (
        f"{len(graph.vertices)} vertices, {len(graph.edges)} edges; all views together"
        f" {planned.dollars_per_hour_with:.4f} $/hour, alone {sum(planned.plan_with.alone.values()):.4f}"
    )
    places = {one: names for one, names in planned.plan_with.results().items() if one in graph.vertices}
    picture = plan_svg(planned.project, graph, places, _critical(planned, view), subtitle)
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise InputError("HW864", f"cannot write {path}: {error.strerror}") from None


def _graph(planned: Planned, view: str | None) -> PlanGraph:
    from headwater.sharing.graph import part_of

    whole = planned.plan_with.graph
    return whole if view is None else part_of(whole, _named(planned, view).view.name)

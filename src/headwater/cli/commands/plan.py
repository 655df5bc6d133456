"""`headwater plan`: how each view is kept, whether its promise can be kept, what it shares and costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.files import write_text
from headwater.cli.show.output import print_json
from headwater.cli.show.rejected import warn_of_rejected
from headwater.errors import InputError
from headwater.project.named import view_named
from headwater.units import dollar_text

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.planning.graph.graph import Edge, PlanGraph
    from headwater.serve.planning.plan import Planned, PlannedView

__all__ = ["plan"]


def plan(
    folder: ProjectFolder,
    view: Annotated[
        str | None,
        typer.Option("--view", metavar="NAME", help="Show one view, with what a push of it will run."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Also show every critical path and what a push of each view will run."
        ),
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
            "--svg",
            metavar="FILE",
            help="Draw the plan: sites, what is shared, woven trees, the critical path.",
        ),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the whole plan as text.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say before anything runs whether each promise can be kept, what it costs, and what views share.

    Exit status 1 if a view is refused. Spark is not started and nothing is written.

    Examples: `headwater plan shop`, `headwater plan shop --view order_lines`,
    `headwater plan shop --with new_view.sql`, `headwater plan shop --svg plan.svg`
    """
    import headwater
    from headwater.cli.collections import rare_collections
    from headwater.cli.show.plan_tables import print_plan
    from headwater.planning.graph.text import show_graph
    from headwater.project.editing import declares_no_view
    from headwater.serve.planning.plan_json import plan_json

    if svg is not None and svg.suffix.lower() != ".svg":
        raise InputError("HW864", f"cannot draw {svg}: it would be SVG", hint="end its name in .svg")
    with rare_collections():
        project = headwater.open(str(folder))
        planned = project.plan(_checked(project, with_file or []))
    if with_file and not any(view.asked for view in planned.views):
        raise declares_no_view(", ".join(map(str, with_file)))
    shown = planned.views if view is None else (_named(project, planned, view),)
    view = None if view is None else shown[0].view.name
    if svg is not None:
        _draw(svg, planned, view)
    if as_json:
        print_json(plan_json(planned, shown, explain or view is not None))
    elif text:
        print(show_graph(_graph(planned, view)))
    else:
        print_plan(planned, shown, explain or view is not None)
    warn_of_rejected(project)
    if not all(view.estimate.admitted for view in shown):
        raise typer.Exit(1)


def _checked(project: Headwater, files: list[Path]) -> list[Path]:
    from headwater.project.editing import require_outside

    for path in files:
        require_outside(path, Path(project.project.folder))
    return files


def _named(project: Headwater, planned: Planned, name: str) -> PlannedView:
    views = {planned_view.view.name: planned_view for planned_view in planned.views}
    declared = replace(project.project, views={each: views[each].view for each in views})
    return views[view_named(declared, name, "Views are planned; a table is what they read.").name]


def _critical(planned: Planned, view: str | None) -> tuple[Edge, ...]:
    """The path to mark: that of the view asked for, else of the view nearest to its promise."""
    admitted = [planned_view for planned_view in planned.views if planned_view.estimate.admitted]
    if view is not None:
        admitted = [planned_view for planned_view in admitted if planned_view.view.name == view]
    if not admitted:
        return ()
    tightest = max(
        admitted, key=lambda candidate: candidate.estimate.critical_path / candidate.view.freshness
    )
    return tightest.estimate.path.edges


def _draw(path: Path, planned: Planned, view: str | None) -> None:
    from headwater.planning.graph.other_inputs import with_other_inputs
    from headwater.planning.graph.picture import plan_svg
    from headwater.planning.weaving.picture import below_each_other, woven_svg

    graph = with_other_inputs(_graph(planned, view), planned.plan_with.sharings.values())
    alone = sum(view.estimate.dollars_alone for view in planned.views if view.estimate.admitted)
    subtitle = (
        f"all views together {dollar_text(planned.dollars_per_hour_with)} $/hour,"
        f" {dollar_text(alone)} without sharing"
    )
    refused = [view.view.name for view in planned.views if not view.estimate.admitted]
    if refused:
        subtitle += f"; not drawn, because refused: {', '.join(refused)}"
    results = {
        vertex: names for vertex, names in planned.plan_with.results().items() if vertex in graph.vertices
    }
    picture = plan_svg(planned.project, graph, results, _critical(planned, view), subtitle)
    picture = below_each_other(picture, "" if view else woven_svg(planned.woven))
    for candidate in planned.views:
        join = candidate.estimate.join
        if join is not None and join.adapted and view in (None, candidate.view.name):
            picture = below_each_other(picture, join.picture(candidate.view.name))
    write_text(path, picture)


def _graph(planned: Planned, view: str | None) -> PlanGraph:
    from headwater.planning.graph.graph import part_of

    whole = planned.plan_with.graph
    return whole if view is None else part_of(whole, view)

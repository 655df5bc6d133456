"""`headwater plan`: how each view is kept, whether its promise can be kept, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.output import console, print_json, print_table
from headwater.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.api import Headwater
    from headwater.serve.plan import Planned, PlannedView

__all__ = ["plan"]


def plan(
    folder: ProjectFolder,
    view: Annotated[
        str | None, typer.Option("--view", metavar="NAME", help="One view, with what a push will run.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also what a push of each view will run.")
    ] = False,
    with_file: Annotated[
        list[Path] | None,
        typer.Option(
            "--with", metavar="FILE.sql", help="Price the views of another file without adding them."
        ),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw sources, stages and views.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say before anything runs how each view is kept, whether its promise can be kept, and what it costs.

    Exit status 1 if a view is refused. Spark is not started and nothing is written.

    Examples: `headwater plan shop`, `headwater plan shop --view order_lines`,
    `headwater plan shop --with new_view.sql`, `headwater plan shop --svg plan.svg`
    """
    import headwater

    project = headwater.open(str(folder))
    planned = project.plan(_checked(project, with_file or []))
    if with_file and not any(one.asked for one in planned.views):
        names = ", ".join(map(str, with_file))
        raise InputError(
            "HW863", f"{names} declares no view", hint="write a CREATE MATERIALIZED VIEW into it"
        )
    shown = planned.views if view is None else (_named(planned, view),)
    if svg is not None:
        _draw(svg, planned)
    if as_json:
        print_json(_answer(planned, shown, explain or view is not None))
    else:
        _print(planned, shown, explain or view is not None)
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


def _draw(path: Path, planned: Planned) -> None:
    from headwater.sharing.picture import Box, dag_svg

    boxes = [Box.of_source(name, facts) for name, facts in _sources_read(planned).items()]
    for one in planned.views:
        boxes += Box.of_view(one.view, one.kept, one.estimate, one.asked)
    try:
        path.write_text(dag_svg(planned.project, boxes), encoding="utf-8")
    except OSError as error:
        raise InputError("HW864", f"cannot write {path}: {error.strerror}") from None


def _sources_read(planned: Planned) -> dict[str, Any]:
    read = {name for one in planned.views for name in one.used}
    return {name: facts for name, facts in planned.sources.items() if name in read}


# JSON


def _answer(planned: Planned, shown: tuple[PlannedView, ...], explain: bool) -> dict[str, Any]:
    return {
        "project": planned.project,
        "views": [_view_fields(one, explain) for one in shown],
        "sources": [{"name": name, **_facts(facts)} for name, facts in planned.sources.items()],
        "shared": {
            "vertices": planned.vertices,
            "edges": planned.edges,
            "dollars_per_hour_before": planned.dollars_per_hour,
            "dollars_per_hour": planned.dollars_per_hour,
            "steps": [],
        },
        "dollars_per_hour_with_asked": planned.dollars_per_hour_with,
        "busy_cores": planned.busy_cores,
    }


def _view_fields(one: PlannedView, explain: bool) -> dict[str, Any]:
    guess = one.estimate
    return {
        "name": one.view.name,
        "admitted": guess.admitted,
        "reason": one.reason,
        "critical_path_s": guess.critical_path.total_seconds(),
        "freshness_s": one.view.freshness.total_seconds(),
        "smallest_freshness_s": None if guess.smallest is None else guess.smallest.total_seconds(),
        "dollars_per_hour": guess.dollars_per_hour,
        "pushes_per_hour": guess.pushes_per_hour,
        "chosen": one.chosen,
        "refresh": one.refresh,
        "policy": one.view.refresh.value,
        "asked": one.asked,
        "tight": guess.tight,
        "stages": [
            {"name": stage.name, "kind": stage.kind.value, "reads": list(stage.reads)}
            for stage in one.kept.stages
        ],
        "obstacles": [
            {"reason": wall.reason, "place": None if wall.place is None else _place(wall.place)}
            for wall in one.kept.obstacles
        ],
        "path": [
            {
                "stage": step.stage,
                "mode": "full" if step.full else "incremental",
                "reason": step.reason,
                "changed_rows": step.effort.changed,
                "scanned_rows": step.effort.scanned,
                "result_rows": step.effort.result,
                "seconds": step.seconds,
                "measured_pushes": step.measured,
            }
            for step in guess.path
        ],
        "used": {name: _facts(facts) for name, facts in one.used.items()},
        **({"pushes": _pushes(one)} if explain else {}),
    }


def _place(place: Any) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "column": place.column}


def _facts(facts: Any) -> dict[str, Any]:
    return {
        "rows": facts.rows,
        "rate_per_second": facts.rate,
        "rows_from": facts.rows_from.value,
        "rate_from": facts.rate_from.value,
    }


def _pushes(one: PlannedView) -> list[dict[str, str]]:
    from headwater.serve.plan import will_run

    return [{"stage": will.stage, "changed": will.changed, "plan": will.text} for will in will_run(one.kept)]


# Text


def _print(planned: Planned, shown: tuple[PlannedView, ...], explain: bool) -> None:
    out = console()
    numbers = ("promised", "push", "$/hour")
    print_table(
        "",
        ("view", "kept", *numbers, "answer"),
        [
            (
                one.view.name + (" (asked about)" if one.asked and "(asked)" not in one.view.name else ""),
                "full refresh" if one.refresh == "full" else "incremental",
                f"{one.view.freshness.total_seconds():g} s",
                f"{one.estimate.critical_path.total_seconds():.2f} s",
                f"{one.estimate.dollars_per_hour:.4f}",
                _answer_word(one),
            )
            for one in shown
        ],
        right=numbers,
    )
    for one in shown:
        _print_reasons(out, one, explain)
    small = [one.view.name for one in shown if one.refresh != one.chosen]
    if small:
        out.print(
            f"{', '.join(small)}: at these sizes a recompute is expected to be no dearer than the delta;"
            " AUTO decides at each push."
        )
    if explain:
        _print_used(shown)
    _print_totals(out, planned)


def _answer_word(one: PlannedView) -> str:
    if not one.estimate.admitted:
        return "REFUSED"
    return "tight" if one.estimate.tight else "admitted"


def _print_reasons(out: Console, one: PlannedView, explain: bool) -> None:
    if explain or not one.estimate.admitted or one.estimate.tight:
        out.print(f"{one.view.name}: {one.reason}.", markup=False)
    for wall in one.kept.obstacles:
        place = "" if wall.place is None else f" at {wall.place}"
        out.print(f"{one.view.name}: full refresh, because {wall.reason}{place}", markup=False)
        if wall.place is not None and wall.place.text:
            out.print(wall.place.excerpt(), markup=False)
    if explain:
        smallest = one.estimate.smallest
        out.print(
            f"The smallest freshness that would be admitted: "
            f"{'none' if smallest is None else f'{smallest.total_seconds():g} s'}."
            f"  {one.estimate.pushes_per_hour:,.0f} pushes an hour would carry something."
        )
        _print_path(one)
        _print_pushes(out, one)


def _print_path(one: PlannedView) -> None:
    numbers = ("changed", "scanned", "result", "seconds", "measured")
    kinds = {stage.name: stage.kind.value for stage in one.kept.stages}
    print_table(
        f"The critical path of {one.view.name}: rows, and pushes it was measured on",
        ("stage", "by", *numbers),
        [
            (
                step.stage,
                "full" if step.full else f"delta of {kinds[step.stage]}" if step.stage in kinds else "delta",
                f"{step.effort.changed:,}",
                f"{step.effort.scanned:,}",
                f"{step.effort.result:,}",
                f"{step.seconds:.3f}",
                step.measured,
            )
            for step in one.estimate.path
        ],
        right=numbers,
    )


def _print_pushes(out: Console, one: PlannedView) -> None:
    for push in _pushes(one):
        out.print(f"\nWhen {push['changed']} changes, a push of {push['stage']} runs:", markup=False)
        out.print("\n".join(f"  {line}" for line in push["plan"].splitlines()), markup=False)
    out.print()


def _print_used(shown: tuple[PlannedView, ...]) -> None:
    used = {name: facts for one in shown for name, facts in one.used.items()}
    print_table(
        "What the estimates rest on",
        ("source", "rows", "from", "changes/s", "from "),
        [
            (name, f"{facts.rows:,.0f}", facts.rows_from.value, f"{facts.rate:,.3g}", facts.rate_from.value)
            for name, facts in used.items()
        ],
        right=("rows", "changes/s"),
    )


def _print_totals(out: Console, planned: Planned) -> None:
    origins = {one.rows_from.value for one in planned.sources.values()}
    origins |= {one.rate_from.value for one in planned.sources.values()}
    extra = planned.dollars_per_hour_with - planned.dollars_per_hour
    out.print(
        f"{planned.vertices} vertices, {planned.edges} edges; {planned.dollars_per_hour:.4f} $/hour"
        + (f", and {extra:.4f} more with what was asked about" if extra else "")
        + f"; {planned.busy_cores:.2f} cores busy on average."
    )
    out.print(
        f"Sizes and rates: {', '.join(sorted(origins))}.  $/hour = pushes/h x seconds x busy cores"
        f" x {planned.core_hour:g} $ per core hour / 3600; --explain shows all that was used."
    )

"""`headwater add` and `headwater drop`: views come and go, also while a run keeps the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.without_pandas import arrow_without_pandas
from headwater.cli.show.output import console, print_json
from headwater.errors import shown_folder
from headwater.serve.planning.changing_json import added_json, dropped_json, priced
from headwater.units import dollar_text

if TYPE_CHECKING:
    from headwater.planning.weaving.weave import TreeChange
    from headwater.serve.planning.changing import Added, Dropped

__all__ = ["add", "drop"]


def add(
    folder: ProjectFolder,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.sql", help="CREATE MATERIALIZED VIEW statements; - reads standard input."
        ),
    ],
    force: Annotated[bool, typer.Option("--force", help="Add it even if it is refused.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Add views to the project if their promises can be kept; each gets a file of its own there.

    Exit status 1 and nothing written if a view is refused. A run that keeps the project takes the views over
    within seconds and computes them beside the others.

    Example: `headwater add shop new_view.sql`
    """
    import headwater

    arrow_without_pandas()
    project = headwater.open(str(folder))
    done = project.add(Path("/dev/stdin") if str(file) == "-" else file, force)
    if as_json:
        print_json(added_json(done))
    else:
        _print_added(done, folder)
    if not done.files:
        raise typer.Exit(1)


def drop(
    folder: ProjectFolder,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="A view that nothing else reads.")],
    keep_data: Annotated[
        bool, typer.Option("--keep-data", help="Leave its stored tables where they are.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take a view out of the project: its statement out of the files, its stored tables out of the warehouse.

    Exit status 1 if other views or queries read it. A run lets the view go within seconds and removes what
    nobody else uses.

    Example: `headwater drop shop big_orders`
    """
    import headwater

    arrow_without_pandas()
    done = headwater.open(str(folder)).drop(view, keep_data)
    if as_json:
        print_json(dropped_json(done))
    else:
        _print_dropped(done)


def _print_added(done: Added, folder: Path) -> None:
    from headwater.cli.show.plan_tables import print_reasons, print_views

    out = console()
    print_views(done.views)
    for planned in done.views:
        if planned.estimate.admitted and not planned.tight:
            out.print(f"{planned.view.name}: {planned.reason}.", markup=False)
        print_reasons(out, planned)
    for effect in done.effects:
        broken = "; it could no longer keep its promise" if effect.view in done.broken else ""
        out.print(
            f"{effect.view}: a push {effect.seconds:.2f} s, was {effect.seconds_before:.2f} s;"
            f" {dollar_text(effect.dollars)} $/hour, was {dollar_text(effect.dollars_before)}{broken}",
            markup=False,
        )
    for change in done.rewoven:
        out.print(_rewoven(change), markup=False)
    if names := priced(done):
        whose = "" if len(names) == len(done.views) else f" of {', '.join(names)}"
        out.print(f"Marginal cost{whose}: {dollar_text(done.dollars_per_hour)} $/hour.", markup=False)
    if not done.files:
        out.print("Nothing was written; --force adds the views anyway.")
        return
    out.print(f"Written: {', '.join(str(file) for file in done.files)}")
    after = (
        "The run takes them over within seconds."
        if done.running
        else f"Keep them with: headwater run {shown_folder(folder)}"
    )
    out.print(after)


def _rewoven(change: TreeChange) -> str:
    names = ", ".join(change.views)
    if change.anew:
        return f"Woven: {names} share {change.stage}, which is computed once; no other tree is touched."
    verb = "joins" if len(change.views) == 1 else "join"
    return f"Woven: {names} {verb} {change.stage}; nothing is computed anew for it."


def _print_dropped(done: Dropped) -> None:
    what = "deleted" if done.file_deleted else "cut out of"
    fate = {
        "removed": "Its stored tables are removed.",
        "left to the run": "The run lets it go and removes its stored tables.",
        "kept": "Its stored tables stay.",
    }
    console().print(f"Dropped {done.view}: {what} {done.file}. {fate[done.data]}")
    if done.leaves:
        console().print(f"What it shared goes on as it is, for {', '.join(done.leaves)}.", markup=False)

"""`headwater changes`: the changes of a view, as they come."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.opening import open_last_good
from headwater.cli.stopping import end_on_signals
from headwater.serve.asking import instant
from headwater.serve.json_text import compact_json

__all__ = ["changes"]


def changes(
    folder: ProjectFolder,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="A view.")],
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on with changes as they come, until Ctrl-C.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="T", help="Changes after this instant: 2026-01-31T12:00 (UTC), or `beginning`."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the changes of a view, a JSON object a line: the row, its weight (1 came, -1 went) and its time.

    With --follow those from now on, or all since an instant, as they come. Without, those that are kept, or
    since an instant, up to now. The rows as of a time plus the changes after it are the rows as of later:
    `headwater read VIEW --json` says as of which time its rows are. Refused if history does not reach back
    that far (`retention.history`). The lines are the same with --json; errors are an object too then.

    Examples: `headwater changes shop open_orders --follow`,
    `headwater changes shop open_orders --since 2026-01-31T12:00 | jq .row`
    """
    project = open_last_good(folder)
    after = None if since is None else 0 if since == "beginning" else instant(since, "--since")
    if follow:
        end_on_signals()
    for change in project.changes(view, after, follow):
        print(compact_json(change.fields()), flush=follow)

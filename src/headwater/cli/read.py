"""`headwater read`: the rows of a view."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.durations import duration
from headwater.cli.output import console, print_json, print_table
from headwater.clock import instant_text

__all__ = ["read"]


def read(
    folder: ProjectFolder,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="A view of the project.")],
    max_staleness: Annotated[
        str | None, typer.Option(help="Refuse if the view is staler than this: 5s, 2m.", metavar="D")
    ] = None,
    limit: Annotated[int, typer.Option(help="Rows to print as a table; --json gives all.", min=0)] = 50,
    as_json: JsonOption = False,
) -> None:
    """The rows of a view as of its time. Never waits: it answers, or says how stale the view is (exit 1).

    Example: `headwater read shop big_orders --max-staleness 5s`
    """
    import headwater

    allowed = None if max_staleness is None else duration(max_staleness, "--max-staleness")
    rows = headwater.open(str(folder)).read(view, allowed)
    if as_json:
        print_json(
            {
                "view": rows.view,
                "time": instant_text(rows.time),
                "staleness_s": rows.staleness.total_seconds(),
                "rows": rows.to_pylist(),
            }
        )
        return
    shown = rows.table.slice(0, limit)
    print_table(
        f"{rows.view} as of {instant_text(rows.time)} ({rows.staleness.total_seconds():.1f} s ago)",
        rows.table.column_names,
        [tuple("NULL" if cell is None else cell for cell in row.values()) for row in shown.to_pylist()],
    )
    if len(rows) > limit:
        console().print(f"{limit} of {len(rows)} rows; --limit shows more")

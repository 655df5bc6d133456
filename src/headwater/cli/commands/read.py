"""`headwater read`: the rows of a view."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.opening import open_last_good
from headwater.cli.show.output import console, print_json, print_table, progress_console
from headwater.cli.show.rejected import sources_of, warn_of_rejected
from headwater.clock import instant_text
from headwater.errors import InputError
from headwater.serve.asking import duration, instant

__all__ = ["read"]


def read(
    folder: ProjectFolder,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="A view, or a table.")],
    max_staleness: Annotated[
        str | None, typer.Option(help="Refuse if the view is staler than this: 5s, 2m.", metavar="D")
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(help="As of an earlier instant: 2026-01-31T12:00 (UTC).", metavar="INSTANT"),
    ] = None,
    limit: Annotated[int, typer.Option(help="Rows to print as a table; --json gives all.", min=0)] = 50,
    as_json: JsonOption = False,
) -> None:
    """Print the rows of a view as of its time. Never waits: it answers, or refuses if the view is too stale.

    Of a table: all rows that have been captured.

    With `--as-of`, the newest state of a view or a table that is stored at or before an instant; refused if
    its history does not reach back that far (`retention.history`).

    Examples: `headwater read shop big_orders --max-staleness 5s`,
    `headwater read shop orders --as-of 2026-01-31T12:00`
    """
    allowed = None if max_staleness is None else duration(max_staleness, "--max-staleness")
    if allowed is not None and as_of is not None:
        raise InputError("HW003", "--max-staleness and --as-of exclude each other", hint="Give one of them.")
    earlier = None if as_of is None else instant(as_of, "--as-of")
    project = open_last_good(folder)
    rows = project.read(view, allowed, earlier)
    if rows.error:
        progress_console().print(f"{rows.view} fails, so it does not advance: {rows.error}", style="red")
    warn_of_rejected(project, sources_of(project, [rows.view]))
    if as_json:
        print_json(
            {
                "view": rows.view,
                "time": instant_text(rows.time),
                "staleness_s": rows.staleness.total_seconds(),
                "stalest_key_s": max(rows.staleness, rows.stalest_key or rows.staleness).total_seconds(),
                "error": rows.error,
                "rows": rows.to_pylist(),
            }
        )
        return
    print_table(
        f"{rows.view} as of {instant_text(rows.time)} ({rows.staleness.total_seconds():.1f} s ago)",
        rows.table.column_names,
        [tuple("NULL" if cell is None else cell for cell in row.values()) for row in rows.to_pylist(limit)],
    )
    if len(rows) > limit:
        console().print(f"{limit:,} of {len(rows):,} rows; --limit shows more")

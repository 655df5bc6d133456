"""`headwater capture`: where tables' changes come from; and cleaning up in PostgreSQL."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.output import console, print_json, print_table

__all__ = ["capture"]


def capture(
    folder: ProjectFolder,
    drop: Annotated[
        bool, typer.Option("--drop", help="Drop the project's replication slots and publications.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Where each table's changes come from, and up to when they have come.

    With `--drop`, what the project made in its PostgreSQL databases is dropped there: a slot that nobody
    reads keeps the server's log for ever. What was captured stays; the next run begins with a new snapshot
    and captures the difference.

    Example: `headwater capture shop --drop`
    """
    import headwater
    from headwater.capture.overview import overview
    from headwater.capture.source import drop_postgres
    from headwater.clock import instant_text

    project = headwater.open(str(folder))
    dropped = drop_postgres(project.project, project.warehouse, project.clock) if drop else []
    origins = overview(project.project, project.warehouse)
    if as_json:
        print_json({"tables": [asdict(one) for one in origins], "dropped": dropped})
        return
    for one in dropped:
        console().print(f"dropped {one}")
    if drop:
        if not dropped:
            console().print("there was nothing to drop")
        return
    print_table(
        "sources",
        ("table", "provider", "from", "last change", "slot", "files"),
        [
            (
                one.table,
                one.provider,
                one.source,
                instant_text(one.time) if one.time else "",
                one.slot or "",
                "" if one.files is None else one.files,
            )
            for one in origins
        ],
        right=("files",),
    )

"""`headwater capture`: where tables' changes come from; and cleaning up in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.opening import open_to_write
from headwater.cli.show.captures import print_capture_problems
from headwater.cli.show.output import console, print_json, print_table
from headwater.cli.show.rejected import warn_of_rejected
from headwater.clock import instant_text

if TYPE_CHECKING:
    from headwater.capture.overview import Origin

__all__ = ["capture"]


def capture(
    folder: ProjectFolder,
    drop: Annotated[
        bool, typer.Option("--drop", help="Drop the project's replication slots and publications.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show where each table's changes come from, and up to when they have been captured.

    With `--drop`, the slots and publications that the project created in its PostgreSQL databases are
    dropped: a slot that nobody reads keeps the server's log for ever. What was captured stays; the next run
    begins with a new snapshot and captures the difference. What happened to a capture that you should know
    (a slot that was lost, a column that is not captured) is listed first. Before the first run it also shows
    the statements that create slot and publication, for somebody who may.

    Example: `headwater capture shop --drop`
    """
    from headwater.capture.captures import drop_postgres
    from headwater.capture.overview import overview

    project = open_to_write(folder, last_good=True)
    dropped = drop_postgres(project.project, project.warehouse) if drop else []
    origins = overview(project.project, project.warehouse)
    if as_json:
        print_json({"tables": [_json(origin) for origin in origins], "dropped": dropped})
        return
    for name in dropped:
        console().print(f"dropped {name}")
    if drop:
        if not dropped:
            console().print("there was nothing to drop")
        return
    for origin in origins:
        print_capture_problems(origin.table, origin.error, origin.waiting, origin.detail)
        if origin.hint:
            console().print(f"{origin.table}: {origin.hint}", style="yellow")
    for note in dict.fromkeys(note for origin in origins for note in origin.notes):
        console().print(note, style="yellow")
    print_table(
        "sources",
        ("table", "provider", "from", "last change", "slot", "files", "rejected"),
        [
            (
                origin.table,
                origin.provider,
                origin.source,
                instant_text(origin.time) if origin.time else "",
                (origin.slot or "") if origin.created else "",
                "" if origin.files is None else origin.files,
                origin.rejected,
            )
            for origin in origins
        ],
        right=("files", "rejected"),
    )
    warn_of_rejected(project)
    _print_names_to_come(origins)


def _print_names_to_come(origins: Sequence[Origin]) -> None:
    """What the first run creates in PostgreSQL: somebody with more rights may do that beforehand."""
    names = dict.fromkeys(origin.slot for origin in origins if origin.slot and not origin.created)
    for name in names:
        tables = ", ".join(origin.source.split()[-1] for origin in origins if origin.slot == name)
        console().print(
            f"The first run creates slot and publication {name}. If its user may not, somebody else can:\n"
            f"  CREATE PUBLICATION {name} FOR TABLE {tables} WITH (publish_via_partition_root = true);\n"
            f"  SELECT pg_create_logical_replication_slot('{name}', 'pgoutput');"
        )


def _json(origin: Origin) -> dict[str, Any]:
    waiting = [asdict(file) | {"since": instant_text(file.since)} for file in origin.waiting]
    time = instant_text(origin.time) if origin.time else None
    return asdict(origin) | {"time": time, "waiting": waiting}

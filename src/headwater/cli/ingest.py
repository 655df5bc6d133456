"""`headwater ingest`: changes from a file of JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.output import console, print_json
from headwater.clock import instant_text

__all__ = ["ingest"]

SHOWN = 10


def ingest(
    folder: ProjectFolder,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A table of the project.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines; - reads standard input.")],
    as_json: JsonOption = False,
) -> None:
    """Append changes: each line a row, or `{"op": "insert|delete|update|upsert", "row": ..., "old": ...}`.

    All right lines become visible at one time; wrong ones go to the dead letters with their reason, and the
    exit status is then 1. Works beside a run.

    Example: `headwater ingest shop orders new_orders.jsonl`
    """
    import headwater

    project = headwater.open(str(folder))
    path = "/dev/stdin" if str(file) == "-" else str(file)
    done = project.ingest_file(table, path)
    reasons = [{"line": one.line, "reason": one.reason, "record": one.text} for one in done.reasons[:1000]]
    if as_json:
        print_json(
            {"accepted": done.accepted, "rejected": done.rejected, "time": done.time, "reasons": reasons}
        )
    else:
        out = console()
        when = "" if done.time is None else f" at {instant_text(done.time)}"
        out.print(f"{done.accepted} accepted{when}, {done.rejected} rejected")
        for one in reasons[:SHOWN]:
            out.print(f"  line {one['line']}: {one['reason']}")
        if done.rejected > SHOWN:
            out.print(f"  ... and {done.rejected - SHOWN} more: system/dead_letters in the warehouse has all")
    if done.rejected:
        raise typer.Exit(1)

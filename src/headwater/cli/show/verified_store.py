"""`headwater verify --store`: each part of the store, equal or not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from headwater.cli.input.opening import open_to_write
from headwater.cli.show.output import console, print_json, progress_console

if TYPE_CHECKING:
    from headwater.serve.store.keeping.verification import VerifiedPart

__all__ = ["verify_the_store"]


def verify_the_store(folder: Path, repair: bool, quiet: bool, as_json: bool) -> None:
    """Exit status 1 if a part differs, also if it was mended."""
    project = open_to_write(folder, last_good=True)
    with progress_console().status("comparing the store ..."):
        parts = project.verify_store(repair)
    if as_json:
        print_json({"repaired": repair, "parts": [asdict(part) for part in parts]})
    else:
        for part in parts:
            if not (quiet and part.equal):
                console().print(_line(part, repair))
    if any(part.equal is False for part in parts):
        raise typer.Exit(1)


def _line(part: VerifiedPart, repair: bool) -> str:
    if part.equal is None:
        return f"{part.kind} {part.part}: not compared: {part.problem}"
    if part.equal:
        return f"{part.kind} {part.part}: equal ({part.rows:,} rows)"
    mended = "; loaded anew" if repair else ""
    return f"{part.kind} {part.part}: DIFFERENT ({part.rows:,} rows, {part.expected:,} expected){mended}"

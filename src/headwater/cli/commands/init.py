"""`headwater init`: a runnable starter project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import console, print_json
from headwater.errors import shown_folder

__all__ = ["init"]


def init(
    folder: Annotated[
        Path, typer.Argument(callback=local_folder, metavar="DIR", help="A new or empty folder.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Write a starter project that runs as it is: a small shop with tables, views and changes to try.

    Example: `headwater init shop && headwater run shop`
    """
    from headwater.starter import write_starter

    written = write_starter(folder, folder.resolve().name)
    if as_json:
        print_json({"project": str(folder), "files": [str(path) for path in written]})
        return
    out, typed = console(), shown_folder(folder)
    out.print(f"Wrote {len(written)} files to {folder}. Next:")
    out.print(f"  headwater plan {typed}")
    out.print(f"  headwater run {typed}            (Ctrl-C stops it; start it again, nothing is lost)")
    out.print(f"  less {typed}/README.md           (what to type in another terminal)")

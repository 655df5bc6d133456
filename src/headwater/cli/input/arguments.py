"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.show.output import show_progress
from headwater.project.addresses import refuse_address

__all__ = ["JsonOption", "ProjectFolder", "QuietOption", "local_folder"]


def local_folder(folder: Path) -> Path:
    """The folder that an option names, unless it is an address."""
    refuse_address(str(folder), "the folder")
    return folder


ProjectFolder = Annotated[
    Path,
    typer.Argument(
        metavar="DIR",
        help="The project's folder: headwater.yml and SQL files. If it is left out, the current folder.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the answer, or the error, as JSON; its fields are stable.")
]


def _set_quiet(quiet: bool) -> bool:
    show_progress(not quiet)
    return quiet


QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", callback=_set_quiet, help="No progress, and no answer but what is wrong or --json."
    ),
]

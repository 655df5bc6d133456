"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["JsonOption", "ProjectFolder"]

ProjectFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The project's folder: headwater.yml and SQL files.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON; its fields are a contract.")]

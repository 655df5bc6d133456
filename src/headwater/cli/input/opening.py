"""A project opened by a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.input.without_pandas import arrow_without_pandas

if TYPE_CHECKING:
    from headwater.api import Headwater

__all__ = ["open_last_good", "open_to_write"]


def open_last_good(folder: Path) -> Headwater:
    """Open a project; while its SQL files are wrong, as they were when last right. One line says so."""
    import headwater

    arrow_without_pandas()
    project = headwater.open(str(folder), last_good=True)
    if project.problem:
        print(f"Warning: {project.problem}", file=sys.stderr)
    return project


def open_to_write(folder: Path, last_good: bool = False) -> Headwater:
    """Open a project; what the process writes from now on, with its JVM, is as private as the warehouse."""
    import headwater
    from headwater.storage.permissions import umask_for

    arrow_without_pandas()
    project = open_last_good(folder) if last_good else headwater.open(str(folder))
    current = os.umask(0o077)  # there is no other way to ask for it
    os.umask(umask_for(project.warehouse.root, current))
    return project

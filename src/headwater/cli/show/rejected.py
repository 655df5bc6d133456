"""Rejected rows, as every screen warns of them: on standard error, so that an answer can be piped on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from headwater.cli.show.output import progress_console
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.capture.rejected import Rejected

__all__ = ["rejected_of", "sources_of", "warn_of_rejected"]


def warn_of_rejected(project: Headwater, tables: Collection[str] | None = None) -> None:
    """One line for each source of which too many rows were rejected; `tables`: only of these.

    An aside of a command that has done what it was asked: it never fails for it.
    """
    try:
        by_table = project.rejected(tables)
    except HeadwaterError as error:
        text = f"Warning: what was rejected before cannot be counted: {error.message}"
        progress_console(even_if_quiet=True).print(text, style="yellow", soft_wrap=True, markup=False)
        return
    for rejected in by_table.values():
        if rejected.too_many:
            text = f"Warning: {rejected.warning(project.project.folder)}"
            progress_console(even_if_quiet=True).print(text, style="yellow", soft_wrap=True, markup=False)


def rejected_of(project: Headwater, view: str) -> dict[str, Rejected]:
    """The sources of a view of which rows were rejected, however few."""
    return project.rejected(sorted(project.catalog.sources(view)))


def sources_of(project: Headwater, names: Iterable[str]) -> set[str]:
    """The sources that views read, and those named themselves."""
    catalog = project.catalog
    return {
        source for name in names for source in (catalog.sources(name) if name in catalog.kept else {name})
    }

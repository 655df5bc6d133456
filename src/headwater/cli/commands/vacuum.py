"""`headwater vacuum`: delete what no view, reader or retention needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.show.output import console, print_json, print_table, progress_console
from headwater.cli.show.storage_tables import size_text, vacuum_json

__all__ = ["vacuum"]


def vacuum(
    folder: ProjectFolder,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be deleted.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete the files that tables no longer use, orphans of failed pushes, and old versions of views.

    Nothing is deleted that was written or in use within `retention.reads` (1 hour). A run does the same by
    itself when it starts and every ten minutes; beside one, whole tables are left to it. `headwater status
    DIR --storage` shows all that is stored.

    Example: `headwater vacuum shop --dry-run`
    """
    import headwater

    project = headwater.open(str(folder))
    with _progress() as show:
        vacuumed = project.vacuum(dry_run, show)
    if as_json:
        print_json({"dry_run": dry_run, **vacuum_json(vacuumed)})
        return
    if vacuumed.removed:
        print_table(
            "",
            ("table", "kind", "what", "files", "size"),
            [
                (gone.table, gone.kind, gone.why, f"{gone.files:,}", size_text(gone.bytes))
                for gone in vacuumed.removed
            ],
            right=("files", "size"),
        )
    out = console()
    done = "would be deleted" if dry_run else "deleted"
    out.print(f"{vacuumed.files:,} files, {size_text(vacuumed.bytes)}, {done}")
    if vacuumed.waiting_bytes:
        out.print(f"{size_text(vacuumed.waiting_bytes)} wait until nobody can need them (retention.reads)")
    if vacuumed.left_to_run:
        out.print(f"left to the run that keeps the project: {', '.join(vacuumed.left_to_run)}")


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Names the table being looked at, where somebody watches."""
    if not sys.stderr.isatty():
        yield lambda table: None
        return
    with progress_console().status("looking ...") as spinner:
        yield lambda table: spinner.update(f"looking at {table} ...")

"""`headwater ingest`: changes from a file of JSON lines, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.opening import open_to_write
from headwater.cli.show.output import console, print_json, progress_console
from headwater.cli.show.rejected import warn_of_rejected
from headwater.clock import instant_text
from headwater.errors import shown_folder
from headwater.units import byte_text

if TYPE_CHECKING:
    from headwater.capture.intake.append import Appended
    from headwater.model import Table

__all__ = ["ingest"]

SHOWN = 10
LARGE = 20_000_000  # bytes of a file from which on progress is shown
SHOW_EVERY = 0.1  # of the file, where there is no terminal


def ingest(
    folder: ProjectFolder,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A table of the project.")],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help=".jsonl, .csv or .parquet; - reads standard input.")
    ],
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="jsonl, csv or parquet; default: as the ending says."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", metavar="C", help="Of CSV; default: a comma.")
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            "--token",
            metavar="ID",
            help="An id of this batch, so that it can be repeated after any failure and is stored once.",
        ),
    ] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Do not stop at 100 wrong records in a row.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Append the rows of a file. A JSON line may also be `{"op": "insert|delete|update|upsert", "row": ...}`.

    All valid records become visible at one time. The others go to the dead letters with their reason, and the
    exit status is 1. After 100 wrong records in a row it stops, says what is probably wrong, and stores
    nothing. Works beside a run.

    With `--batch ID`, a batch that was stored before (its process was killed, or its answer was lost) is not
    stored again, whatever the file holds now: the answer is that of the first time. Each table remembers its
    last 1,000 ids.

    Examples: `headwater ingest shop orders new_orders.jsonl --batch 2026-01-31`,
    `headwater ingest shop customers customers.csv`
    """
    from headwater.capture.ingest_file import FileFormat

    project = open_to_write(folder, last_good=True)
    path = "/dev/stdin" if str(file) == "-" else str(file)
    with _progress(path) as show:
        appended = project.ingest_file(
            table, path, batch, form=FileFormat(form, _character(delimiter)), keep_going=keep_going, show=show
        )
    if as_json:
        print_json(_answer(appended))
    else:
        _print(appended, project.table(table), path, f"headwater dead-letters {shown_folder(folder)} {table}")
    warn_of_rejected(project, {project.table(table).name})
    if appended.rejected:
        raise typer.Exit(1)


def _character(delimiter: str | None) -> str | None:
    """What is meant by \\t, which most shells pass on as two characters."""
    return "\t" if delimiter == "\\t" else delimiter


def _answer(appended: Appended) -> dict[str, Any]:
    return {
        "accepted": appended.accepted,
        "rejected": appended.rejected,
        "time": None if appended.time is None else instant_text(appended.time),
        "repeated": appended.repeated,
        "reasons": [
            {"line": rejection.line, "reason": rejection.reason, "record": rejection.text}
            for rejection in appended.reasons[:1000]
        ],
    }


def _print(appended: Appended, table: Table, path: str, listing: str) -> None:
    from headwater.capture.errors_in_a_row import likely_cause

    out = console()
    when = "" if appended.time is None else f" at {instant_text(appended.time)}"
    stored = "already stored: " if appended.repeated else ""
    out.print(f"{stored}{appended.accepted} accepted{when}, {appended.rejected} rejected")
    if not appended.accepted and not appended.rejected:
        out.print(f"{path} holds no record.", markup=False)
    for rejection in appended.reasons[:SHOWN]:
        out.print(f"  line {rejection.line}: {rejection.reason}", markup=False)
    if appended.rejected > SHOWN and not appended.repeated:
        out.print(f"  ... and {appended.rejected - SHOWN:,} more; {listing} lists them")
    if appended.reasons and not appended.accepted:
        out.print(likely_cause(table, appended.reasons, path), markup=False)


class _Progress:
    """Shows how much of a large file was read: in place on a terminal, else a line for every tenth."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._console = progress_console()
        self._shown = 0.0
        self.status = self._console.status(f"reading {path} ...") if self._console.is_terminal else None

    def __call__(self, read: int, size: int) -> None:
        if size < LARGE:
            return
        text = f"{self._path}: {byte_text(read)} of {byte_text(size)} read"
        if self.status is not None:
            self.status.update(text if read < size else f"{text}; storing ...")
        elif read / size >= self._shown + SHOW_EVERY:
            self._shown = read / size
            self._console.print(text, soft_wrap=True)


@contextmanager
def _progress(path: str) -> Iterator[_Progress]:
    progress = _Progress(path)
    if progress.status is None:
        yield progress
        return
    with progress.status:
        yield progress

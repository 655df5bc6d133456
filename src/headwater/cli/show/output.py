"""How commands speak: tables for people on standard output, JSON on request, errors on standard error."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from rich.console import Console

from headwater.cli.show.tables import Column, fit, render
from headwater.serve.json_text import to_json

__all__ = [
    "console", "print_indented", "print_json", "print_table", "progress_console", "show_progress", "to_json",
]  # fmt: skip

WIDE = 160
NARROW = 40  # on a narrower screen lines go on in the next one, as the terminal has it


def console() -> Console:
    """Standard output, for answers: lines end between words in a terminal, and are whole elsewhere."""
    soft_wrap = not _is_screen(sys.stdout)
    return Console(
        file=sys.stdout, highlight=False, markup=False, soft_wrap=soft_wrap, width=_width(sys.stdout)
    )


@dataclass(slots=True)
class _Progress:
    shown: bool = True


_progress = _Progress()


def show_progress(shown: bool) -> None:
    """Whether progress is shown in this process, from now on."""
    _progress.shown = shown


def progress_console(even_if_quiet: bool = False) -> Console:
    """Standard error, for progress and warnings: they never mix with an answer that is piped on."""
    return Console(
        file=sys.stderr,
        highlight=False,
        markup=False,
        width=_width(sys.stderr),
        quiet=not (_progress.shown or even_if_quiet),
    )


def _is_screen(stream: TextIO) -> bool:
    return stream.isatty() or _columns() > 0


def _columns() -> int:
    """What COLUMNS says; 0 if that is nothing, or no width."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isascii() and columns.isdigit() else 0


def _width(stream: TextIO) -> int | None:
    """A terminal knows its width, also when it changes; a file or a pipe has room for a row in one line."""
    if not _is_screen(stream):
        return WIDE
    columns = _columns()
    if columns or shutil.get_terminal_size().columns < NARROW:
        return max(NARROW, columns)
    return None


def print_json(answer: Any) -> None:
    print(to_json(answer))


def print_indented(line: str, indent: int) -> None:
    """A line that goes on below its text, not at the margin, where the screen is too narrow for it."""
    out = console()
    if not out.soft_wrap:
        wrapped = textwrap.wrap(line, out.width, subsequent_indent=" " * indent, break_long_words=False)
        line = "\n".join(wrapped)
    out.print(line, markup=False)


def print_table(
    title: str, columns: Sequence[str | Column], rows: Iterable[Sequence[object]], right: Sequence[str] = ()
) -> None:
    """A table that fits the screen; columns named in `right` are aligned to the right."""
    given = [column if isinstance(column, Column) else Column(column, column in right) for column in columns]
    out = console()
    fitted = fit(given, rows, out.width)
    if title:
        out.print(title, style="italic", markup=False)
    out.print(render(fitted))
    if fitted.left_out:
        out.print(f"Not shown here: {', '.join(fitted.left_out)}.", markup=False)

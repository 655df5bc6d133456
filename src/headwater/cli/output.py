"""How commands speak: tables for people on standard output, JSON on request, errors on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table

__all__ = ["console", "print_json", "print_table", "progress_console", "say_stopping", "to_json"]

WIDE = 160


def console() -> Console:
    """Standard output, for answers."""
    return Console(file=sys.stdout, highlight=False, soft_wrap=True, width=_width(sys.stdout))


def progress_console() -> Console:
    """Standard error, for progress: it never mixes with an answer that is piped on."""
    return Console(file=sys.stderr, highlight=False, width=_width(sys.stderr))


def say_stopping() -> None:
    """Said by handlers of Ctrl-C: unbuffered, since the signal may come while another line is printed."""
    os.write(2, b"stopping: pushes under way end first (Ctrl-C again ends at once)\n")


def _width(stream: TextIO) -> int | None:
    """A terminal knows its width; a file or a pipe has room enough for a table's cells in one line."""
    return None if stream.isatty() or "COLUMNS" in os.environ else WIDE


def _plain(value: object) -> object:
    match value:
        case datetime() | date():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return str(value)
        case bytes():
            return value.hex()
        case set() | frozenset():
            return sorted(value)
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")


def to_json(answer: Any) -> str:
    """JSON text; instants as ISO 8601, durations in seconds, decimals as exact text, bytes as hex."""
    return json.dumps(answer, indent=2, default=_plain, allow_nan=False)


def print_json(answer: Any) -> None:
    print(to_json(answer))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[str] = ()
) -> None:
    """A readable table; columns named in `right` are aligned to the right."""
    table = Table(title=title or None, title_justify="left", header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    console().print(table)

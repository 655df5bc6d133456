"""What keeps a table from being captured, as `status` and `capture` print it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.cli.show.output import console
from headwater.clock import instant_text

if TYPE_CHECKING:
    from headwater.storage.records.capture_health import WaitingFile

__all__ = ["print_capture_problems"]

SHOWN = 5


def print_capture_problems(table: str, error: str, waiting: Sequence[WaitingFile], detail: str = "") -> None:
    """One line for what is wrong with a table's capture, and for each of the first files that wait."""
    out = console()
    if error:
        words = f" ({detail})" if detail else ""
        out.print(f"{table}: {error}{words}", style="red")
    for file in waiting[:SHOWN]:
        out.print(
            f"{table}: {file.file} waits since {instant_text(file.since)}: {file.reason} "
            f"(tried {file.failures} times)",
            style="red",
        )
    if len(waiting) > SHOWN:
        out.print(f"{table}: ... and {len(waiting) - SHOWN} more files wait", style="red")

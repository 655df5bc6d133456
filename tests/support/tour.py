"""The tour of the README: its commands with the outputs printed below them, compared with real ones, and renewed.

A line `...` stands for any lines.  What another run cannot repeat is not compared: instants, seconds, dollars,
CPU, how wide a table's lines are, and of the bill anything but the names of its lines (who types slowly has
late rows), and the order of a table's rows.  Everything else is: every row, every count, every verdict.

    headwater read shop big as of 2026-01-01T00:00:00.000000Z (1.5 s ago)
    headwater read shop big as of T (S ago)                                   as it is compared
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Shown", "differing", "renewed", "shown_in", "taken", "tour_of", "with_outputs"]

ELLIPSIS = "..."
_MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"), "T"),
    (re.compile(r"\b[\d.,]+ s\b"), "S"),
    (re.compile(r"\b\d+\.\d{4,6}\b"), "$"),
    (re.compile(r"\b\d[\d,]*\.\d\b"), "N"),
    (re.compile(r"[━─┳┻╇┴┬]+"), "-"),
    (re.compile(r"\s+"), " "),
)
_COSTS = re.compile(r"^([│┃][^│┃]*).*")
_BROKEN = re.compile(r"^(no violation|[\d,]+ rows? came late, [^;]*)")


@dataclass(frozen=True)
class Shown:
    """A command of the tour and the lines printed below it."""

    command: str
    lines: tuple[str, ...]


def tour_of(readme: str) -> str:
    return readme.split("## Five minutes")[1].split("\n## ")[0]


def shown_in(tour: str) -> list[Shown]:
    """The commands in order, whichever block they stand in."""
    commands: list[Shown] = []
    for block in re.findall(r"^```\n(.*?)^```$", tour, re.M | re.S):
        for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *lines = piece.rstrip("\n").split("\n")
            commands.append(Shown(command, tuple(lines)))
    return commands


def masked(line: str, command: str) -> str:
    """A line as it is compared."""
    for pattern, instead in _MASKS:
        line = pattern.sub(instead, line)
    if " bill " in command:
        line = _BROKEN.sub("promises", _COSTS.sub(r"\1", line))
    return line.strip()


def in_order(lines: Sequence[str], command: str) -> list[str]:
    """The rows of each table in the order of what is compared of them."""
    ordered: list[str] = []
    for is_row, block in groupby(lines, lambda line: line.startswith("│")):
        rows = list(block)
        ordered += sorted(rows, key=lambda line: masked(line, command)) if is_row else rows
    return ordered


def differing(shown: Shown, real: Sequence[str]) -> str:
    """What is printed and does not come, or comes and is not printed; nothing if all is well."""
    try:
        renewed(shown, real)
    except ValueError as error:
        return str(error)
    return ""


def renewed(shown: Shown, real: Sequence[str]) -> Shown:
    """The same lines as a real run printed them; ValueError if they are others."""
    lines, at, free = list[str](), 0, False
    real = in_order(real, shown.command)
    wanted = [masked(line, shown.command) for line in real]
    for line in in_order(shown.lines, shown.command):
        if line == ELLIPSIS:
            lines, free = [*lines, line], True
            continue
        mask = masked(line, shown.command)
        found = next((n for n in range(at, len(real)) if wanted[n] == mask), None) if free else at
        if found is None or found >= len(real) or wanted[found] != mask:
            came = "\n".join(real)
            raise ValueError(f"$ {shown.command}\nprinted, but did not come: {line}\nwhat came:\n{came}")
        lines, at, free = [*lines, real[found]], found + 1, False
    if not free and at < len(real):
        raise ValueError(f"$ {shown.command}\ncame, but is not printed: {real[at]}")
    return Shown(shown.command, tuple(lines))


def taken(shown: Shown, real: Sequence[str]) -> Shown:
    """What the README is to print from now on: all lines, or, of an excerpt, the same ones."""
    return renewed(shown, real) if ELLIPSIS in shown.lines else Shown(shown.command, tuple(real))


def with_outputs(readme: str, renewals: Sequence[Shown]) -> str:
    """The README with the lines of a real run."""
    tour = tour_of(readme)
    text = tour
    for shown, new in zip(shown_in(tour), renewals, strict=True):
        before, after = ("\n".join((f"$ {each.command}", *each.lines)) for each in (shown, new))
        text = text.replace(before, after, 1)
    return readme.replace(tour, text)

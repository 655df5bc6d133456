"""Tables that fit the screen they are shown on.

No word and no number is ever broken.  Columns in which nothing stands, or nothing but zeros, are left out if
they say so.  Then, while the table is wider than the screen, the least important column goes; its name is
returned, so that the screen can say what it does not show.  Texts wrap between words.  If even that is too
wide, the rows become records: a line for each cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

__all__ = ["Column", "Fitted", "fit", "render"]

SHORT_LINE = 24
EDGES = 3  # what a column takes besides its text: a line and two spaces
ZEROS = frozenset("0.,$%s- ")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    right: bool = False
    rank: int = 0  # the highest go first when there is no room; 0 never goes
    unless_zero: bool = False  # left out if all its cells are empty or zero


@dataclass(frozen=True, slots=True)
class Fitted:
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[int, ...]  # of the columns; none: not even words fit beside each other
    left_out: tuple[str, ...] = ()  # for want of room


@dataclass(frozen=True, slots=True)
class _Measured:
    """A column with the width of its longest line, and the least that breaks no word and no number."""

    at: int
    column: Column
    most: int
    least: int

    @property
    def readable(self) -> int:
        """What it should have: a text in lines of a few words is still easy to read."""
        return min(self.most, max(self.least, SHORT_LINE))


def fit(columns: Sequence[Column], rows: Iterable[Sequence[object]], width: int) -> Fitted:
    """The columns that can be shown, and how wide they are."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    shown = [
        _measured(at, column, [row[at] for row in cells])
        for at, column in enumerate(columns)
        if not (column.unless_zero and all(not set(row[at]) - ZEROS for row in cells))
    ]
    all_shown, left_out = tuple(shown), list[str]()
    while _total(column.readable for column in shown) > width and any(column.column.rank for column in shown):
        least = max(shown, key=lambda column: (column.column.rank, column.at))
        shown.remove(least)
        left_out.insert(0, least.column.name)
    widths = _widths(shown, width)
    if not widths:  # records have room for all
        shown, left_out = list(all_shown), []
    return Fitted(
        tuple(column.column for column in shown),
        tuple(tuple(row[column.at] for column in shown) for row in cells),
        widths,
        tuple(left_out),
    )


def _measured(at: int, column: Column, cells: Sequence[str]) -> _Measured:
    lines = [_longest(text.splitlines()) for text in (column.name, *cells)]
    words = [_longest(column.name.split()), *(_longest(cell.split()) for cell in cells)]
    return _Measured(at, column, max(lines), max(lines) if column.right else max(words))


def _longest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def _total(widths: Iterable[int]) -> int:
    return 1 + sum(EDGES + width for width in widths)


def _widths(shown: Sequence[_Measured], width: int) -> tuple[int, ...]:
    """The widest columns give way first, none below its longest word."""
    widths = [column.most for column in shown]
    while _total(widths) > width:
        widest = max(range(len(shown)), key=lambda at: (widths[at] > shown[at].least, widths[at]), default=0)
        if not shown or widths[widest] <= shown[widest].least:
            return ()
        widths[widest] -= 1
    return tuple(widths)


def render(fitted: Fitted, styles: Sequence[str] = ()) -> RenderableType:
    """What a console prints; `styles` are of the rows."""
    if not fitted.widths:
        return _records(fitted)
    table = Table(header_style="bold")
    for column, width in zip(fitted.columns, fitted.widths, strict=True):
        table.add_column(column.name, justify="right" if column.right else "left", width=width)
    for number, row in enumerate(fitted.rows):
        table.add_row(*map(Text, row), style=styles[number] if styles else "")
    return table


def _records(fitted: Fitted) -> Table:
    table = Table(box=box.SIMPLE, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in fitted.rows:
        for column, cell in zip(fitted.columns, row, strict=True):
            if cell:
                table.add_row(column.name, Text(cell))
        table.add_section()
    return table

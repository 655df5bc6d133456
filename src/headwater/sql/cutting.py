"""Cut a statement out of a file: all else stays as it was, to the byte.

What goes is the statement from its first word to its semicolon, and the line end after it if nothing else
stands on its lines.  Comments stay, also those above it: nobody can tell for certain whom they describe.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.sql.ddl import parse_statements, split_statements
from headwater.sql.lexer import Source, lex

__all__ = ["Piece", "cut_view", "pieces"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement of a file: `text` as written with its semicolon, and where it stands."""

    start: int
    end: int
    text: str
    view: str  # the view it declares, or ""
    comments: str = ""  # what stands between it and the statement before


def pieces(text: str, path: str = "<sql>") -> tuple[Piece, ...]:
    """The file's statements, in order."""
    source = Source(path, text)
    found: list[Piece] = []
    for words, gap_start in split_statements(source):
        tokens = words.rest()
        start, end = tokens[0].start, tokens[-1].end
        declared = parse_statements(text[start:end], path).views if words.peek().word == "CREATE" else ()
        name = declared[0].name if declared else ""
        found.append(Piece(start, end, text[start:end] + ";", name, text[gap_start:start].strip()))
    return tuple(found)


def cut_view(text: str, view: str, path: str = "<sql>") -> str | None:
    """The file without the view's declaration; None if nothing but comments would be left."""
    every = pieces(text, path)
    mine = next(one for one in every if one.view.lower() == view.lower())
    if len(every) == 1:
        return None
    end = _after_semicolon(Source(path, text), mine.end)
    start, end = _with_line_end(text, mine.start, end)
    return text[:start] + text[end:]


def _after_semicolon(source: Source, end: int) -> int:
    after = next((token for token in lex(source) if token.start >= end), None)
    return after.end if after is not None and after.word == ";" else end


def _with_line_end(text: str, start: int, end: int) -> tuple[int, int]:
    """Take the line end along when the statement has its lines for itself."""
    before = text[:start].rpartition("\n")[2]
    rest = text[end:]
    line = rest.partition("\n")[0]
    if before.strip() or line.strip():
        return start, end
    return start - len(before), end + len(line) + (1 if "\n" in rest else 0)

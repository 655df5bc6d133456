"""A place in a user's file, for errors that point there."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache

from headwater.errors.redaction import HIDDEN
from headwater.errors.secrets import source_spans

__all__ = ["Place"]


_AROUND = 120  # characters of a long line shown on either side of a place


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a user's file. Lines and columns count from one; `text` is the line without its secrets."""

    path: str
    line: int
    column: int
    text: str = ""
    length: int = 1
    caret: tuple[int, int] | None = None  # from, to in `text`, where hidden secrets move it
    secrets: tuple[str, ...] = field(default=(), repr=False, compare=False)  # those of the line

    @staticmethod
    def at(path: str, source: str, offset: int, length: int = 1) -> Place:
        """The place of a character offset in a file's text."""
        starts = _line_starts(source)
        line = bisect_right(starts, offset)
        start, end = starts[line - 1], starts[line] - 1 if line < len(starts) else len(source)
        text = source[start:end].rstrip("\r")
        column, length = offset - start, max(1, length)
        spans = [
            (max(0, secret - start), min(len(text), after - start))
            for secret, after in source_spans(source)
            if secret < start + len(text) and after > start
        ]
        if not spans:
            return Place(path, line, column + 1, text, length)
        caret = _shown_at(column, spans), max(_shown_at(column, spans) + 1, _shown_at(column + length, spans))
        secrets = tuple(spelling for secret, after in spans for spelling in _spellings(text[secret:after]))
        return Place(path, line, column + 1, _hidden(text, spans), length, caret, secrets)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """The line with a caret below the place, as compilers print it; of a long line what is around it."""
        start, end = self.caret or (self.column - 1, self.column - 1 + self.length)
        left = max(0, min(start - _AROUND, len(self.text) - 2 * _AROUND))
        right = min(len(self.text), left + 2 * _AROUND)
        before, after = "... " * (left > 0), " ..." * (right < len(self.text))
        gutter = f"{self.line:>4} | "
        caret = " " * (start - left + len(before)) + "^" * max(1, min(end, right) - start)
        return f"{gutter}{before}{self.text[left:right]}{after}\n{' ' * (len(gutter) - 2)}| {caret}"


@lru_cache(maxsize=8)
def _line_starts(source: str) -> tuple[int, ...]:
    """Where each line begins: thousands of places are asked for in one file."""
    return (0, *(match.end() for match in re.finditer("\n", source)))


Spans = list[tuple[int, int]]


def _spellings(secret: str) -> set[str]:
    """A secret as a message may quote it: as written, with quotes and backslashes read, or a word of it."""
    return {
        secret,
        secret.replace("''", "'"),
        re.sub(r"\\(.)", r"\1", secret),
        *re.findall(r"\w{3,}", secret),
    }


def _hidden(text: str, spans: Spans) -> str:
    """The line with each of these stretches hidden."""
    for start, end in reversed(spans):
        text = text[:start] + HIDDEN + text[end:]
    return text


def _shown_at(column: int, spans: Spans) -> int:
    """Where a column stands once the stretches are hidden; inside one of them, where that begins."""
    shift = 0
    for start, end in spans:
        if column >= end:
            shift += len(HIDDEN) - (end - start)
        elif column > start:
            return start + shift
    return column + shift

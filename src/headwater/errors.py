"""Errors tell the person who must act what is wrong, where, why and what to do.

Every error is data first (fields that `--json` and the Python API show) and text second
(`str(error)`, which the command line prints).  The exit status belongs to the kind of error:

    HeadwaterError
      InputError      wrong input: a misspelt column, a broken file          exit 2
      RefusedError    the answer is no: a promise that cannot be kept        exit 1
      InternalError   our own bug; names the part that failed                exit 70
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["HeadwaterError", "InputError", "InternalError", "Place", "RefusedError", "did_you_mean"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a user's file. Lines and columns count from one; `text` is the whole line."""

    path: str
    line: int
    column: int
    text: str = ""
    length: int = 1

    @staticmethod
    def at(path: str, source: str, offset: int, length: int = 1) -> Place:
        """The place of a character offset in a file's text."""
        before = source[:offset]
        line = before.count("\n") + 1
        start = before.rfind("\n") + 1
        end = source.find("\n", start)
        text = source[start:] if end < 0 else source[start:end]
        return Place(path, line, offset - start + 1, text.rstrip("\r"), max(1, length))

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """The line with a caret below the place, as compilers print it."""
        gutter = f"{self.line:>4} | "
        caret = " " * (self.column - 1) + "^" * min(self.length, max(1, len(self.text) - self.column + 1))
        return f"{gutter}{self.text}\n{' ' * (len(gutter) - 2)}| {caret}"


class HeadwaterError(Exception):
    """An error with fields: `code` is stable, `message` is one line, the rest may be empty."""

    exit_status = 2

    def __init__(
        self, code: str, message: str, *, place: Place | None = None, detail: str = "", hint: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.place is not None:
            lines.append(f"  at {self.place}")
            if self.place.text:
                lines.append(self.place.excerpt())
        if self.detail:
            lines.append(f"Detail: {self.detail}")
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return "\n".join(lines)

    def fields(self) -> dict[str, object]:
        """The error as `--json` shows it."""
        place = self.place
        where = None if place is None else {"path": place.path, "line": place.line, "column": place.column}
        return {
            "code": self.code,
            "message": self.message,
            "place": where,
            "detail": self.detail,
            "hint": self.hint,
        }


class InputError(HeadwaterError):
    """Wrong input. Nothing has been written."""


class RefusedError(HeadwaterError):
    """The question was understood and the answer is no."""

    exit_status = 1


class InternalError(HeadwaterError):
    """A bug of ours: an invariant that should have held did not."""

    exit_status = 70


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """'did you mean "x"?' for the nearest known name, or an empty string."""
    folded = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return f'did you mean "{folded[close[0]]}"?' if close else ""

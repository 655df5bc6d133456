"""Errors that a row causes: a division by zero, a text that is no number, an overflow.

Spark gives every error a condition and an SQLSTATE; the classes 21 and 22 are those of data.  How the
exception is wrapped differs between results that are collected, written and broadcast (which pyspark does not
recognise at all), and between classic Spark and Spark Connect, but the text always holds both:

    [DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to ... SQLSTATE: 22012
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from headwater.engine.push.decide import Job
from headwater.errors import HeadwaterError, Place

__all__ = ["DataError", "RowCause", "row_cause"]

# P0001: raise_error and assert_true.  23505: a map with a key twice.
_DATA = re.compile(
    r"\[([A-Z][A-Z0-9_.]*)\]((?:(?!\[[A-Z_.]+\])[\s\S]){0,2000}?)SQLSTATE:\s*(2[12]\w{3}|P0001|23505)"
)
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class RowCause:
    """Why Spark could not compute a row, in its own words."""

    condition: str  # DIVIDE_BY_ZERO
    text: str  # the first sentence
    fragment: str = ""  # of the SQL that Spark was asked, where it says so


def row_cause(error: BaseException) -> RowCause | None:
    """The cause, if it lies in a row; None for every other error."""
    if not isinstance(error, PySparkException | Py4JError):
        return None
    matches = _DATA.findall(str(error))
    if not matches:
        return None
    condition, text, _ = matches[-1]  # the innermost: those around it say which job and which task
    return RowCause(condition, _first_sentence(text), _fragment(str(error)))


def _first_sentence(text: str) -> str:
    line = " ".join(text.split())
    end = re.search(r"\.(?= [A-Z])", line)
    sentence = line[: end.start()] if end else line
    return sentence if len(sentence) <= _LONGEST else sentence[: _LONGEST - 3] + "..."


def _fragment(text: str) -> str:
    """What the carets stand below, in the lines after `== SQL (line 1, position 8) ==`."""
    lines = text.partition("== SQL")[2].splitlines()[1:]
    for line, marks in zip(lines, lines[1:], strict=False):
        if marks.strip() and not marks.strip("^ "):
            start = marks.index("^")
            return line[start : start + marks.count("^")].strip()[:_LONGEST]
    return ""


class DataError(HeadwaterError):
    """A stage that no attempt could compute, because of rows of what it reads.

    `recomputed`: not even anew, so that the view's SQL itself fails.  `where`: for which row, in which
    expression, as far as that is known.  `view` is the one it is said of: the stage's, or one that reads it.
    """

    def __init__(
        self,
        job: Job,
        cause: RowCause,
        recomputed: bool,
        where: str,
        view: str = "",
        place: Place | None = None,
        hint: str = "",
    ) -> None:
        self.job, self.cause, self.recomputed, self.where = job, cause, recomputed, where
        self.view = view or job.kept.view
        failing = "its" if self.view == job.kept.view else f'it reads "{job.kept.view}", whose'
        what = "SQL fails" if recomputed else "changes cannot be computed"
        advice = f"; {hint}" if hint else ""
        message = f"{failing} {what} {where}: {cause.text} ({cause.condition}){advice}"
        super().__init__("HW834", message, place=place, detail=f"{cause.condition}: {cause.text}", hint=hint)

    def of_reader(self, view: str) -> DataError:
        """The same failure, as it concerns a view that reads the one that fails."""
        return DataError(self.job, self.cause, self.recomputed, self.where, view, self.place, self.hint)

    def explained(self, where: str, place: Place | None, hint: str) -> DataError:
        """The same failure, with what was found out about it."""
        return DataError(self.job, self.cause, self.recomputed, where, self.view, place, hint)

"""The honest third answer: this query was not analysed, because ..."""

from __future__ import annotations

from headwater.errors import Place

__all__ = ["NoBound", "NotAnalysed"]


class NotAnalysed(Exception):
    """Raised below `analyse`, which turns it into an answer; it never reaches a user as an exception."""

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


class NoBound(NotAnalysed):
    """What is written has no bound whatever the tables hold, so that the answer is "unbounded"."""

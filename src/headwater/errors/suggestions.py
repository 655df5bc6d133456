"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """'did you mean "x"?' for the nearest candidate, or an empty string."""
    spellings = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.lower(), spellings, n=1, cutoff=0.6)
    return f'did you mean "{spellings[close[0]]}"?' if close else ""

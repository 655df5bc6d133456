"""What to type instead: names that were misspelt, folders as a shell takes them."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Iterable
from pathlib import Path

__all__ = ["did_you_mean", "shown_folder"]


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """'did you mean "x"?' for the nearest candidate, or an empty string."""
    spellings = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.lower(), spellings, n=1, cutoff=0.6)
    return f'did you mean "{spellings[close[0]]}"?' if close else ""


def shown_folder(folder: str | Path) -> str:
    """A folder as one would type it here."""
    try:
        relative = os.path.relpath(folder)
    except FileNotFoundError:  # the current folder was removed
        relative = str(folder)
    return shlex.quote(str(folder) if relative.startswith("..") else relative)

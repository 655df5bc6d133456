"""Paths as Spark's readers want them.

Spark takes `[`, `{`, `*`, `?` and a backslash in a path for a pattern.  Its option against that,
`__globPaths__`, reads every one of several files once for each of them.
"""

from __future__ import annotations

import re

__all__ = ["literal_path"]

_SPECIAL = re.compile(r"([\[\]{}*?\\])")


def literal_path(path: str) -> str:
    """The path that stands for this one file or folder, whatever characters are in it."""
    return _SPECIAL.sub(r"\\\1", path)

"""Small files replaced in one step: a reader sees the old text or the new one, never half of it."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

__all__ = ["replace_text"]


def replace_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path`, creating its folder if need be."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    draft = f"{os.fspath(path)}.{os.getpid()}-{threading.get_ident()}"  # nobody else writes to it
    try:
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:  # a full disk must not be left with drafts
        with suppress(OSError):
            os.unlink(draft)
        raise

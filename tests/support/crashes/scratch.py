"""A folder for a law that writes a lot."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["scratch_folder"]

MEMORY = "/dev/shm"


@contextmanager
def scratch_folder(tmp_path: Path) -> Iterator[Path]:
    """In memory, if there is such a place: hundreds of thousands of files come and go."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path / "project"
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        yield Path(scratch) / "project"

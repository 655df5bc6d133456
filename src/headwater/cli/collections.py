"""Python's garbage collector, told to look seldom.

Syntax trees and plans are many small objects, all of which are needed to the end of the command; looking
through all of them again and again for circles that could go takes an eighth of the time of a large plan.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["rare_collections"]


@contextmanager
def rare_collections() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)

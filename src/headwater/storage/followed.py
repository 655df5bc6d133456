"""Whether somebody follows the changes of a relation: a mark in its folder, touched by its feeds.

A view that nobody follows may be stored anew instead of by its changes (engine/push/whole.py).  A mark
counts for an hour; a feed touches it when it begins and, as long as it is read, once a minute.  A disk that
takes no marks stops no reader: such a reader may have to begin again.
"""

from __future__ import annotations

import logging
import os
import time

__all__ = ["TOUCH_EVERY", "followed", "note_followed"]

logger = logging.getLogger(__name__)

COUNTS_FOR = 3600.0  # seconds
TOUCH_EVERY = 60.0
_MARK = "_followed"


def note_followed(folder: str) -> None:
    path = os.path.join(folder, _MARK)
    try:
        with open(path, "ab"):
            os.utime(path)
    except OSError as error:
        logger.info("it cannot be noted that %s is followed: %s", folder, error)


def followed(folder: str) -> bool:
    try:
        return time.time() - os.path.getmtime(os.path.join(folder, _MARK)) < COUNTS_FOR
    except FileNotFoundError:
        return False

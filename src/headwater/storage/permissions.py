"""Who may read a warehouse: its owner alone, unless its folder was made for others beforehand.

A new root gets mode 0700, which nobody else can pass, whatever the modes of the files inside: those that
Spark writes, or a program that imports Headwater.  A root that exists keeps its mode, so a group shares a
warehouse by making the folder first: `mkdir warehouse && chmod 2770 warehouse`.

Commands also set their umask by the root, for themselves and the JVM that they start: then files are as open
as the folder, and stay so when they are moved out of it.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

__all__ = ["make_root", "umask_for"]

PRIVATE = 0o700
OTHERS = 0o077


def make_root(root: str) -> None:
    """Make the folder of a warehouse or of a site's storage, if there is none."""
    if os.path.isdir(root):
        return
    os.makedirs(os.path.dirname(os.path.abspath(root)), exist_ok=True)
    with suppress(FileExistsError):  # another process was faster
        os.mkdir(root, PRIVATE)


def umask_for(root: str, current: int) -> int:
    """The umask for a process that writes there: nobody gets more than the root gives; `current` counts too.

    Where the group may write, it is meant to: then its members must be able to, whatever `current` says.
    """
    try:
        mode = stat.S_IMODE(os.stat(root).st_mode)
    except FileNotFoundError:
        return OTHERS
    closed = ~mode & OTHERS
    return closed if mode & stat.S_IWGRP else closed | current

"""How many files a process may have open: Spark alone opens some four hundred jars.

Where it may not, its JVM ends with a stack that speaks of time zones.
"""

from __future__ import annotations

import resource
from contextlib import suppress

from headwater.errors import InputError

__all__ = ["LEAST", "WANTED", "allow_open_files"]

LEAST = 1_024
WANTED = 8_192


def allow_open_files() -> None:
    """Raise the limit as far as the user may, which the JVM inherits; InputError if that is not enough."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now == resource.RLIM_INFINITY:
        return
    wanted = WANTED if most == resource.RLIM_INFINITY else min(WANTED, most)
    if now < wanted:
        with suppress(ValueError, OSError):  # the system may know a lower limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
            now = wanted
    if now < LEAST:
        raise InputError(
            "HW814",
            f"this process may have {now} files open, and Spark needs {LEAST:,}",
            hint=f"Raise the limit of the shell or the service: ulimit -n {WANTED}",
        )

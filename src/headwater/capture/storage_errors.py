"""Failing storage (a full disk, a lost mount) as an error that says what failed, where, and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from deltalake.exceptions import DeltaError

from headwater.errors import HeadwaterError

__all__ = ["StorageError", "storage_errors"]


class StorageError(HeadwaterError):
    """The warehouse could not be written or read; nothing of the call was committed."""

    exit_status = 1


@contextmanager
def storage_errors(what: str, where: str) -> Iterator[None]:
    """Raise errors of the file system and of Delta as StorageError; other errors pass unchanged."""
    try:
        yield
    except (OSError, DeltaError) as error:
        full = getattr(error, "errno", None) == errno.ENOSPC or "No space left" in str(error)
        raise StorageError(
            "HW860",
            f"{what}: " + ("the disk is full" if full else f"the warehouse {where} cannot be used"),
            detail=str(error),
            hint="Free some space and try again." if full else "Nothing was committed; try again.",
        ) from error

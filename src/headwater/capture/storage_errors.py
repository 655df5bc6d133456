"""Failing storage (a full disk, a lost mount) as an error that says what failed, where, and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from deltalake.exceptions import DeltaError

from headwater.errors import HeadwaterError

__all__ = ["NO_SPACE", "StorageError", "failed_storage", "storage_errors"]

NO_SPACE = "No space left"  # how the system, Java and Spark call a full disk


class StorageError(HeadwaterError):
    """The warehouse could not be written or read; nothing of the call was committed."""

    exit_status = 1


@contextmanager
def storage_errors(what: str, where: str) -> Iterator[None]:
    """Raise errors of the file system and of Delta as StorageError; other errors pass unchanged."""
    try:
        yield
    except (OSError, DeltaError) as error:
        full = getattr(error, "errno", None) == errno.ENOSPC or NO_SPACE in str(error)
        raise failed_storage(what, where, str(error), full) from error


def failed_storage(what: str, where: str, detail: str, full: bool) -> StorageError:
    """`full`: the disk is what failed."""
    return StorageError(
        "HW860",
        f"{what}: " + ("the disk is full" if full else f"the warehouse {where} cannot be used"),
        detail=detail,
        hint="Free some space and try again." if full else "Nothing was committed; try again.",
    )

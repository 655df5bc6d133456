"""Checkpoints of a table's log: readers open one file instead of a hundred, and old log files are deleted.

A checkpoint is made after a commit and can never undo it: whatever fails here is logged, and tried again
after the next commits, at growing distances, by this process or by another.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass, field

from deltalake import DeltaTable

from headwater.storage.delta.durable import sync_files

__all__ = ["CHECKPOINT_EVERY", "Checkpoints"]

logger = logging.getLogger(__name__)

CHECKPOINT_EVERY = 100


@dataclass(slots=True)
class Checkpoints:
    """When the log of the table at `path` gets its next checkpoint. Not safe to share between threads."""

    path: str
    durable: bool = False
    _due_at: int | None = field(default=None, init=False)  # the version; None: not looked up yet
    _failures: int = field(default=0, init=False)  # since the last success

    def after(self, version: int) -> None:
        """Make a checkpoint if one is due now that `version` was committed. Never raises."""
        if self._due_at is None or (version >= self._due_at and not self._failures):
            self._due_at = self._last() + CHECKPOINT_EVERY  # another process may have made one
        if version < self._due_at:
            return
        try:
            self._write()
        except Exception:
            self._failures += 1
            self._due_at = version + min(2 ** (self._failures - 1), CHECKPOINT_EVERY)
            logger.warning(
                "the log of %s got no checkpoint at version %d; tried again at version %d",
                self.path, version, self._due_at, exc_info=True,
            )  # fmt: skip
        else:
            self._failures, self._due_at = 0, version + CHECKPOINT_EVERY

    def _write(self) -> None:
        table = DeltaTable(self.path)
        table.create_checkpoint()
        if self.durable:  # before the commits that it stands for are deleted
            log, name = os.path.join(self.path, "_delta_log"), f"{table.version():020d}.checkpoint.parquet"
            sync_files(log, [name, "_last_checkpoint"])
        table.cleanup_metadata()

    def _last(self) -> int:
        """The version of the newest checkpoint; 0 if there is none, or if that cannot be told."""
        try:
            with open(os.path.join(self.path, "_delta_log", "_last_checkpoint"), encoding="utf-8") as file:
                return int(json.load(file)["version"])
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError):
            logger.warning("the last checkpoint of %s is unknown", self.path, exc_info=True)
            return 0

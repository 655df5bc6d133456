"""Files that could not be read: why, since when, and when each is tried again.

The wait doubles with every failure, up to a minute (scheduling/backoff.py).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from headwater.clock import Clock
from headwater.scheduling.backoff import retry_after
from headwater.storage.records.capture_health import WaitingFile

__all__ = ["WaitingFiles"]


@dataclass(slots=True)
class WaitingFiles:
    """The files that wait, by path, in the order in which they began to."""

    clock: Clock
    _files: dict[str, WaitingFile] = field(default_factory=dict, init=False)
    _tried_at: dict[str, int] = field(default_factory=dict, init=False)  # monotonic

    @property
    def files(self) -> tuple[WaitingFile, ...]:
        return tuple(self._files.values())

    def due(self, path: str) -> bool:
        """Whether a file may be tried now: it does not wait, or has waited long enough."""
        waiting = self._files.get(path)
        if waiting is None:
            return True
        return self.clock.monotonic() - self._tried_at[path] >= retry_after(waiting.failures)

    def failed(self, path: str, error: OSError) -> bool:
        """Note a failure; whether it is a new one."""
        before, reason = self._files.get(path), error.strerror or str(error)
        since = self.clock.now() if before is None else before.since
        failures = 1 if before is None else before.failures + 1
        self._files[path] = WaitingFile(path, reason, since, failures)
        self._tried_at[path] = self.clock.monotonic()
        return before is None or before.reason != reason

    def done(self, path: str) -> None:
        """The file was read."""
        self._files.pop(path, None)
        self._tried_at.pop(path, None)

    def keep_only(self, paths: Collection[str]) -> None:
        """Forget the files that are there no longer."""
        for path in [path for path in self._files if path not in paths]:
            self.done(path)

"""How far a replication slot is behind, as `status` shows it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SlotLag"]


@dataclass(frozen=True, slots=True)
class SlotLag:
    """The slot of one database. The bytes are None if the server does not say; then `error` says why."""

    database: str
    slot: str | None  # None: none has been created, or it was dropped
    tables: tuple[str, ...]
    lag_bytes: int | None
    retained_bytes: int | None
    lag_seconds: float | None
    max_lag_bytes: int | None
    active: bool | None  # whether a session reads it just now
    error: str = ""

    @property
    def too_long(self) -> bool:
        return self.max_lag_bytes is not None and (self.lag_bytes or 0) > self.max_lag_bytes

"""Why no view was chosen: raised below `choose`, which gathers the reasons."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):
    """No view of this form serves; `hot` if the only objection is a hot spot."""

    def __init__(self, reason: str, hot: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hot = hot

"""Why no view was chosen: raised below `choose`, which gathers the reasons."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):
    """A view of this form does not serve; `hot` if only a hot spot stands against it."""

    def __init__(self, reason: str, hot: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hot = hot

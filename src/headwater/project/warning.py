"""A warning about a project's files: they work, but not everything in them has an effect."""

from __future__ import annotations

__all__ = ["ProjectWarning"]


class ProjectWarning(UserWarning):
    """Shown to the author of a project; nothing is wrong enough to refuse it."""

"""Frozen nodes that compute their hash once.

Plans and expressions are keys of dictionaries everywhere: facts, equality classes, compiled functions.  A
frozen dataclass hashes its whole tree at every lookup, and a graph that shares sub-plans would be walked as a
tree; a node that remembers its hash is hashed in time linear in its distinct parts, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["Node", "hashed_once"]


class Node:
    """Where a node remembers its hash."""

    __slots__ = ("_hash",)
    _hash: int


N = TypeVar("N", bound=Node)


def hashed_once(cls: type[N]) -> type[N]:
    """Make a frozen node class remember its hash."""
    compute: Callable[[N], int] = cls.__hash__

    def remembered(self: N) -> int:
        try:
            return self._hash
        except AttributeError:
            value = compute(self)
            object.__setattr__(self, "_hash", value)
            return value

    cls.__hash__ = remembered  # type: ignore[assignment,method-assign]
    return cls

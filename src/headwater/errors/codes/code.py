"""One entry of the registry of error codes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Code"]


@dataclass(frozen=True, slots=True)
class Code:
    """What a code means in general; an error of that code adds what is wrong in its case."""

    code: str
    title: str
    cause: str
    remedy: str

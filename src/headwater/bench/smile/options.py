"""Options that a function may or may not have: those it knows are passed, the others are left out."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

__all__ = ["accepted"]


def accepted(function: Callable[..., Any], **wanted: Any) -> dict[str, Any]:
    """The options of `wanted` that `function` takes."""
    known = signature(function).parameters
    return {name: value for name, value in wanted.items() if name in known}

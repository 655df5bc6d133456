"""Options that a function may or may not have: only those it has are passed."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

__all__ = ["accepted"]


def accepted(function: Callable[..., Any], **wanted: Any) -> dict[str, Any]:
    """The options of `wanted` that `function` takes."""
    parameters = signature(function).parameters
    return {name: value for name, value in wanted.items() if name in parameters}

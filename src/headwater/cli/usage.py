"""What helps beside the message of a wrong command line: where an option belongs, and quotes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["add_advice"]


def add_advice(failure: Any) -> None:
    """Add to the message of a usage error what to type instead, where that is known."""
    if failure.ctx is None:
        return
    option = getattr(failure, "option_name", None)
    owners = list(_owners(failure.ctx.find_root().command, option)) if option else []
    if owners:
        failure.message = f"{failure.message}; it belongs to {_listed(owners)}"
        failure.possibilities = None
    elif failure.ctx.command.name == "sql" and "extra argument" in failure.message:
        failure.message = f"{failure.message}: put the SELECT in quotes"


def _owners(group: Any, option: str) -> Iterator[str]:
    """The commands that have such an option."""
    for name in group.commands:
        command = group.commands[name]
        if not hasattr(command, "commands") and any(option in param.opts for param in command.params):
            yield f"headwater {name}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

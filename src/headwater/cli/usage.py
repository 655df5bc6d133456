"""What helps beside the message of a wrong command line: where an option belongs, and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["add_advice"]


def add_advice(failure: Any) -> None:
    """Add to the message of a usage error what to type instead, where that is known."""
    if failure.ctx is None:
        return
    option = getattr(failure, "option_name", None)
    owners = list(_owners(failure.ctx.find_root().command, option)) if option else []
    if len(owners) > MANY:
        failure.message = f"{failure.message}; it belongs behind a command: {owners[0]} {option}"
    elif owners:
        failure.message = f"{failure.message}; it belongs to {_listed(owners)}"
        failure.possibilities = None
    elif word := _ELSEWHERE.get(_unknown_command(failure), ""):
        failure.message = f"{failure.message.split(' Did you mean')[0]} Try `headwater {word}`."
        failure.possibilities = None
    elif failure.ctx.command.name == "sql" and "extra argument" in failure.message:
        failure.message = f"{failure.message}: put the SELECT in quotes"


MANY = 4  # commands have an option: they are not listed
_ELSEWHERE = {  # words of other tools, by the command that does it here
    word: command
    for words, command in (
        ("refresh start up deploy apply build optimize", "run"),
        ("watch", "status --watch"),
        ("ps ls list show tables debug logs", "status"),
        ("describe explain compile parse validate", "plan"),
        ("test", "verify"),
        ("select shell", "sql"),
        ("load insert import seed copy", "ingest"),
        ("new", "init"),
        ("create", "add"),
        ("delete remove rm", "drop"),
        ("gc clean", "vacuum"),
        ("cost costs", "bill"),
    )
    for word in words.split()
}


def _unknown_command(failure: Any) -> str:
    """The word that is no command of `headwater` itself, if that is what is wrong."""
    found = re.match(r"No such command '([^']*)'", failure.message)
    return found[1].lower() if found and failure.ctx.parent is None else ""


def _owners(group: Any, option: str) -> Iterator[str]:
    """The commands that have such an option."""
    for name in group.commands:
        command = group.commands[name]
        if not hasattr(command, "commands") and any(option in param.opts for param in command.params):
            yield f"headwater {name}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

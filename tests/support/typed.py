"""Commands as somebody types them, run in this process, and what they say when they refuse."""

from __future__ import annotations

from headwater.bench.fuzz.steps import Ended
from headwater.cli.in_process import command_in_process

__all__ = ["headwater", "refused"]


def headwater(*words: object) -> Ended:
    return command_in_process([str(word) for word in words])


def refused(*words: object) -> str:
    """The message of a command that refuses its input, in one line and without frames."""
    ended = headwater(*words)
    assert ended.status == 2, ended
    assert "Traceback" not in ended.stderr
    return " ".join(ended.stderr.replace("│", " ").split())

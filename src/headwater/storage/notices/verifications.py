"""Verifications asked for from outside a run (by a page), and what came of them.

    verifications/<view>.asked.json     written by whoever asks, removed by the run that takes it up
    verifications/<view>.json           written by the run: running, done or failed

Each file has one writer and is replaced in one step.  Names of views may hold anything, names of files a
digest of them.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from headwater.storage.replace_text import replace_text

__all__ = ["Asked", "ask_for", "asked", "read_outcome", "take_up", "waits", "write_outcome"]

ASKED = ".asked.json"


@dataclass(frozen=True, slots=True)
class Asked:
    view: str
    at: int
    file: str


def _folder(root: str) -> str:
    return os.path.join(root, "verifications")


def _file(root: str, view: str, ending: str) -> str:
    return os.path.join(_folder(root), hashlib.sha256(view.encode()).hexdigest()[:24] + ending)


def ask_for(root: str, view: str, now: int) -> None:
    """Ask the run that keeps the project to verify a view; asked twice before it begins, it is done once."""
    replace_text(_file(root, view, ASKED), json.dumps({"view": view, "at": now}))


def waits(root: str, view: str) -> bool:
    """Whether it was asked for, and no run has begun it."""
    return os.path.exists(_file(root, view, ASKED))


def asked(root: str) -> list[Asked]:
    """What was asked for, oldest first. Costs a look at a folder."""
    try:
        names = [name for name in os.listdir(_folder(root)) if name.endswith(ASKED)]
    except FileNotFoundError:
        return []
    read = [_read(os.path.join(_folder(root), name)) for name in names]
    requests = [
        Asked(request["view"], request["at"], name)
        for name, request in zip(names, read, strict=True)
        if request is not None
    ]
    return sorted(requests, key=lambda request: request.at)


def take_up(root: str, request: Asked) -> None:
    """From now on it is the run's; whoever asks again meanwhile is answered by another one."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(_folder(root), request.file))


def write_outcome(root: str, view: str, outcome: dict[str, Any]) -> None:
    replace_text(_file(root, view, ".json"), json.dumps(outcome, default=str))


def read_outcome(root: str, view: str) -> dict[str, Any] | None:
    """What the last verification of a view said, or that it goes on; None if there never was one."""
    return _read(_file(root, view, ".json"))


def _read(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            return dict(json.load(file))
    except FileNotFoundError:
        return None

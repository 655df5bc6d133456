"""Which sites answer and which are silent, written by a run for other processes to read.

The file `sites.json` in the warehouse is replaced at every change and every few seconds.  It says when it was
written: after the run has ended it only says how things were then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from headwater.storage.replace_text import replace_text

__all__ = ["SiteHealth", "read_health", "write_health"]


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """A site at an instant. `since`: when it appeared or fell silent; `last_seen`: its last answer."""

    site: str
    alive: bool
    since: int
    last_seen: int | None
    error: str = ""


def _path(root: str) -> str:
    return os.path.join(root, "sites.json")


def write_health(root: str, health: Mapping[str, SiteHealth], now: int) -> None:
    """Replace the file, creating the warehouse folder if need be."""
    text = json.dumps({"at": now, "sites": [asdict(site) for site in health.values()]})
    replace_text(_path(root), text)


def read_health(root: str) -> tuple[int, dict[str, SiteHealth]] | None:
    """When it was written and what it said, or None if no run ever wrote it."""
    try:
        with open(_path(root), encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        return None
    return content["at"], {site["site"]: SiteHealth(**site) for site in content["sites"]}

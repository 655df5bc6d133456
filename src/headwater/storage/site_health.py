"""Which sites answer and which are silent, written by a run for whoever looks from outside.

The file `sites.json` in the warehouse is replaced as a whole at every change and every few seconds.  It says
when it was written: once the run is over it only tells what was then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass

__all__ = ["SiteHealth", "read_health", "write_health"]


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """A site at an instant. `since`: when it came, or fell silent; `last_seen`: its last answer."""

    site: str
    alive: bool
    since: int
    last_seen: int | None
    error: str = ""


def _path(root: str) -> str:
    return os.path.join(root, "sites.json")


def write_health(root: str, health: Mapping[str, SiteHealth], now: int) -> None:
    """Replace what is known; readers see the old or the new, never half of it."""
    os.makedirs(root, exist_ok=True)
    text = json.dumps({"at": now, "sites": [asdict(one) for one in health.values()]})
    half = f"{_path(root)}.{os.getpid()}"
    with open(half, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(half, _path(root))


def read_health(root: str) -> tuple[int, dict[str, SiteHealth]] | None:
    """When it was written and what it said, or None if no run ever wrote it."""
    try:
        with open(_path(root), encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return None
    return found["at"], {one["site"]: SiteHealth(**one) for one in found["sites"]}

"""A filled project, copied in moments: data files by hard link, everything that may change as a real copy.

Parquet files of a Delta table are written once and never changed; a copy that deletes or compacts them only
drops its own link.  Logs, clocks and locks are small and are copied.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

from headwater.bench.smile.workload.project import Shape

__all__ = ["cache_name", "copy_filled", "ready", "set_ready"]

MARKER = "ready.json"


def cache_name(shape: Shape, seed: int, sharing: bool) -> str:
    """The name of a filled project: everything that its content depends on; promises do not matter."""
    views = ",".join(f"{app.name}.{copy}" for app, copy in shape.kept)
    digest = hashlib.sha256(f"{views} {seed}".encode()).hexdigest()[:8]
    kind = "shared" if sharing else "alone"
    return f"{shape.preload}-tweets-{len(shape.kept)}-views-{shape.sites}-sites-{kind}-{digest}"


def ready(folder: Path) -> dict[str, Any] | None:
    """What filling the folder cost, or None if it is not (completely) filled."""
    try:
        return dict(json.loads((folder / MARKER).read_text()))
    except FileNotFoundError:
        return None


def set_ready(folder: Path, cost: dict[str, Any]) -> None:
    (folder / MARKER).write_text(json.dumps(cost, indent=2))


def copy_filled(source: Path, target: Path) -> None:
    """Copy a project that nothing is writing to. `target` must not exist."""
    for folder, _, names in os.walk(source):
        into = target / os.path.relpath(folder, source)
        into.mkdir(parents=True)
        for name in names:
            data = name.endswith(".parquet") and os.path.basename(folder) != "_delta_log"
            (_link if data else shutil.copy2)(os.path.join(folder, name), str(into / name))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without hard links
        shutil.copy2(source, target)

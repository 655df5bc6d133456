"""The command in a process of its own, its seconds and CPU-seconds; and how they divide into parts.

The first of its runs is not counted: it finds nothing compiled and no file in memory.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from headwater.bench.planning.projects import write_six_sites, write_sql, write_windows

__all__ = ["PROJECTS", "Line", "measure"]

PROJECTS: Mapping[str, tuple[str, Callable[[Path], None]]] = {
    "sharings": ("25 sharings, six sites", write_six_sites),
    "sql": ("100 views of SQL", write_sql),
    "windows": ("1,000 woven windows", write_windows),
}
RUNS = 3
_PARTS = """
import json, sys, time
import headwater
from headwater.serve.planning.plan_json import plan_json
imported = time.process_time()
project = headwater.open(sys.argv[1])
opened = time.process_time()
planned = project.plan()
plan_json(planned, planned.views, False)
print(json.dumps([imported, opened - imported, time.process_time() - opened, len(planned.views)]))
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A project: the command as a whole, the best of several, and the CPU of its parts."""

    project: str
    views: int
    seconds: float
    cpu_seconds: float
    import_cpu_s: float
    open_cpu_s: float  # files read, SQL parsed and translated
    plan_cpu_s: float


def measure(name: str, folder: Path) -> Line:
    """Write a project and plan it, again and again."""
    title, write = PROJECTS[name]
    write(folder / name)
    environment = _compiling(folder)
    command = [sys.executable, "-m", "headwater.cli.app", "plan", str(folder / name), "--json"]
    costs = [_cost(command, environment) for _ in range(RUNS + 1)][1:]
    parts = subprocess.run(
        [sys.executable, "-c", _PARTS, str(folder / name)],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    imported, opened, planned, views = json.loads(parts.stdout)
    seconds, cpu = (min(cost[at] for cost in costs) for at in (0, 1))
    return Line(title, int(views), seconds, cpu, imported, opened, planned)


def _compiling(folder: Path) -> dict[str, str]:
    """Python may keep what it compiled, as it usually does; beside the project."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def _cost(command: list[str], environment: Mapping[str, str]) -> tuple[float, float]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
    if ended.returncode not in (0, 1):  # 1: a view is refused
        raise subprocess.CalledProcessError(ended.returncode, command)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

"""kill -9 of a run and its JVM while it pushes, again and again; after each, what is shown is checked.

The budget is set by hand, so that the join chooses throughout.  A run first commits a few pushes, so that
what is killed has shown, chosen and taken out results, and is not a cold one.  Then a kill comes at a random
moment of a push, when the run has said that one is under way.  What a kill left behind is checked before the
next run begins, by DuckDB alone; at the end a run finishes what is left, and `verify` compares.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from headwater.api import Headwater
from headwater.bench.joins.execution.checks import Checked, check
from headwater.bench.joins.execution.running import (
    Feeder,
    answer,
    kill_all,
    running,
    wait_for_views,
    written_project,
)
from headwater.bench.joins.execution.workloads import synthetic
from headwater.storage.notices.under_way import read_under_way

__all__ = ["Kills", "run_kills"]

FRESHNESS = 6  # seconds
RATE = 50  # rows per second of each stream
DOMAINS = {"ab": 500, "bc": 500}
PROBES = 100  # per second
TOLERANCE = 3.0  # windows: results outlive the start of the next run
COMMITS = (1, 4)  # pushes of the join that end before one is killed
COMMIT_S, UNDER_WAY_S = 600, 60
LONGEST_S = 2.0  # that a push may be under way before it is killed


@dataclass(frozen=True, slots=True)
class Kills:
    """Over all kills; a result is counted after each. `unchecked`: after which compaction had gone on."""

    kills: int
    in_pushes: int  # that came while the join or one of its inputs was being pushed
    half_way: int  # that left inputs committed to a later time than the join, or than each other
    committed: int  # pushes of the join that ended between kills
    results: int
    twice: int
    no_match: int
    stale: int
    differs: int
    unchecked: int
    chose: int  # kills after which the join was choosing
    equal: bool


def run_kills(folder: Path, kills: int, say: Callable[[str], None]) -> Kills:
    workload, chance = replace(synthetic()[0], tolerance=TOLERANCE), random.Random(1)
    # What a view is compared with is still there, however far its inputs were ahead of it.
    settings = f"overload: {{probes_per_second: {PROBES}}}\nretention: {{history: 1 hour}}\n"
    project = written_project(folder, workload, FRESHNESS, settings)
    feeder = Feeder(folder, workload, DOMAINS, dict.fromkeys(workload.columns, RATE))
    checked: list[Checked] = []
    in_pushes = half_way = committed = chose = 0
    with feeder.feeding():
        for number in range(kills):
            with running(folder) as process:
                wait_for_views(project, process)
                committed += _commits(project, process, chance.randint(*COMMITS))
                in_pushes += _in_a_push(project, chance)
                kill_all(process)
            half_way += _half_way(project)
            seen = check(project.warehouse, project.catalog, "joined", patience_s=0.0)
            checked += [] if seen is None else [seen]
            chose += project.status().joins[0].choosing
            say(f"kill {number + 1}, after {committed} pushes: {seen or 'not checked'}")
    answer(folder, "run", "--until-idle")
    (verified,) = answer(folder, "verify", "joined")["views"]
    return Kills(
        kills, in_pushes, half_way, committed, sum(seen.results for seen in checked),
        sum(seen.twice for seen in checked), sum(seen.no_match for seen in checked),
        sum(seen.stale for seen in checked),
        sum(seen.differs for seen in checked), kills - len(checked), chose, verified["equal"] is True,
    )  # fmt: skip


def _commits(project: Headwater, process: subprocess.Popen[bytes], enough: int) -> int:
    """Let so many pushes of the join end."""
    until, begun = time.monotonic() + COMMIT_S, _times(project)[-1]
    seen = {begun}
    while len(seen) <= enough and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
        seen.add(_times(project)[-1])
    return len(seen) - 1


def _half_way(project: Headwater) -> bool:
    return len(set(_times(project))) > 1


def _times(project: Headwater) -> list[int]:
    """Of the inputs, then of the join."""
    catalog, warehouse = project.catalog, project.warehouse
    return [warehouse.stage(catalog.folder(stage.name)).time() for stage in catalog.kept["joined"].stages]


def _in_a_push(project: Headwater, chance: random.Random) -> bool:
    """Wait for a push of the join and for some part of it; whether it is still under way then."""
    until = time.monotonic() + UNDER_WAY_S
    while not _pushing(project) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(chance.uniform(0.0, LONGEST_S))
    return _pushing(project)


def _pushing(project: Headwater) -> bool:
    stages = read_under_way(project.warehouse.root).stages
    return any(stage.split("$")[0] == "joined" for stage in stages)

"""A live run: load that is normal, then far more than the machine can join, then normal again.

Real time, a real `headwater run`; the budget is what the forecasts leave of the promises, nothing is set by
hand.  Looked at from outside: how stale the view beside the join was, memory and disk, what was adapted,
since when the join finds all matches again, and whether it then does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from headwater.api import Headwater
from headwater.bench.joins.execution.checks import Checked, check, since_then
from headwater.bench.joins.execution.running import (
    BESIDE,
    Feeder,
    answer,
    running,
    wait_for_views,
    written_project,
)
from headwater.bench.joins.execution.workloads import Workload, synthetic
from headwater.bench.soak.samples import Sample, sample
from headwater.clock import instant_text
from headwater.storage.records.journal import AUDIT, read_rows

__all__ = ["Live", "run_live"]

FRESHNESS = 15  # seconds, of the join
NORMAL, OVERLOAD = 60, 500  # rows per second of each stream
DOMAINS = {"ab": 500, "bc": 500}  # a row finds 5 others' pairs at the normal rate, and 400 at the other
EVERY_S = 10


@dataclass(frozen=True, slots=True)
class Live:
    """`violations` and `staleness_s`: in the time of overload, by the audit; the promise beside is 20 s.

    `checked` by DuckDB and `equal` by `verify`, when the run has ended; None: what was there is forgotten.
    """

    rows: int
    pushes_that_chose: int
    share_said: float
    violations: dict[str, int]
    audited: int
    staleness_s: dict[str, float]
    adaptations: list[dict[str, Any]]
    choosing_at_the_end: bool
    exact_since: str | None
    exact_since_then: bool
    matches_since_then: int
    checked: Checked | None
    equal: bool | None
    not_compared: str
    samples: list[Sample]


def run_live(folder: Path, normal_s: int, overload_s: int, say: Callable[[str], None]) -> Live:
    workload = synthetic()[0]
    project = written_project(folder, workload, FRESHNESS, "")
    feeder = Feeder(folder, workload, DOMAINS, _rates(workload, NORMAL))
    samples: list[Sample] = []
    with running(folder) as process, feeder.feeding():
        wait_for_views(project, process)
        say("normal load")
        time.sleep(normal_s)
        say("overload")
        feeder.rates = _rates(workload, OVERLOAD)
        begun, began_at = time.monotonic(), project.clock.now()
        while (at_s := time.monotonic() - begun) < overload_s:
            time.sleep(EVERY_S)
            samples.append(sample(project, psutil.Process(process.pid), at_s, began_at, 0, 0))
        ended_at, status = project.clock.now(), _join(project)
        feeder.rates = _rates(workload, NORMAL)
        say("normal load again")
        time.sleep(normal_s + FRESHNESS)
        after = _join(project)
    checked = check(project.warehouse, project.catalog, "joined", patience_s=0.0)
    (verified,) = answer(folder, "verify", "joined")["views"]
    found, there = since_then(project.warehouse, project.catalog, "joined", after.exact_since or ended_at)
    audit = _audited(project, began_at, ended_at)
    return Live(
        feeder.rows,
        sum(change.event == "entered" for change in after.adaptations),
        status.share_of_matches,
        {view: sum(row["violated"] for row in audit if row["view"] == view) for view in ("joined", BESIDE)},
        sum(row["view"] == BESIDE for row in audit),
        {view: max((row["staleness_s"] or 0.0 for row in audit if row["view"] == view), default=0.0)
         for view in ("joined", BESIDE)},
        [{"at": instant_text(change.at), "event": change.event, "reason": change.reason}
         for change in after.adaptations],
        after.choosing,
        None if after.exact_since is None else instant_text(after.exact_since),
        found == there, there, checked, verified["equal"], verified["not_compared"], samples,
    )  # fmt: skip


def _rates(workload: Workload, rate: int) -> dict[str, int]:
    return dict.fromkeys(workload.columns, rate)


def _join(project: Headwater) -> Any:
    (join,) = project.status().joins
    return join


def _audited(project: Headwater, since: int, until: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_rows(project.warehouse.system("audit"), AUDIT, since).to_pylist()
    return [row for row in rows if row["at"] <= until]

"""`headwater bench joins --execute`: adapted joins on Spark, offered three times what they may probe.

Real Delta tables, real Spark, the engine's own pushes; only the clock is turned by hand, so that a busy
machine changes nothing but the seconds.  The first pushes have no limit and show the selectivities.  Then a
join may do a third of the probes that all matches would take.  Compared are: the results of `optimal` with
those that it predicted before each push, by what it had learnt; with those of the heuristic that should be
best on the same streams; and with all matches, as DuckDB counts them.  At the end the view is verified, and
the oldest row of every result, when it was made, is compared with its tolerance.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from headwater.bench.joins.execution.streams import VIEW, Streams
from headwater.bench.joins.execution.workloads import (
    PUSH_EVERY,
    Workload,
    fluctuating,
    sensors,
    synthetic,
)
from headwater.engine.push.choosing.learnt_joins import LearntJoins
from headwater.model import Overload
from headwater.overload.joins.adaptation.allowances import allowances
from headwater.overload.joins.model.join_plan import JoinPlan, saturation
from headwater.storage.choosing.choices import choices_since
from headwater.storage.choosing.probes import Probes, probes_since

__all__ = ["Executed", "run_executed"]

EVERY_ROW = 1e9  # probes per second
OFFERED = 3.0  # times what may be probed
UNLIMITED = 5  # pushes, before the limit
HEURISTICS = ("equal", "global-ratio", "equal-best", "selectivity-best")


@dataclass(frozen=True, slots=True)
class Executed:
    """Of the pushes under the limit."""

    plan: str
    policy: str
    tolerance: float  # windows
    probes_per_second: float
    pushes: int
    results: int
    predicted: float
    matches: int
    stale_results: int
    equal: bool  # verified
    seconds_per_push: float
    by_push: tuple[int, ...]
    predicted_by_push: tuple[float, ...]
    bytes_by_push: tuple[int, ...]  # recent rows of the inputs
    decided: tuple[str, ...]  # adaptations, with their reasons
    by_model: dict[str, float]  # results of each policy, for the streams as they were learnt

    @property
    def of_predicted(self) -> float:
        return self.results / self.predicted if self.predicted else 1.0


def run_executed(out: Path, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """All results; also written to `out` as executed.json."""
    out.mkdir(parents=True, exist_ok=True)
    pushes = 4 if quick else 12
    executed: list[Executed] = []

    def add(workload: Workload, policy: str, limit: float | None = None) -> Executed:
        say(f"{workload.name}, {policy}, {workload.tolerance:g} windows")
        executed.append(_run(workload, policy, pushes, limit))
        (out / "executed.json").write_text(json.dumps(_results(executed), indent=1))
        return executed[-1]

    for workload in synthetic()[:1] if quick else [*synthetic(), sensors()]:
        optimal = add(workload, "optimal")
        heuristic = max(HEURISTICS, key=lambda policy: optimal.by_model[policy])
        add(workload, heuristic, optimal.probes_per_second)
    if not quick:
        for tolerance in (3.0, 5.0):
            add(replace(synthetic()[0], tolerance=tolerance), "optimal")
        add(fluctuating(5), "optimal")
    return _results(executed)


def _results(executed: list[Executed]) -> dict[str, Any]:
    return {
        "executed": [
            asdict(result)
            | {"of_predicted": result.of_predicted, "share": result.results / max(1, result.matches)}
            for result in executed
        ]
    }


def _run(workload: Workload, policy: str, pushes: int, limit: float | None) -> Executed:
    with tempfile.TemporaryDirectory(prefix="headwater-joins-") as folder:
        streams = Streams(Path(folder), workload, Overload(EVERY_ROW, EVERY_ROW, policy))
        try:
            for _ in range(UNLIMITED):
                streams.push()
            before, matches = streams.results(), streams.matches()
            limit = (
                limit
                or saturation(_plan_before(streams.workplace.learnt, streams, _pushes(streams)[-1]))[0]
                / OFFERED
            )
            _limit(streams, limit)
            seconds, by_push, stored = [], [before], []
            for _ in range(pushes):
                seconds.append(streams.push())
                by_push.append(streams.results())
                stored.append(streams.bytes_of_inputs())
            predicted = _predicted(streams)[UNLIMITED:]
            results = by_push[-1] - before
            return Executed(
                workload.name, policy, workload.tolerance, limit, pushes, results, sum(predicted),
                streams.matches() - matches, streams.stale(), streams.verified(), float(np.mean(seconds)),
                tuple(int(count) for count in np.diff(by_push)), tuple(predicted), tuple(stored),
                tuple(choice.reason for choice in choices_since(streams.warehouse, VIEW, 0)),
                _by_model(streams, limit),
            )  # fmt: skip
        finally:
            streams.close()


def _limit(streams: Streams, probes_per_second: float) -> None:
    catalog = streams.workplace.catalog
    overload = replace(catalog.project.overload, probes_per_second=probes_per_second)
    streams.workplace.catalog = replace(catalog, project=replace(catalog.project, overload=overload))


def _by_model(streams: Streams, limit: float) -> dict[str, float]:
    """Results that each policy should find in a push like the last one."""
    push = _pushes(streams)[-1]
    plan, arrived = _plan_before(streams.workplace.learnt, streams, push), _arrived(streams, push)
    return {
        policy: sum(
            path.cardinalities[-1] * rows
            for path, rows in zip(
                plan.paths,
                allowances(plan, arrived, PUSH_EVERY, limit * PUSH_EVERY, policy).values(),
                strict=True,
            )
        )
        for policy in ("optimal", "jaqpot", "grepp", *HEURISTICS)
    }


def _predicted(streams: Streams) -> list[float]:
    """Results of each push, by the rows that probed and what was known before."""
    shadow, predicted = LearntJoins(), []
    project, warehouse = streams.workplace.catalog.project, streams.warehouse
    for push in _pushes(streams):
        plan = _plan_before(shadow, streams, push)
        probed = {probes.stream: probes.probed for probes in push}
        predicted.append(
            sum(
                path.cardinalities[-1] * probed[stream]
                for path, stream in zip(plan.paths, streams.workload.columns, strict=True)
            )
        )
        shadow.take_in(project, warehouse, VIEW, push)
    return predicted


def _pushes(streams: Streams) -> list[list[Probes]]:
    noted = probes_since(streams.warehouse, 0)
    return [list(push) for _, push in groupby(noted, key=lambda probes: probes.at)]


def _arrived(streams: Streams, push: Sequence[Probes]) -> dict[str, int]:
    noted = {probes.stream: probes.arrived for probes in push}
    return {stream: noted[stream] for stream in streams.workload.columns}


def _plan_before(learnt: LearntJoins, streams: Streams, push: Sequence[Probes]) -> JoinPlan:
    """The plan as it is known, at the rates of a push."""
    join = learnt.of(streams.workplace.catalog.project, streams.warehouse, VIEW, push[0].at)
    rates = {stream: rows / PUSH_EVERY for stream, rows in _arrived(streams, push).items()}
    return join.learnt.believed(rates, streams.workload.window)

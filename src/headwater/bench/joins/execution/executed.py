"""`headwater bench joins --execute`: adapted joins on Spark, offered three times what they may probe.

Real Delta tables, real Spark, the engine's own pushes; only the clock is turned by hand, so that a busy
machine changes nothing but the seconds.  The first pushes have no limit and show the selectivities.  Then a
join may do a third of the probes that all matches would take.  Compared are: the results of `optimal` with
those that it predicted before each push, by what it had learnt; with those of the heuristic that should be
best on the same streams; and with all matches, as DuckDB counts them; that share also with what `status` says
it is.  At the end the limit is taken away, and what is shown is checked (checks.py) and verified.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np

from headwater.bench.joins.execution.optimum import optimum
from headwater.bench.joins.execution.streams import VIEW, Streams
from headwater.bench.joins.execution.workloads import PUSH_EVERY, Workload
from headwater.engine.push.choosing.learnt_joins import LearntJoins
from headwater.model import Overload
from headwater.overload.joins.adaptation.allowances import allowances
from headwater.overload.joins.model.join_plan import JoinPlan, saturation
from headwater.serve.reports.joins import share_found
from headwater.storage.choosing.choices import choices_since
from headwater.storage.choosing.probes import Probes, probes_since

__all__ = ["HEURISTICS", "Executed", "execute"]

EVERY_ROW = 1e9  # probes per second
OFFERED = 3.0  # times what may be probed
AFTERWARDS = 2  # pushes without a limit, at the end
CHECKED_EVERY = 5  # pushes: results are shown for at least so long
HEURISTICS = ("equal", "global-ratio", "equal-best", "selectivity-best")


@dataclass(frozen=True, slots=True)
class Executed:
    """Of the pushes under the limit, if nothing else is said."""

    plan: str
    policy: str
    tolerance: float  # windows
    probes_per_second: float
    pushes: int
    results: int
    predicted: float
    matches: int
    share_said: float  # by `status`, from samples
    stale_results: int
    no_matches: int
    equal: bool  # checked by DuckDB and by `verify`, at the end
    exact_afterwards: bool  # of the pushes after the limit: all matches are found
    cpu_seconds_per_push: float
    by_push: tuple[int, ...]
    predicted_by_push: tuple[float, ...]
    optimum_by_push: tuple[int, ...]  # with what is known after each push; empty: not asked
    decided: tuple[str, ...]  # adaptations, with their reasons
    by_model: dict[str, float]  # results of each policy, for the streams as they were learnt

    @property
    def of_predicted(self) -> float:
        return self.results / self.predicted if self.predicted else 1.0

    @property
    def share(self) -> float:
        return self.results / max(1, self.matches)

    @property
    def best_heuristic(self) -> str:
        """By the model."""
        return max(HEURISTICS, key=lambda policy: self.by_model[policy])


def execute(
    workload: Workload,
    policy: str,
    pushes: int,
    limit: float | None = None,
    hindsight: bool = False,
) -> Executed:
    """`pushes`: under the limit, after windows have filled. `hindsight`: the optimum as well."""
    first = workload.filling
    with tempfile.TemporaryDirectory(prefix="headwater-joins-") as folder:
        streams = Streams(Path(folder), workload, Overload(EVERY_ROW, EVERY_ROW, policy))
        try:
            for _ in range(first):
                streams.push()
            matches = streams.matches()
            limit = limit or _saturation(streams) / OFFERED
            _limit(streams, limit)
            costs, by_push, best, checked = [], [], [], []
            for number in range(1, pushes + 1):
                costs.append(streams.push().cpu_seconds)
                by_push.append(streams.found())
                if hindsight:
                    best.append(optimum(streams, limit))
                if number % CHECKED_EVERY == 0:
                    checked.append(streams.checked())
            limited = [probes for push in _pushes(streams)[first:] for probes in push]
            predicted, there = _predicted(streams)[first:], streams.matches() - matches
            by_model = _by_model(streams, limit)
            exact = _afterwards(streams)
            checked.append(streams.checked())
            return Executed(
                workload.name, policy, workload.tolerance, limit, pushes, sum(by_push),
                sum(predicted), there, share_found(limited), sum(seen.stale for seen in checked),
                sum(seen.no_match for seen in checked),
                all(seen.right for seen in checked) and streams.verified(), exact, float(np.mean(costs)),
                tuple(by_push), tuple(predicted), tuple(best),
                tuple(choice.reason for choice in choices_since(streams.warehouse, VIEW, 0)), by_model,
            )  # fmt: skip
        finally:
            streams.close()


def _saturation(streams: Streams) -> float:
    """The probes per second that all matches of the last push took."""
    push = _pushes(streams)[-1]
    return saturation(_plan_before(streams.workplace.learnt, streams, push))[0]


def _limit(streams: Streams, probes_per_second: float) -> None:
    catalog = streams.workplace.catalog
    overload = replace(catalog.project.overload, probes_per_second=probes_per_second)
    streams.workplace.catalog = replace(catalog, project=replace(catalog.project, overload=overload))


def _afterwards(streams: Streams) -> bool:
    """Whether all matches are found again that rows of the last pushes make."""
    _limit(streams, EVERY_ROW)
    matches, found = streams.matches(), 0
    for _ in range(AFTERWARDS):
        streams.push()
        found += streams.found()
    return found == streams.matches() - matches


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
    """The plan by the newest estimates, whether they changed who probes, at the rates of a push."""
    join = learnt.of(streams.workplace.catalog.project, streams.warehouse, VIEW, push[0].at)
    rates = {stream: rows / PUSH_EVERY for stream, rows in _arrived(streams, push).items()}
    return join.learnt.expected(rates, streams.workload.window)

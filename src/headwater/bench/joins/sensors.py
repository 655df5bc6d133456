"""Figure 8: a five-way join of real sensors, and Figure 9.c on the same data.

Temperatures of the Intel Berkeley lab, 52 motes every 30 seconds for five days.  Five groups of neighbouring
motes, by their bearing from the middle of the lab, are the streams A to E; they are joined on equal
temperature as recorded (hundredths of a degree), ((A join B) join (C join D)) join E, with windows of 1000
tuples.  Epochs are replayed ten a second, about a hundred tuples a second for each stream.  The first
seconds run without limit, which fills the states and shows the selectivities; then the limit applies, and
every policy runs under the adaptation loop.

Without the data, a generator is used: slow daily waves with noise, slightly different for each group.
"""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.bench.joins.draws import SHAPES
from headwater.bench.joins.resources import HEURISTICS, Progress
from headwater.overload.joins import POLICIES, JoinPlan, Problem, State
from headwater.overload.joins.adaptation.adapt import Loop, start, step
from headwater.overload.joins.adaptation.monitor import Monitor
from headwater.overload.joins.policies.by_name import FRESH
from headwater.overload.joins.simulation.adaptive import sample_of
from headwater.overload.joins.simulation.keys import Integers, Keys, RecordedKeys
from headwater.overload.joins.simulation.run import Arrivals, Run
from headwater.overload.joins.simulation.shelf import Batch, Shelf

__all__ = ["Readings", "find_data", "measure_sensors", "read_groups", "stand_in"]

WINDOW, SPEED, WARM_UP, PERIOD, STEP = 1000, 10.0, 15.0, 5.0, 0.5
STREAMS = "ABCDE"


@dataclass(frozen=True)
class Readings:
    """For each stream, the keys of all its readings in order of time, and where each epoch starts."""

    keys: dict[str, Integers]
    starts: dict[str, Integers]
    source: str

    @property
    def seconds(self) -> float:
        return (len(self.starts["A"]) - 1) / SPEED

    def rate(self, stream: str) -> float:
        return len(self.keys[stream]) / self.seconds

    def arrivals(self) -> Arrivals:
        def arrive(stream: str, begin: float, seconds: float) -> Keys:
            first, last = round(begin * SPEED), round((begin + seconds) * SPEED)
            starts = self.starts[stream]
            keys = self.keys[stream][starts[first] : starts[min(last, len(starts) - 1)]]
            return Keys(keys, keys)

        return arrive


def find_data() -> Path | None:
    """The folder of the recorded data: under HEADWATER_DATA, or ../shared/data."""
    for folder in (os.environ.get("HEADWATER_DATA"), "../shared/data"):
        data = Path(folder) / "intel_lab" if folder else None
        if data is not None and (data / "mote_locs.txt").exists():
            return data
    return None


def read_groups(folder: Path) -> Readings:
    """Temperatures by group of neighbouring motes."""
    with gzip.open(folder / "intel_temperature_52motes_14400epochs.csv.gz", "rt") as file:
        rows = csv.reader(file)
        motes = [int(column[1:]) for column in next(rows)[1:]]
        table = np.array([[float(cell or 0) for cell in row[1:]] for row in rows])
    lines = (line.split() for line in (folder / "mote_locs.txt").read_text().splitlines() if line.strip())
    positions = {int(mote): (float(x), float(y)) for mote, x, y in lines}
    located = np.array([positions[mote] for mote in motes])
    away = located - located.mean(axis=0)
    order = np.argsort(np.arctan2(away[:, 1], away[:, 0]))
    return _readings(table, np.array_split(order, len(STREAMS)), "Intel Berkeley lab")


def stand_in(epochs: int = 3000) -> Readings:
    """Generated temperatures with the same shape as the recorded ones."""
    random = np.random.default_rng(8)
    hours = np.arange(epochs)[:, None] * 30 / 3600
    offsets = np.repeat(random.normal(0, 0.3, 5), 10)[None, :] + random.normal(0, 0.5, 50)[None, :]
    table = 21 + 3 * np.sin(hours / 24 * 2 * np.pi) + offsets + random.normal(0, 0.1, (epochs, 50))
    return _readings(table, np.array_split(np.arange(50), len(STREAMS)), "generated")


def _readings(table: npt.NDArray[np.float64], groups: list[npt.NDArray[np.int64]], source: str) -> Readings:
    keys, starts = {}, {}
    for stream, group in zip(STREAMS, groups, strict=True):
        part = np.rint(table[:, group] * 100).astype(np.int64)
        valid = part > 0  # a missing reading is recorded as nothing or zero
        keys[stream] = part[valid]
        starts[stream] = np.concatenate([[0], np.cumsum(valid.sum(axis=1))])
    return Readings(keys, starts, source)


def _empty_run(plan: JoinPlan, readings: Readings, multiples: tuple[float, ...], guard: int | None) -> Run:
    tolerances = [
        {stream: multiple * plan.window(stream) for stream in plan.streams} for multiple in multiples
    ]
    none = np.zeros(0, dtype=np.int64)
    shelves = {
        own: Shelf(state, Batch(Keys(none, none), np.zeros((0, len(multiples)))), np.zeros(0))
        for own, state in plan.states.items()
    }
    random = np.random.default_rng(0)
    return Run(plan, shelves, readings.arrivals(), RecordedKeys(), tolerances, random, guard)


def _warm_up(readings: Readings, multiples: tuple[float, ...], guard: int | None) -> tuple[Run, JoinPlan]:
    """Run without limit until the states are full; the observed selectivities are the first estimate."""
    tree = SHAPES["five-way"]
    blank = JoinPlan(tree, {stream: readings.rate(stream) for stream in STREAMS}, {})
    plan = replace(blank, states={own: State(float(WINDOW), 0.003) for own in blank.siblings})
    run = _empty_run(plan, readings, multiples, guard)
    run.allow(dict.fromkeys(plan.siblings, 1e9))
    run.advance(WARM_UP - PERIOD, STEP)
    run.take_counts()
    run.advance(PERIOD, STEP)
    sample = sample_of(run.take_counts())
    return run, Monitor().observe(sample).estimate(plan)


def _policy_run(
    readings: Readings, policy: str, resources: float, multiple: float, seconds: float
) -> dict[str, Any]:
    guard = 0 if policy in FRESH else None
    run, plan = _warm_up(readings, (multiple,), guard)
    tolerance = {stream: multiple * plan.window(stream) for stream in plan.streams}
    loop: Loop = start(Problem(plan, resources, tolerance=tolerance), policy)
    run.tokens.clear()
    run.allow(loop.decision.allocation.half_ways)
    ticks: dict[str, Any] = {"at": [], "cumulative": [], "stale": 0, "kept_back": 0, "kept": 0}
    while run.now < seconds - 1e-9:
        run.advance(PERIOD, STEP)
        counts = run.take_counts()
        changed = step(loop, sample_of(counts))
        if changed.decision is not loop.decision:
            run.allow(changed.decision.allocation.half_ways)
        loop = changed
        before = ticks["cumulative"][-1] if ticks["cumulative"] else 0
        ticks["at"].append(run.now - WARM_UP)
        ticks["cumulative"].append(before + counts.results)
        ticks["stale"] += int(counts.stale[0])
        ticks["kept_back"] += counts.kept_back
        ticks["kept"] += loop.decision.feasible
    return ticks | {
        "periods": len(ticks["at"]),
        "analyses": loop.analyses,
        "actuations": loop.actuations,
        "share_for_freshness": loop.decision.resources_for_freshness / resources
        if loop.decision.feasible
        else None,
    }


def measure_sensors(
    seconds: float,
    limits: tuple[float, ...],
    progress: Progress,
    multiples: tuple[float, ...] = (1.5, 3.0, 5.0),
) -> dict[str, Any]:
    """Cumulative results of each policy at each limit, and the share of stale results at each tolerance."""
    folder = find_data()
    readings = stand_in() if folder is None else read_groups(folder)
    seconds = min(seconds, readings.seconds)
    answer: dict[str, Any] = {"source": readings.source, "rates": {s: readings.rate(s) for s in STREAMS}}
    answer["limits"] = {str(limit): _limit(readings, limit, seconds, progress) for limit in limits}
    shorter = WARM_UP + max(PERIOD, (seconds - WARM_UP) / 3)
    answer["stale"] = {
        str(multiple): {
            policy: _share(_policy_run(readings, policy, limits[0], multiple, shorter)) for policy in POLICIES
        }
        for multiple in multiples
    }
    return answer


def _share(ticks: dict[str, Any]) -> dict[str, Any]:
    total = ticks["cumulative"][-1]
    return {
        "stale_share": ticks["stale"] / max(1, total),
        "results": total,
        "kept_back_share": ticks["kept_back"] / max(1, total + ticks["kept_back"]),
        "share_for_freshness": ticks["share_for_freshness"],
        "periods_kept": ticks["kept"] / ticks["periods"],
    }


def _limit(readings: Readings, limit: float, seconds: float, progress: Progress) -> dict[str, Any]:
    series: dict[str, Any] = {}
    for policy in POLICIES:
        progress(f"figure 8: {limit:g} probes a second, {policy}")
        series[policy] = _policy_run(readings, policy, limit, 5.0, seconds)
    best = max(series[policy]["cumulative"][-1] for policy in HEURISTICS)
    times = {
        policy: series[policy]["cumulative"][-1] / max(1, best) for policy in ("jaqpot", "optimal", "grepp")
    }
    return {"series": series, "times_best_heuristic": times}

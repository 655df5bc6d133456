"""The parts of `headwater bench joins --execute`, and the bars that each is measured against."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from headwater.bench.joins.execution.executed import Executed, execute
from headwater.bench.joins.execution.kills import run_kills
from headwater.bench.joins.execution.live import Live, run_live
from headwater.bench.joins.execution.workloads import (
    PUSH_EVERY,
    Workload,
    as_in_figure_6,
    sensors,
    synthetic,
    turned_around,
)
from headwater.bench.soak.samples import verdicts

__all__ = ["PARTS", "PUSHES", "run_executed"]

Say = Callable[[str], None]
PARTS = ("three", "linear", "bushy", "sensors", "tolerances", "changes", "live", "kills")
PUSHES = 60  # five minutes of the streams' time
SHARE_OF_PREDICTED, TIMES_THE_BEST, OF_OPTIMUM, SETTLED = 0.9, 1.3, 0.9, 3


def run_executed(
    out: Path, quick: bool, say: Say, parts: Sequence[str] = PARTS, pushes: int = PUSHES
) -> dict[str, Any]:
    """The results of each part; also in `out`, a file a part, written as soon as it has ended.

    `pushes`: of each plan under its limit; a live run has overload for as long as those would take.
    """
    out.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {}
    for part in parts:
        results[part] = _part(part, quick, 4 if quick else pushes, _telling(say, part))
        (out / f"{part}.json").write_text(json.dumps(results[part], indent=1))
    return results


def _telling(say: Say, part: str) -> Say:
    return lambda words: say(f"{part}: {words}")


def _part(part: str, quick: bool, pushes: int, say: Say) -> dict[str, Any]:
    match part:
        case "three" | "linear" | "bushy":
            return _compared(synthetic()[("three", "linear", "bushy").index(part)], pushes, say)
        case "sensors":
            return _compared(sensors(), pushes, say)
        case "tolerances":
            runs = [
                _executed(replace(synthetic()[0], tolerance=tolerance), "optimal", pushes // 2, say)
                for tolerance in (1.5, 3.0, 5.0)
            ]
            return _with_bars(runs, dict(_common_bars(runs)))
        case "changes":
            every = 4 if quick else 8
            return _changes([as_in_figure_6(every), turned_around(every)], every, say)
        case "live":
            overload_s = 40 if quick else pushes * PUSH_EVERY
            return _live(max(20, overload_s // 5), overload_s, say)
        case "kills":
            return _kills(2 if quick else 20, say)
    raise ValueError(part)


def _executed(
    workload: Workload,
    policy: str,
    pushes: int,
    say: Say,
    limit: float | None = None,
    hindsight: bool = False,
) -> Executed:
    say(f"{workload.name}, {policy}, {workload.tolerance:g} windows")
    return execute(workload, policy, pushes, limit, hindsight=hindsight)


def _compared(workload: Workload, pushes: int, say: Say) -> dict[str, Any]:
    """`optimal`, and the heuristic that should be best by the model, with the same limit."""
    optimal = _executed(workload, "optimal", pushes, say)
    heuristic = _executed(workload, optimal.best_heuristic, pushes, say, optimal.probes_per_second)
    times = optimal.results / max(heuristic.results, 1)
    bars = dict(_common_bars([optimal, heuristic]))
    bars[f"results at least {SHARE_OF_PREDICTED:.0%} of what is predicted"] = (
        optimal.of_predicted >= SHARE_OF_PREDICTED
    )
    bars[f"at least {TIMES_THE_BEST} times the best heuristic"] = times >= TIMES_THE_BEST
    return _with_bars([optimal, heuristic], bars) | {"times_the_best_heuristic": times}


def _changes(workloads: Sequence[Workload], every: int, say: Say) -> dict[str, Any]:
    """Within a tenth of the new optimum from the third push after a change on."""
    runs, bars = [], {}
    for workload in workloads:
        pushes = every * (len(workload.changes) + 1)
        run = _executed(workload, "optimal", pushes, say, hindsight=True)
        runs.append(run)
        for at in workload.changes:
            first = at - workload.filling + SETTLED
            shares = _of_optimum(run)[first : first + every - SETTLED]
            mean = sum(shares) / len(shares)
            bars[f"{workload.name}: {mean:.0%} of the new optimum, {SETTLED} pushes after {at}"] = (
                mean >= OF_OPTIMUM
            )
    return _with_bars(runs, bars | dict(_common_bars(runs)))


def _of_optimum(run: Executed) -> list[float]:
    return [
        results / best if best else 1.0
        for results, best in zip(run.by_push, run.optimum_by_push, strict=True)
    ]


def _common_bars(runs: Sequence[Executed]) -> Iterator[tuple[str, bool]]:
    yield (
        "no stale result, none that is no match",
        not any(run.stale_results or run.no_matches for run in runs),
    )
    yield "what is shown is verified", all(run.equal for run in runs)
    yield "without the limit all matches again", all(run.exact_afterwards for run in runs)


def _with_bars(runs: Sequence[Executed], bars: dict[str, bool]) -> dict[str, Any]:
    rows = [asdict(run) | {"of_predicted": run.of_predicted, "share": run.share} for run in runs]
    return {"executed": rows, "bars": bars}


def _live(normal_s: int, overload_s: int, say: Say) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="headwater-joins-") as folder:
        live = run_live(Path(folder), normal_s, overload_s, say)
    flat = verdicts(live.samples, ("python_mb", "jvm_mb", "live_mb"))
    bars = {
        "it chose": live.pushes_that_chose > 0,
        "the promise of 20 s beside it is kept": live.violations["beside"] == 0,
        _rightness(live): live.equal is not False and live.checked is not None and live.checked.right,
        "all matches again": live.exact_since_then and not live.choosing_at_the_end,
    } | {f"{verdict.measure} flat ({verdict.growth:+.0%})": verdict.flat for verdict in flat}
    return asdict(live) | {"bars": bars}


def _rightness(live: Live) -> str:
    """The bar, and who could not say."""
    silent = [name for name, said in (("DuckDB", live.checked), ("verify", live.equal)) if said is None]
    said = f" (not compared by {' and '.join(silent)})" if silent else ""
    return f"no stale result, and what is shown is right{said}"


def _kills(kills: int, say: Say) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="headwater-joins-") as folder:
        killed = run_kills(Path(folder), kills, say)
    bars = {
        "no result twice": not killed.twice,
        "no result that is no match": not killed.no_match,
        "no stale result": not killed.stale,
        "looked at after every kill": not killed.unchecked,
        "pushes ended before every kill, and it chose": killed.committed >= kills and killed.chose == kills,
        "what is shown is what the rows that probed find": not killed.differs and killed.equal,
    }
    return asdict(killed) | {"bars": bars}

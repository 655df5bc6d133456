"""All experiments of join adaptation, one after another: numbers, tables and plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headwater.bench.joins.fluctuation import measure_fluctuation
from headwater.bench.joins.resources import Progress, measure_resources
from headwater.bench.joins.sensors import measure_sensors
from headwater.bench.joins.staleness import measure_staleness
from headwater.bench.joins.summary import summary
from headwater.bench.joins.timing import measure_timing

__all__ = ["run_bench"]


def run_bench(out: Path, quick: bool, progress: Progress) -> dict[str, Any]:
    """Run everything, write results.json and the plots to a folder, and return what was measured."""
    from headwater.bench.joins.plots import plot_all

    measured = _quickly(progress) if quick else _fully(progress)
    measured["summary"] = summary(measured)
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(measured, indent=1))
    progress("plots")
    measured["plots"] = [str(path) for path in plot_all(measured, out, ("svg",) if quick else ("svg", "png"))]
    return measured


def _fully(progress: Progress) -> dict[str, Any]:
    return {
        "fluctuation": measure_fluctuation(600.0, progress),
        "resources": measure_resources(60, 5, 1e5, progress),
        "sensors": measure_sensors(600.0, (300.0, 600.0, 900.0), progress),
        "staleness": measure_staleness(100, 8, 8e4, progress),
        "timing": measure_timing(tuple(range(3, 21)), 15, progress),
    }


def _quickly(progress: Progress) -> dict[str, Any]:
    return {
        "fluctuation": measure_fluctuation(10.0, progress),
        "resources": measure_resources(1, 1, 2e3, progress, (0.3, 0.6)),
        "sensors": measure_sensors(25.0, (300.0,), progress, (1.5,)),
        "staleness": measure_staleness(2, 1, 2e3, progress),
        "timing": measure_timing((3, 5, 8), 2, progress),
    }

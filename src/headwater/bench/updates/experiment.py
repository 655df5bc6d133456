"""Run everything: the figures to files, the targets and tables to the caller."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from headwater.bench.updates import bars
from headwater.bench.updates.figures import FIGURES
from headwater.bench.updates.memory_figures import figure_16, figure_17
from headwater.bench.updates.panels import Panel, draw

__all__ = ["run_experiments"]


def run_experiments(out: Path, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """All results; also written to `out` as results.json beside the plots."""
    out.mkdir(parents=True, exist_ok=True)
    panels = _figures(out, quick, say)
    say("policies over keys, skew and load")
    table, marks = bars.policies(quick)
    say("exhaustive search")
    marks.append(bars.optimum(quick))
    marks.append(_figure_9_bar(panels))
    say("real quotes")
    quotes = bars.quotes_table(quick)
    say("throughput of the queue")
    throughput = bars.throughput(quick)
    slowest = min(float(str(row["enqueue_per_s"])) for row in throughput)
    marks.append(
        bars.Bar("rows a second into 100,000 keys", "at least 2,000,000", f"{slowest:,.0f}", slowest >= 2e6)
    )
    say("long trace")
    traces = bars.long_trace(quick)
    longest = max(float(str(row["seconds"])) for row in traces)
    marks.append(
        bars.Bar(
            f"{traces[0]['updates']:,} updates, slowest policy",
            "under 60 s",
            f"{longest:.1f} s",
            longest < 60,
        )
    )
    results = {
        "bars": [mark.row() for mark in marks], "policies": table, "quotes": quotes, "throughput": throughput,
        "long_trace": traces, "figures": [asdict(panel) for panel in panels],
    }  # fmt: skip
    (out / "results.json").write_text(json.dumps(results, indent=1))
    return results


def _figures(out: Path, quick: bool, say: Callable[[str], None]) -> list[Panel]:
    panels = []
    for name, make in (FIGURES | {"figure_16": figure_16, "figure_17": figure_17}).items():
        say(name.replace("_", " "))
        drawn = make(quick)
        draw(drawn, out / f"{name}.svg")
        panels += drawn
    return panels


def _figure_9_bar(panels: list[Panel]) -> bars.Bar:
    panel = next(panel for panel in panels if panel.name == "figure_9_100")
    gain = max(panel.lines["LINECUTTING"])
    return bars.Bar(
        "IN-PLACE / LINECUTTING with slow updaters (Figure 9), peak", "above 1", f"{gain:.3f}", gain > 1
    )

"""`headwater bench updates --execute`: all of it, and its results as rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from headwater.bench.updates.executed.kills import kill_again_and_again
from headwater.bench.updates.executed.policies import Executed, execute_policies, million_keys
from headwater.bench.updates.executed.replay import replay
from headwater.bench.updates.executed.traces import PUSH_EVERY, quotes_trace, zipf_trace
from headwater.bench.updates.panels import Panel, draw

__all__ = ["run_executed"]

LOADS = (2.0, 5.0, 10.0)
OFFERED, PER_PUSH = 50_000, 12  # updates per second, and seconds of them in a push of many keys


def run_executed(
    out: Path,
    quick: bool,
    quotes: Path | None,
    keys: int,
    kills: int,
    minutes: float,
    loads: Sequence[float],
    say: Callable[[str], None],
) -> dict[str, Any]:
    """All results; also written to `out` as executed.json, with plots."""
    out.mkdir(parents=True, exist_ok=True)
    chosen = tuple(loads) or (LOADS[:1] if quick else LOADS)
    if quotes is None:
        traces = [zipf_trace(200, 0.9, 400, 4) if quick else zipf_trace(1_000, 0.9, 3_000, 16)]
    else:
        traces = [quotes_trace(quotes, 8 if quick else 60)]
    executed = execute_policies(traces, chosen, say) if min(chosen) > 0 else []
    for trace in traces if executed else ():
        own = [result for result in executed if result.trace == trace.name]
        draw([_panel(own, load) for load in chosen], out / f"staleness_{trace.name.split()[-1]}.svg")
    results = {
        "policies": [asdict(result) | {"error": result.error} for result in executed],
        "many_keys": [million_keys(keys, OFFERED if not quick else 1_000, PER_PUSH, say)] if keys else [],
        "kills": [kill_again_and_again(kills, say)] if kills else [],
        "replay": [replay(quotes, minutes, out, say)] if minutes and quotes is not None else [],
    }
    (out / "executed.json").write_text(json.dumps(results, indent=1))
    return results


def _panel(executed: Sequence[Executed], load: float) -> Panel:
    """The mean staleness of keys as time passes, under each policy."""
    own = [result for result in executed if result.load == load]
    longest = max((len(result.over_time) for result in own), default=0)
    return Panel(
        f"load_{load:g}", f"{own[0].trace if own else ''}, load {load:g}", "seconds", "staleness (s)",
        [PUSH_EVERY * (number + 1) for number in range(longest)],
        {result.policy: list(result.over_time) for result in own}, log=True, floor=None,
    )  # fmt: skip

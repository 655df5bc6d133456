"""`--experiment pages`: what ten open pages add to the CPU of a run.

Pages are open and closed in turns within one run, in an order that a JVM which gets faster, or a table which
grows, favours neither side of:

    without  with  with  without    without  with  with  without

What the server uses is counted by itself, so its part of the difference is exact; that of the run is as exact
as the number of pushes in a turn allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.bench.smile.experiments.answers import Answer, Bench, Table
from headwater.bench.smile.measuring.outcome import Stretch

__all__ = ["pages"]

OPEN_PAGES = 10
TURNS = (0, OPEN_PAGES, OPEN_PAGES, 0) * 2


def pages(bench: Bench) -> Sequence[Answer]:
    """One load, with pages and without in turns."""
    setup = bench.setup()
    phases = [
        replace(phase, seconds=phase.seconds / len(TURNS), pages=turn)
        for phase in setup.load.phases
        for turn in TURNS
    ]
    outcome = bench.workshop.run(replace(setup, load=replace(setup.load, phases=phases)), "pages")
    without = [stretch for stretch in outcome.stretches if not stretch.pages]
    beside = [stretch for stretch in outcome.stretches if stretch.pages]
    run, run_beside = _per_million(without, "run"), _per_million(beside, "run")
    server, server_beside = _per_million(without, "server"), _per_million(beside, "server")
    added = (server_beside - server) / run
    rows = [
        ("CPU-s per million tweets, of the run", f"{run:,.1f}", f"{run_beside:,.1f}"),
        ("of the server", f"{server:,.1f}", f"{server_beside:,.1f}"),
        ("each turn, run and server", _turns(without), _turns(beside)),
    ]
    title = (
        f"{OPEN_PAGES} pages open: the server uses {added:+.1%} of the run's CPU for them, the run itself"
        f" {run_beside / run - 1:+.1%}; {outcome.violations} violations"
    )
    json = {"server_added": added, "run_added": run_beside / run - 1, "outcome": outcome.json()}
    return [Answer("pages", [Table(title, ("measure", "without", "with"), rows)], json)]


def _per_million(stretches: Sequence[Stretch], whose: str) -> float:
    used = sum(each.cpu_seconds if whose == "run" else each.server_cpu_seconds for each in stretches)
    return used / max(sum(each.tweets for each in stretches), 1) * 1e6


def _turns(stretches: Sequence[Stretch]) -> str:
    return ", ".join(f"{each.cpu_seconds:.1f} + {each.server_cpu_seconds:.2f}" for each in stretches)

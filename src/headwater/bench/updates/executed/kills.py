"""A run that is killed (kill -9) again and again in the middle of pushes that choose: nothing is lost, and
everything catches up.

After each kill what lies on the disk is looked at without Spark, which would take longer than all the rest:
source = shown + waiting, the view is what is shown as of its time, and every row shown was current.  A kill
between the two commits of a choice leaves what waits out of date; then the next run's repair is looked at.
At the end everything is shown, and `verify` recomputes it.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headwater as hw
from headwater.bench.crash.processes import Processes
from headwater.storage.choosing.waiting_table import waiting_of
from headwater.storage.notices.under_way import read_under_way
from headwater.storage.timeline import WEIGHT, Slice, Timeline

__all__ = ["kill_again_and_again"]

KEYS = 200
PATIENCE = 300  # seconds until the first choice of a run
SQL = """CREATE TABLE quotes (symbol BIGINT, price BIGINT, UPDATE KEY (symbol)) ON OVERLOAD UPDATES best;
CREATE MATERIALIZED VIEW newest FRESHNESS = INTERVAL '3' SECOND AS SELECT symbol, price FROM quotes;
CREATE MATERIALIZED VIEW totals FRESHNESS = INTERVAL '3' SECOND AS
  SELECT symbol % 7 AS sector, count(*) AS n, max(price) AS top FROM quotes GROUP BY symbol % 7;
"""
WORDS = {True: "right", False: "WRONG", None: "between the two commits of a choice"}
SETTINGS = "name: market\noverload: {updates_per_second: 20}\nspark: {master: 'local[2]'}\n"


def kill_again_and_again(kills: int, say: Callable[[str], None], seed: int = 1) -> dict[str, Any]:
    """Feed, kill, start again; then let everything be shown, and verify."""
    with tempfile.TemporaryDirectory(prefix="headwater-kills-") as scratch:
        folder = Path(scratch) / "market"
        folder.mkdir()
        (folder / "headwater.yml").write_text(SETTINGS)
        (folder / "market.sql").write_text(SQL)
        feeder, processes = (
            _Feeder(hw.open(str(folder)), random.Random(seed)),
            Processes(folder, Path(scratch), {}),
        )
        feeder.feed(1.0)
        verdicts: list[bool | None] = []
        for kill in range(kills):
            processes.start_run()
            feeder.feed_until_it_chooses()
            time.sleep(feeder.chance.uniform(0.0, 1.5))
            processes.kill("run")
            verdicts.append(_nothing_lost(feeder))
            say(f"kill {kill + 1} of {kills}: {WORDS[verdicts[-1]]}")
        say("everything is shown")
        subprocess.run(
            [sys.executable, "-m", "headwater.cli.app", "run", str(folder), "--until-idle"],
            check=True,
            capture_output=True,
        )
        (table,) = feeder.project.status().tables
        rows = {row["symbol"]: row["price"] for row in feeder.project.read("newest").to_pylist()}
        return {
            "kills": kills,
            "updates": feeder.number,
            "superseded": table.superseded,
            "between_commits": verdicts.count(None),
            "equal_after_each": False not in verdicts,
            "equal_at_the_end": _verified(folder),
            "all_shown": rows == feeder.newest and table.waiting == 0,
        }


@dataclass(slots=True)
class _Feeder:
    """Quotes, about 200 a second; the price of a quote is its number."""

    project: hw.Headwater
    chance: random.Random
    number: int = 0
    newest: dict[int, int] = field(default_factory=dict)  # the price of each symbol
    offered: set[tuple[int, int]] = field(default_factory=set)

    def feed(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            symbols = [min(int(self.chance.expovariate(3.0) * KEYS), KEYS - 1) for _ in range(40)]
            rows = [{"symbol": symbol, "price": self.number + at} for at, symbol in enumerate(symbols)]
            self.project.ingest("quotes", rows)
            self.newest.update({row["symbol"]: row["price"] for row in rows})
            self.number += len(rows)
            self.offered.update((row["symbol"], row["price"]) for row in rows)
            if time.monotonic() >= end:
                return
            time.sleep(min(0.2, seconds))

    def feed_until_it_chooses(self) -> None:
        """Feed until the run has made a choice and is about to make the next: that is when to kill it."""
        before, end = self._choices(), time.monotonic() + PATIENCE
        while self._choices() == before and time.monotonic() < end:
            self.feed(0.2)
        while not read_under_way(self.project.warehouse.root).stages and time.monotonic() < end:
            self.feed(0.05)

    def _choices(self) -> int:
        log = self.project.warehouse.system("overload")
        return log.snapshot().rows if log.exists() else 0


def _nothing_lost(feeder: _Feeder) -> bool | None:
    """Whether what is on the disk is right; None: the kill came between the two commits of a choice."""
    project = hw.open(feeder.project.project.folder)
    waiting = waiting_of(project.catalog, project.warehouse, "quotes")
    shown, source = waiting.shown, project.warehouse.source("quotes")
    if not waiting.current():
        return None
    held = _net(shown, shown.time())
    if waiting.timeline.exists():
        held.update(_weights(waiting.timeline, waiting.part()))
    view = project.warehouse.stage(project.catalog.folder("newest"))
    right = {row: weight for row, weight in held.items() if weight} == _net(source, shown.time())
    exact = _net(view, view.time()) == _net(shown, view.time())
    return right and exact and _net(view, view.time()).keys() <= feeder.offered


def _net(timeline: Timeline, time: int) -> Counter[tuple[int, int]]:
    """A relation as of a time."""
    return Counter(
        {row: weight for row, weight in _weights(timeline, timeline.as_of(time)).items() if weight}
    )


def _weights(timeline: Timeline, part: Slice) -> Counter[tuple[int, int]]:
    weights: Counter[tuple[int, int]] = Counter()
    for row in timeline.read(part, ["symbol", "price"]).to_pylist():
        weights[row["symbol"], row["price"]] += row[WEIGHT]
    return weights


def _verified(folder: Path) -> bool:
    command = [sys.executable, "-m", "headwater.cli.app", "verify", str(folder), "--json"]
    verdict = json.loads(subprocess.run(command, capture_output=True, check=False).stdout or "{}")
    relations = [*verdict.get("views", [{"equal": False}]), *verdict.get("tables", [])]
    return all(relation["equal"] for relation in relations)

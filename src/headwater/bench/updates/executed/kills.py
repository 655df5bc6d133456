"""A run that is killed (kill -9) again and again while it chooses: nothing is lost, and everything catches
up."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headwater as hw
from headwater.bench.crash.processes import Processes

__all__ = ["kill_again_and_again"]

KEYS = 200
PATIENCE = 300  # seconds until the first choice of a run
SQL = """CREATE TABLE quotes (symbol BIGINT, price BIGINT, UPDATE KEY (symbol)) ON OVERLOAD UPDATES best;
CREATE MATERIALIZED VIEW newest FRESHNESS = INTERVAL '3' SECOND AS SELECT symbol, price FROM quotes;
CREATE MATERIALIZED VIEW totals FRESHNESS = INTERVAL '3' SECOND AS
  SELECT symbol % 7 AS sector, count(*) AS n, max(price) AS top FROM quotes GROUP BY symbol % 7;
"""
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
        verdicts: list[bool] = []
        for kill in range(kills):
            say(f"kill {kill + 1} of {kills}")
            processes.start_run()
            feeder.feed_until_it_chooses()
            feeder.feed(feeder.chance.uniform(0.0, 2.0))
            processes.kill("run")
            verdicts.append(_verified(folder))
            say(f"kill {kill + 1} of {kills}: {'equal' if verdicts[-1] else 'NOT EQUAL'}")
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
            "equal_after_each": all(verdicts),
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

    def feed(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            symbols = [min(int(self.chance.expovariate(3.0) * KEYS), KEYS - 1) for _ in range(40)]
            rows = [{"symbol": symbol, "price": self.number + at} for at, symbol in enumerate(symbols)]
            self.project.ingest("quotes", rows)
            self.newest.update({row["symbol"]: row["price"] for row in rows})
            self.number += len(rows)
            if time.monotonic() >= end:
                return
            time.sleep(0.2)

    def feed_until_it_chooses(self) -> None:
        """Feed until the run has made a choice: that is when to kill it."""
        before, end = self._choices(), time.monotonic() + PATIENCE
        while self._choices() == before and time.monotonic() < end:
            self.feed(0.5)

    def _choices(self) -> int:
        log = self.project.warehouse.system("overload")
        return log.snapshot().rows if log.exists() else 0


def _verified(folder: Path) -> bool:
    command = [sys.executable, "-m", "headwater.cli.app", "verify", str(folder), "--json"]
    verdict = json.loads(subprocess.run(command, capture_output=True, check=False).stdout or "{}")
    relations = [*verdict.get("views", [{"equal": False}]), *verdict.get("tables", [])]
    return all(relation["equal"] for relation in relations)

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
from pathlib import Path
from typing import Any

import headwater as hw
from headwater.bench.crash.processes import Processes

__all__ = ["kill_again_and_again"]

KEYS = 200
SQL = """CREATE TABLE quotes (symbol BIGINT, price BIGINT, UPDATE KEY (symbol)) ON OVERLOAD UPDATES best;
CREATE MATERIALIZED VIEW newest FRESHNESS = INTERVAL '3' SECOND AS SELECT symbol, price FROM quotes;
CREATE MATERIALIZED VIEW totals FRESHNESS = INTERVAL '3' SECOND AS
  SELECT symbol % 7 AS sector, count(*) AS n, max(price) AS top FROM quotes GROUP BY symbol % 7;
"""
SETTINGS = "name: market\noverload: {updates_per_second: 20}\nspark: {master: 'local[2]'}\n"


def kill_again_and_again(kills: int, say: Callable[[str], None], seed: int = 1) -> dict[str, Any]:
    """Feed, kill, start again; then let everything be shown, and verify."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="headwater-kills-") as scratch:
        folder, logs = Path(scratch) / "market", Path(scratch)
        folder.mkdir()
        (folder / "headwater.yml").write_text(SETTINGS)
        (folder / "market.sql").write_text(SQL)
        project = hw.open(str(folder))
        processes = Processes(folder, logs, {})
        verdicts: list[bool] = []
        number = _feed(project, chance, 0, 1.0)
        for kill in range(kills):
            say(f"kill {kill + 1} of {kills}")
            processes.start_run()
            number = _until_it_chooses(project, chance, number)
            number = _feed(project, chance, number, chance.uniform(0.0, 2.0))
            processes.kill("run")
            verdicts.append(_verified(folder))
        say("everything is shown")
        subprocess.run(
            [sys.executable, "-m", "headwater.cli.app", "run", str(folder), "--until-idle"], check=True
        )
        (table,) = project.status().tables
        rows = {row["symbol"]: row["price"] for row in project.read("newest").to_pylist()}
        return {
            "kills": kills,
            "updates": number,
            "superseded": table.superseded,
            "equal_after_each": all(verdicts),
            "equal_at_the_end": _verified(folder),
            "all_shown": rows == _LAST and table.waiting == 0,
        }


_LAST: dict[int, int] = {}  # the newest price of each symbol


def _feed(project: hw.Headwater, chance: random.Random, number: int, seconds: float) -> int:
    """Quotes for a while, about 200 a second; returns the number of the next."""
    end = time.monotonic() + seconds
    while True:
        symbols = [min(int(chance.expovariate(3.0) * KEYS), KEYS - 1) for _ in range(40)]
        rows = [{"symbol": symbol, "price": number + at} for at, symbol in enumerate(symbols)]
        project.ingest("quotes", rows)
        _LAST.update({row["symbol"]: row["price"] for row in rows})
        number += len(rows)
        if time.monotonic() >= end:
            return number
        time.sleep(0.2)


def _until_it_chooses(project: hw.Headwater, chance: random.Random, number: int) -> int:
    """Feed until the run has made a choice: that is when to kill it."""
    before = _choices(project)
    end = time.monotonic() + 120
    while _choices(project) == before and time.monotonic() < end:
        number = _feed(project, chance, number, 0.5)
    return number


def _choices(project: hw.Headwater) -> int:
    log = project.warehouse.system("overload")
    return log.snapshot().rows if log.exists() else 0


def _verified(folder: Path) -> bool:
    command = [sys.executable, "-m", "headwater.cli.app", "verify", str(folder), "--json"]
    verdict = json.loads(subprocess.run(command, capture_output=True, check=False).stdout or "{}")
    relations = [*verdict.get("views", [{"equal": False}]), *verdict.get("tables", [])]
    return all(relation["equal"] for relation in relations)

"""Real quotes fed to a run for minutes, many times faster than it may show them: what becomes of promises, of
the staleness of keys, of memory and of disk.

The run is a process of its own, as users start it; what is measured is what `status` says, every few
seconds.  How many keys may be shown is set by hand: 33 keys are no load for two cores, however often they
are updated.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa

import headwater as hw
from headwater.bench.crash.processes import Processes
from headwater.bench.updates.panels import Panel, draw

__all__ = ["replay"]

LOAD = 10.0
FASTER = 10.0  # times as fast as the quotes came
SECONDS_A_PUSH = 8.0  # about, under a promise of 15 s
SAMPLE_EVERY = 10.0
BATCH = 400
BEGINS = 36_000_000  # milliseconds since midnight
SQL = """CREATE TABLE quotes (
  symbol STRING, exchange STRING, bid BIGINT, ask BIGINT, UPDATE KEY (symbol, exchange)
) ON OVERLOAD UPDATES best;
CREATE TABLE sectors (symbol STRING PRIMARY KEY, sector STRING);
CREATE MATERIALIZED VIEW newest FRESHNESS = INTERVAL '15' SECOND AS
  SELECT symbol, exchange, bid, ask FROM quotes;
CREATE MATERIALIZED VIEW spread FRESHNESS = INTERVAL '15' SECOND AS
  SELECT symbol, min(ask) - max(bid) AS spread, count(*) AS exchanges FROM quotes GROUP BY symbol;
CREATE MATERIALIZED VIEW named FRESHNESS = INTERVAL '15' SECOND AS
  SELECT q.symbol, q.exchange, q.bid, s.sector FROM quotes q JOIN sectors s ON q.symbol = s.symbol;
"""


@dataclass(slots=True)
class _Samples:
    """What was seen, every few seconds."""

    at: list[float] = field(default_factory=list)
    view_s: list[float] = field(default_factory=list)  # the stalest view
    key_s: list[float] = field(default_factory=list)  # keys, on average
    worst_key_s: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)  # of the run and its JVM
    disk_mb: list[float] = field(default_factory=list)

    def take(self, at: float, status: dict[str, Any], folder: Path, run: int) -> None:
        (table,) = status["tables"]
        worst = table["staleness"]["worst"]
        self.at.append(round(at, 1))
        self.view_s.append(max((view["staleness_s"] or 0.0) for view in status["views"]))
        self.key_s.append(table["staleness"]["mean_s"])
        self.worst_key_s.append(worst[0]["staleness_s"] if worst else 0.0)
        process = psutil.Process(run)
        tree = [process, *process.children(recursive=True)]
        self.memory_mb.append(sum(member.memory_info().rss for member in tree) / 1e6)
        files = (file for file in folder.rglob("*") if file.is_file())
        self.disk_mb.append(sum(_size(file) for file in files) / 1e6)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # a push has just removed it
        return 0


def replay(quotes: Path, minutes: float, out: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Feed, look, stop feeding, wait until nothing waits, verify."""
    with tempfile.TemporaryDirectory(prefix="headwater-replay-") as scratch:
        folder = Path(scratch) / "market"
        folder.mkdir()
        table = _quotes(quotes)
        keys = table.group_by(["symbol", "exchange"]).aggregate([]).num_rows
        per_second = keys / SECONDS_A_PUSH / LOAD
        overload = f"overload: {{updates_per_second: {per_second:.3f}}}"
        (folder / "headwater.yml").write_text(f"name: market\n{overload}\nspark: {{master: 'local[2]'}}\n")
        (folder / "market.sql").write_text(SQL)
        project = hw.open(str(folder))
        symbols = table.column("symbol").unique().to_pylist()
        project.ingest("sectors", [{"symbol": name, "sector": f"sector {len(name)}"} for name in symbols])
        processes, samples, fed = Processes(folder, Path(scratch), {}), _Samples(), [0]
        processes.start_run()
        try:
            stop = threading.Event()
            feeder = threading.Thread(target=_feed, args=(project, table, stop, fed))
            feeder.start()
            begun = time.monotonic()
            while (at := time.monotonic() - begun) < minutes * 60:
                say(f"real quotes: {at:.0f} s, {fed[0]:,} quotes")
                time.sleep(SAMPLE_EVERY)
                samples.take(time.monotonic() - begun, _told(folder, "status"), folder, processes.run.pid)
            stop.set()
            feeder.join()
            choosing = _told(folder, "status")
            caught_up = _wait_until_shown(folder)
        finally:
            processes.close()
        verified = _told(folder, "verify")
    _draw(samples, out)
    half = len(samples.at) // 2
    return {
        "minutes": minutes,
        "quotes": fed[0],
        "keys": keys,
        "keys_per_second": round(per_second, 3),
        "superseded": choosing["tables"][0]["superseded"],
        "violations": sum(view["violations"] for view in choosing["views"]),
        "worst_view_s": max(samples.view_s),
        "mean_key_s": [_mean(samples.key_s[:half]), _mean(samples.key_s[half:])],
        "worst_key_s": [max(samples.worst_key_s[:half]), max(samples.worst_key_s[half:])],
        "memory_mb": [_mean(samples.memory_mb[:half]), _mean(samples.memory_mb[half:])],
        "disk_mb": [_mean(samples.disk_mb[:half]), _mean(samples.disk_mb[half:])],
        "caught_up_s": caught_up,
        "equal": all(relation["equal"] for relation in (*verified["views"], *verified["tables"])),
    }


def _quotes(path: Path) -> pa.Table:
    from pyarrow import compute as pc
    from pyarrow import csv

    table = csv.read_csv(path)
    table = table.filter(pc.greater_equal(table["ms_since_midnight"], BEGINS)).sort_by("ms_since_midnight")
    names = {"symbol": "symbol", "exchange": "exchange", "bid_x10000": "bid", "ask_x10000": "ask"}
    kept = {name: table[column] for column, name in names.items()}
    return pa.table(kept | {"at": pc.subtract(table["ms_since_midnight"], BEGINS)})


def _batches(table: pa.Table) -> Iterator[tuple[float, pa.Table]]:
    """Batches of quotes, and the second at which each is due."""
    for start in range(0, table.num_rows, BATCH):
        batch = table.slice(start, BATCH)
        yield batch["at"][-1].as_py() / 1000.0 / FASTER, batch.drop_columns("at")


def _feed(project: hw.Headwater, table: pa.Table, stop: threading.Event, fed: list[int]) -> None:
    begun = time.monotonic()
    for due, batch in _batches(table):
        if stop.wait(max(0.0, due - (time.monotonic() - begun))):
            return
        project.ingest("quotes", batch)
        fed[0] += batch.num_rows


def _told(folder: Path, command: str) -> dict[str, Any]:
    asked = [sys.executable, "-m", "headwater.cli.app", command, str(folder), "--json"]
    told: dict[str, Any] = json.loads(subprocess.run(asked, capture_output=True, check=False).stdout)
    return told


def _wait_until_shown(folder: Path) -> float | None:
    """Seconds until nothing waits any more; None: not within three minutes."""
    begun = time.monotonic()
    while time.monotonic() - begun < 180.0:
        if not _told(folder, "status")["tables"][0]["waiting"]:
            return round(time.monotonic() - begun, 1)
        time.sleep(2.0)
    return None


def _mean(values: list[float]) -> float:
    return round(sum(values) / max(len(values), 1), 1)


def _draw(samples: _Samples, out: Path) -> None:
    stale = {"stalest view": samples.view_s, "mean key": samples.key_s, "stalest key": samples.worst_key_s}
    used = {"memory (MB)": samples.memory_mb, "disk (MB)": samples.disk_mb}
    draw(
        [
            Panel("staleness", "Real quotes, ten times too many", "seconds", "seconds", samples.at, stale),
            Panel("used", "What it takes", "seconds", "MB", samples.at, used),
        ],
        out / "replay.svg",
    )

"""`headwater bench crash`: kill -9 at random moments, then prove that nothing was lost or doubled.

A run and two writers work on one project as processes of their own.  Again and again one of them, or all, is
killed without warning at a random moment; then everything captured is applied, every view is verified
against a recompute, and the sources are compared with what the writers had been told was accepted:

    told accepted     is there, exactly once
    there, not told   only what a writer was killed in the middle of: at most one batch each
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.storage.zset import consolidate

__all__ = ["Crash", "run", "write_forever"]

BATCH = 20
TABLES = ("orders", "items")

PROJECT = {
    "headwater.yml": "name: crash\n",
    "all.sql": """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, amount BIGINT);
CREATE TABLE items (id BIGINT PRIMARY KEY, order_id BIGINT, quantity BIGINT);
CREATE MATERIALIZED VIEW joined FRESHNESS = INTERVAL '2' SECOND REFRESH POLICY INCREMENTAL AS
  SELECT o.id, o.customer, i.id AS item, i.quantity FROM orders o JOIN items i ON i.order_id = o.id;
CREATE MATERIALIZED VIEW by_customer FRESHNESS = INTERVAL '2' SECOND REFRESH POLICY INCREMENTAL AS
  SELECT customer, count(*) AS n, sum(amount) AS total, max(amount) AS largest FROM orders GROUP BY customer;
CREATE MATERIALIZED VIEW heavy FRESHNESS = INTERVAL '3' SECOND REFRESH POLICY INCREMENTAL AS
  SELECT b.customer, b.total, t.quantity FROM by_customer b
  JOIN (SELECT o.customer, sum(i.quantity) AS quantity FROM orders o JOIN items i ON i.order_id = o.id
        GROUP BY o.customer) t ON t.customer = b.customer;
""",
}


@dataclass(frozen=True, slots=True)
class Crash:
    """One kill and what was found afterwards."""

    number: int
    victim: str
    after_s: float
    views_equal: bool
    lost: int
    doubled: int
    untold: int
    rows: int

    @property
    def well(self) -> bool:
        return self.views_equal and not self.lost and not self.doubled and self.untold <= 2 * BATCH


def write_forever(folder: str, table: str, log: str, seed: int) -> None:
    """A writer: batches of insertions, with an update and a deletion now and then; told ids are logged."""
    project = open_project(folder)
    chance = random.Random(seed)
    number = seed * 1_000_000
    with open(log, "a") as told:
        while True:
            ids = [number + one for one in range(BATCH)]
            number += BATCH
            rows = [_row(table, one, chance) for one in ids]
            if chance.random() < 0.3:
                rows.append({"op": "delete", "row": {"id": ids[0]}})
                ids = ids[1:]
            done = project.ingest(table, rows)
            assert done.rejected == 0, done.reasons
            told.write(json.dumps(ids) + "\n")
            told.flush()
            time.sleep(0.05)


def _row(table: str, number: int, chance: random.Random) -> dict[str, object]:
    if table == "orders":
        return {"id": number, "customer": chance.randrange(40), "amount": chance.randrange(1000)}
    # Items refer to orders of the other writer, which counts in the same steps.
    return {
        "id": number,
        "order_id": number % 1_000_000 + 1_000_000 * (1 + number // 1_000_000 % 2),
        "quantity": chance.randrange(9),
    }


def run(
    folder: Path, kills: int, seed: int = 0, tell: Callable[[str], None] = lambda text: None
) -> list[Crash]:
    shop = folder / "project"
    shop.mkdir(parents=True)
    for name, text in PROJECT.items():
        (shop / name).write_text(text)
    chance = random.Random(seed)
    found = []
    for number in range(1, kills + 1):
        found.append(_one(shop, folder, number, chance))
        one = found[-1]
        tell(
            f"kill {number}: {one.victim} after {one.after_s:.1f} s; {one.rows:,} rows,"
            f" {'well' if one.well else 'NOT WELL'}"
        )
    return found


def _one(shop: Path, folder: Path, number: int, chance: random.Random) -> Crash:
    processes = {
        "run": subprocess.Popen(
            [sys.executable, "-m", "headwater.cli.app", "run", str(shop)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ),
        **{
            f"writer {table}": subprocess.Popen(
                [sys.executable, "-c",
                 f"from headwater.bench.crash import write_forever as w;"
                 f"w({str(shop)!r}, {table!r}, {str(folder / f'{table}.log')!r}, {2 * number + index})"],
            )
            for index, table in enumerate(TABLES)
        },
    }  # fmt: skip
    start = time.monotonic()
    try:
        _wait_for_pushes(shop, processes["run"])
        time.sleep(chance.random() * 6)
        victim = chance.choice(["run", *processes, "all"])
        for name, process in processes.items():
            if victim in (name, "all"):
                process.send_signal(signal.SIGKILL)
        time.sleep(chance.random())
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
    return _check(shop, folder, number, victim, time.monotonic() - start)


def _wait_for_pushes(shop: Path, process: subprocess.Popen[bytes]) -> None:
    """Until the run has its Spark and pushes: killing it before would prove little."""
    project = open_project(str(shop))
    before = {view: _time(project, view) for view in project.catalog.kept}
    until = time.monotonic() + 180
    while time.monotonic() < until and process.poll() is None:
        if any(_time(project, view) > before[view] for view in before):
            return
        time.sleep(0.2)
    raise RuntimeError("the run did not push anything within three minutes")


def _time(project: Headwater, view: str) -> int:
    timeline = project.warehouse.stage(project.catalog.folder(view))
    return timeline.time() if timeline.exists() else 0


def _check(shop: Path, folder: Path, number: int, victim: str, after: float) -> Crash:
    project = open_project(str(shop))
    project.run_until_idle()
    equal = all(one.equal for one in project.verify())
    lost = doubled = untold = rows = 0
    for table in TABLES:
        counts = _counts(project, table)
        told = _told(folder / f"{table}.log")
        lost += sum(counts[one] == 0 for one in told)
        doubled += sum(count > 1 for count in counts.values())
        untold += sum(one not in told for one in counts if one // 1_000_000 // 2 == number)
        rows += len(counts)
    return Crash(number, victim, after, equal, lost, doubled, untold, rows)


def _counts(project: Headwater, table: str) -> Counter[int]:
    timeline = project.warehouse.source(table)
    changes: pa.Table = consolidate(timeline.read(timeline.as_of(timeline.time())))
    ids, weights = changes.column("id").to_pylist(), changes.column("_weight").to_pylist()
    counts: Counter[int] = Counter()
    for one, weight in zip(ids, weights, strict=True):
        counts[one] += weight
    return counts


def _told(log: Path) -> set[int]:
    lines = log.read_text().splitlines() if log.exists() else []
    return {one for line in lines for one in json.loads(line)}

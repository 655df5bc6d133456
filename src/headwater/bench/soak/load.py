"""The load of a soak: two writers of the shop, as processes of their own, at a rate.

traffic     what happens in a shop: customers, orders, lines, payments, statuses; orders are deleted once
            there are ORDERS later ones, so that pushes have as much to do at the end as at the beginning
updates     random customers move to another country: the same rows change again and again
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from headwater.api import open as open_project
from headwater.starter.traffic import COUNTRIES, Traffic

__all__ = ["CUSTOMERS", "open_shop", "start_writer", "write"]

CUSTOMERS = 300  # that are there from the beginning, and are updated
ORDERS = 2_000
EVERY_S = 1.0
WRITER = (
    "import sys; from headwater.bench.soak.load import write; "
    "write(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))"
)


def open_shop(folder: Path, seed: int) -> None:
    """Fill the shop's tables as it opens."""
    project = open_project(str(folder))
    for table, rows in _traffic(seed).opening(datetime.now(UTC), CUSTOMERS, ORDERS).items():
        project.ingest(table, rows)


def start_writer(folder: Path, kind: str, rate: float, seed: int, log: Path) -> subprocess.Popen[bytes]:
    with open(log, "ab") as output:
        return subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), kind, str(rate), str(seed)],
            stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip


def write(folder: str, kind: str, rate: float, seed: int) -> None:
    """Write for ever, a batch every second; one that took longer is made up for."""
    project = open_project(folder)
    traffic, chance = _traffic(seed), random.Random(seed)
    traffic.opening(datetime.now(UTC), CUSTOMERS, ORDERS)  # the shop as `open_shop` left it
    begun, written = time.monotonic(), 0
    while True:
        time.sleep(EVERY_S)
        size = int((time.monotonic() - begun) * rate) - written
        if kind == "traffic":
            changes = traffic.batch(datetime.now(UTC), size)
        else:
            changes = {"customers": [_moved(chance) for _ in range(size)]}
        for table, records in changes.items():
            if records:
                project.ingest(table, records)
        written += sum(map(len, changes.values()))


def _traffic(seed: int) -> Traffic:
    return Traffic(seed, recent=ORDERS, archives=True)


def _moved(chance: random.Random) -> dict[str, object]:
    number = chance.randint(1, CUSTOMERS)
    row = {"customer_id": number, "name": f"customer {number}", "country": chance.choice(COUNTRIES)}
    return {"op": "update", "row": row}

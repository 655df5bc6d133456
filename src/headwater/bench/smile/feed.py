"""The load: a process that appends slices of tweets through the Python API at the wanted rate, open loop.

    python -m headwater.bench.smile.feed PROJECT PLAN

The plan (JSON) says how many tweets each batch holds and how far apart batches are.  A batch is sent when its
interval is over by the wall clock; one that is late is sent at once, and how late is told: the load does not
wait for whoever is slow.  After each batch a line of JSON goes to standard output; at the end, a summary.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.bench.smile.workload import Position, slice_of
from headwater.errors import InternalError

__all__ = ["feed", "main"]

Rows = Mapping[str, pa.Table]


def feed(project: Headwater, plan: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Send every batch of the plan in its time; tells of each, then sums up."""
    start, sent, rows, late, generating = time.time(), 0, 0, 0.0, 0.0
    counts: list[int] = plan["batches"]
    spent = time.process_time()
    source = slices_of(plan)
    for number, tweets in enumerate(counts, start=1):
        began = time.process_time()
        batch = next(source)
        generating += time.process_time() - began
        due = start + number * plan["every"]
        time.sleep(max(0.0, due - time.time()))
        rows += _send(project, batch)
        sent += tweets
        late = max(late, time.time() - due)
        yield {"at": time.time(), "tweets": sent, "rows": rows, "late_s": round(time.time() - due, 3)}
    yield {
        "done": True, "started_at": start, "seconds": time.time() - start, "tweets": sent, "rows": rows,
        "worst_late_s": late, "cpu_s": time.process_time() - spent, "generating_cpu_s": generating,
    }  # fmt: skip


def slices_of(plan: Mapping[str, Any]) -> Iterator[Rows]:
    """The batches' rows."""
    if plan.get("source") == "gowalla":
        from headwater.bench.smile.gowalla import check_ins, read_gowalla

        yield from check_ins(read_gowalla(), plan["batches"], plan["position"]["tweets"])
        return
    position = Position(**plan["position"])
    for tweets in plan["batches"]:
        if tweets == 0:
            yield {}
            continue
        one = slice_of(plan["seed"], position, tweets)
        position = one.after
        yield one.rows


def _send(project: Headwater, batch: Rows) -> int:
    sent = 0
    for table, rows in batch.items():
        if rows.num_rows:
            done = project.ingest(table, rows)
            if done.rejected:
                raise InternalError("HW411", f"{table} rejects a generated row: {done.reasons[0].reason}")
            sent += done.accepted
    return sent


def main() -> None:
    folder, plan = sys.argv[1:]
    project = open_project(folder)
    print(json.dumps({"ready": True}), flush=True)
    sys.stdin.readline()  # the bench says when to start
    for told in feed(project, json.loads(Path(plan).read_text())):
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()

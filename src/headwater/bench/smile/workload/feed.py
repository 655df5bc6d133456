"""The load: a process that appends slices of tweets through the Python API at a given rate, open loop.

    python -m headwater.bench.smile.workload.feed PROJECT SCHEDULE

The schedule (JSON) says how many tweets each batch holds and how far apart batches are.  A batch is sent
when its interval is over by the wall clock; a late one is sent at once, and its delay is reported: the load
does not wait for slow processing.  After each batch a line of JSON goes to standard output; at the end, a
summary.
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
from headwater.bench.smile.workload.relations import Position, slice_of
from headwater.errors import InternalError

__all__ = ["feed", "main"]

Rows = Mapping[str, pa.Table]


def feed(project: Headwater, schedule: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Send every batch of the schedule in its time; yields a report of each, then a summary."""
    start, sent, rows, late, generating = time.time(), 0, 0, 0.0, 0.0
    counts: list[int] = schedule["batches"]
    spent = time.process_time()
    source = slices_of(schedule)
    for number, tweets in enumerate(counts, start=1):
        began = time.process_time()
        batch = next(source)
        generating += time.process_time() - began
        due = start + number * schedule["every"]
        time.sleep(max(0.0, due - time.time()))
        rows += _send(project, batch)
        sent += tweets
        late = max(late, time.time() - due)
        yield {"at": time.time(), "tweets": sent, "rows": rows, "late_s": round(time.time() - due, 3)}
    yield {
        "done": True, "started_at": start, "seconds": time.time() - start, "tweets": sent, "rows": rows,
        "worst_late_s": late, "cpu_s": time.process_time() - spent, "generating_cpu_s": generating,
    }  # fmt: skip


def slices_of(schedule: Mapping[str, Any]) -> Iterator[Rows]:
    """The rows of each batch."""
    if schedule.get("source") == "gowalla":
        from headwater.bench.smile.workload.gowalla import check_ins, read_gowalla

        yield from check_ins(read_gowalla(), schedule["batches"], schedule["position"]["tweets"])
        return
    position = Position(**schedule["position"])
    for tweets in schedule["batches"]:
        if tweets == 0:
            yield {}
            continue
        part = slice_of(schedule["seed"], position, tweets)
        position = part.after
        yield part.rows


def _send(project: Headwater, batch: Rows) -> int:
    sent = 0
    for table, rows in batch.items():
        if rows.num_rows:
            done = project.ingest(table, rows)
            if done.rejected:
                raise InternalError("HW867", f"{table} rejects a generated row: {done.reasons[0].reason}")
            sent += done.accepted
    return sent


def main() -> None:
    folder, schedule = sys.argv[1:]
    project = open_project(folder)
    print(json.dumps({"ready": True}), flush=True)
    sys.stdin.readline()  # the bench says when to start
    for report in feed(project, json.loads(Path(schedule).read_text())):
        print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()

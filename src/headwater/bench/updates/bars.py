"""The targets for update streams, each measured: policies, optimum, real quotes, throughput, a long trace."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from headwater.bench.updates.workloads import quotes, zipf
from headwater.overload.updates.queue.update_queue import UpdateQueue
from headwater.overload.updates.simulation.optimum import expected_area
from headwater.overload.updates.simulation.simulate import Settings, simulate
from headwater.overload.updates.simulation.trace import Chunk

__all__ = ["Bar", "long_trace", "optimum", "policies", "quotes_table", "throughput"]

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Bar:
    """A target, what was measured, and whether it is met."""

    bar: str
    wanted: str
    measured: str
    met: bool

    def row(self) -> Row:
        return asdict(self)


def _staleness(chunks: list[Chunk], cost: float, names: tuple[str, ...]) -> dict[str, float]:
    return {name: simulate(chunks, Settings(name, cost)).application_staleness for name in names}


def policies(quick: bool) -> tuple[list[Row], list[Bar]]:
    """All update queues over keys, skew and load; averages over seeds."""
    names = ("fifo", "inplace", "linecut", "best")
    seeds = (1,) if quick else (1, 2)
    rows: list[Row] = []
    for keys in (100,) if quick else (10, 100, 1000):
        for theta in (0.0, 0.9) if quick else (0.0, 0.5, 0.9, 1.5):
            for load in (2.0, 5.0) if quick else (1.2, 2.0, 5.0, 10.0):
                updates = 20_000 if quick else max(60_000, 100 * keys)
                runs = [_staleness(zipf(updates, keys, theta, seed), load, names) for seed in seeds]
                mean = {name: float(np.mean([run[name] for run in runs])) for name in names}
                rows.append({"keys": keys, "theta": theta, "load": load} | mean | _ratios(mean))
    return rows, _policy_bars(rows)


def _ratios(mean: dict[str, float]) -> Row:
    best = mean["best"]
    return {
        "best_over_inplace": best / mean["inplace"],
        "best_over_linecut": best / mean["linecut"],
        "inplace_over_fifo": mean["inplace"] / mean["fifo"],
    }


def _policy_bars(rows: list[Row]) -> list[Bar]:
    def ratio(row: Row, name: str) -> float:
        return float(str(row[name]))

    worst = max(max(ratio(row, "best_over_inplace"), ratio(row, "best_over_linecut")) for row in rows)
    at_5 = max(
        ratio(r, "best_over_linecut") for r in rows if (r["theta"], r["load"], r["keys"]) == (0.9, 5.0, 100)
    )
    at_2 = max(
        ratio(r, "best_over_inplace") for r in rows if (r["theta"], r["load"], r["keys"]) == (0.9, 2.0, 100)
    )
    paper = [row for row in rows if ratio(row, "theta") <= 0.9 and ratio(row, "load") >= 2.0]
    fifo = max(ratio(row, "inplace_over_fifo") for row in paper)
    fifo_all = max(ratio(row, "inplace_over_fifo") for row in rows)
    return [
        Bar(
            "best against IN-PLACE and LINECUTTING, worst of all",
            "at most 1.005",
            f"{worst:.4f}",
            worst <= 1.005,
        ),
        Bar("best / LINECUTTING, Zipf 0.9, load 5, 100 keys", "at most 0.90", f"{at_5:.3f}", at_5 <= 0.9),
        Bar("best / IN-PLACE, Zipf 0.9, load 2, 100 keys", "at most 0.80", f"{at_2:.3f}", at_2 <= 0.8),
        Bar("IN-PLACE / FIFO, theta at most 0.9, load at least 2", "at most 1", f"{fifo:.3f}", fifo <= 1.0),
        Bar("IN-PLACE / FIFO, all settings tried", "at most 1", f"{fifo_all:.3f}", fifo_all <= 1.0),
    ]


def optimum(quick: bool) -> Bar:
    """IN-PLACE against every schedule that does not know the future, equal keys: exhaustive."""
    cases = ((2, 2, 6), (3, 2, 4)) if quick else ((2, 2, 9), (2, 3, 7), (3, 2, 7), (3, 3, 5), (4, 2, 5))
    worst = max(
        expected_area(*case, oldest_first=True) / expected_area(*case, oldest_first=False) for case in cases
    )
    return Bar("IN-PLACE / best of all schedules, keys alike", "1", f"{worst:.9f}", worst <= 1 + 1e-9)


def quotes_table(quick: bool) -> list[Row]:
    """Staleness of real quotes in milliseconds at three load factors; empty without the data."""
    chunks = quotes()
    if chunks is None:
        return []
    chunk = chunks[0]
    count = 40_000 if quick else len(chunk.times)
    chunk = Chunk(chunk.times[:count], chunk.keys[:count], chunk.key_count)
    rows: list[Row] = []
    for load in (2.0, 5.0, 10.0):
        cost = load * float(chunk.times[-1]) / count
        staleness = _staleness([chunk], cost, ("fifo", "inplace", "linecut", "best"))
        append = simulate([chunk], Settings("append", cost, float(chunk.times[-1]))).application_staleness
        in_ms: Row = {f"{name} ms": value * 1000 for name, value in staleness.items()}
        rows.append(
            {"load": load, "quotes": count} | in_ms | {"append ms": append * 1000} | _ratios(staleness)
        )
    return rows


def throughput(quick: bool) -> list[Row]:
    """Rows per second of CPU time into and out of a queue of 100,000 keys, in Arrow batches."""
    keys, rows, batches = 100_000, 1 << (14 if quick else 20), 4
    random = np.random.default_rng(1)
    names = np.array([f"SYM{number:06d}" for number in range(keys)], dtype=object)
    schema = pa.schema([("symbol", pa.string()), ("price", pa.float64()), ("size", pa.int64())])
    data = []
    for _ in range(batches):
        drawn = random.integers(0, keys, rows)
        data.append(
            pa.record_batch(
                [pa.array(names[drawn]), pa.array(random.random(rows)), pa.array(drawn)], schema=schema
            )
        )
    table: list[Row] = []
    for policy in ("fifo", "inplace", "linecut", "best"):
        inward, outward = _time_queue(UpdateQueue(schema, "symbol", policy, 1e-6), data)
        table.append(
            {
                "policy": policy,
                "enqueue_per_s": batches * rows / inward,
                "dequeue_per_s": batches * 20_000 / outward,
            }
        )
    return table


def _time_queue(queue: UpdateQueue, data: list[pa.RecordBatch]) -> tuple[float, float]:
    inward = outward = 0.0
    for now, batch in enumerate(data):
        begin = time.process_time()
        queue.enqueue(batch, np.linspace(now, now + 1, batch.num_rows))
        middle = time.process_time()
        queue.dequeue(20_000, now + 1.0)
        inward += middle - begin
        outward += time.process_time() - middle
    return inward, outward


CHILD = """
import sys, time
from headwater.cli.app import main
begin = time.perf_counter()
try:
    main()
except SystemExit:
    pass
seconds = time.perf_counter() - begin
with open("/proc/self/status") as status:  # ru_maxrss would also count the parent before exec
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
print(seconds, time.process_time(), peak, file=sys.stderr)
"""


def long_trace(quick: bool) -> list[Row]:
    """The command on a trace of 10 million updates over 100,000 keys, load factor 5: seconds and memory."""
    updates, keys = (20_000, 1_000) if quick else (10_000_000, 100_000)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        _write_trace(path, updates, keys)
        for policy in ("inplace", "best") if quick else ("append", "fifo", "inplace", "linecut", "best"):
            arguments = ["simulate", "updates", str(path), "--cost", "0.005", "--policy", policy, "--json"]
            done = subprocess.run(
                [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, check=True
            )
            seconds, cpu, megabytes = (float(part) for part in done.stderr.split()[-3:])
            rows.append(
                {
                    "policy": policy,
                    "updates": updates,
                    "keys": keys,
                    "seconds": seconds,
                    "cpu_s": cpu,
                    "peak_mb": megabytes,
                }
            )
    return rows


def _write_trace(path: Path, updates: int, keys: int) -> None:
    """A thousand updates a second, Zipf 0.9, written block by block."""
    step = 1_000_000
    with csv.CSVWriter(path, pa.schema([("time", pa.float64()), ("key", pa.string())])) as writer:
        for begin in range(0, updates, step):
            count = min(step, updates - begin)
            drawn = zipf(count, keys, 0.9, seed=begin + 1)[0].keys
            times = (begin + np.arange(count)) / 1000.0
            names = pa.array(np.char.add("k", drawn.astype(str)))
            writer.write_table(pa.table({"time": times, "key": names}))

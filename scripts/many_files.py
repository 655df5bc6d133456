"""What it takes to open a table of many files: `python scripts/many_files.py [FILES]`.

The log is written without data files: opening a table reads none.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context

import pyarrow as pa
from deltalake import DeltaTable

from headwater.storage.delta.log_commits import write_commit
from headwater.storage.timeline import Timeline

NUMBERS, TEXTS, A_COMMIT = 14, 6, 500
COLUMNS = pa.schema(
    [*((f"n{at}", pa.int64()) for at in range(NUMBERS)), *((f"s{at}", pa.string()) for at in range(TEXTS))]
)


def statistics(file: int) -> str:
    least = {column.name: file if column.name[0] == "n" else f"text {file:09d}" for column in COLUMNS}
    least["_weight"] = 1
    nulls = dict.fromkeys(least, 0)
    return json.dumps({"numRecords": 100, "minValues": least, "maxValues": least, "nullCount": nulls})


def filled(path: str, files: int) -> None:
    Timeline(path).create(COLUMNS)
    for version, first in enumerate(range(0, files, A_COMMIT), start=1):
        adds = [
            {
                "path": f"{file:020d}.parquet", "partitionValues": {"_time": str(file)}, "size": 1_000,
                "modificationTime": 0, "dataChange": True, "stats": statistics(file),
            }
            for file in range(first, first + A_COMMIT)
        ]  # fmt: skip
        time_reached = {"txn": {"appId": "headwater", "version": first + A_COMMIT}}
        write_commit(path, version, iter([time_reached, *({"add": add} for add in adds)]))
    DeltaTable(path).create_checkpoint()


def timed(what: str, work: Callable[[], object]) -> None:
    start = time.process_time()
    work()
    print(f"{what:30} {1_000 * (time.process_time() - start):10.2f} ms of CPU")


def main(files: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        filling = get_context("spawn").Process(target=filled, args=(folder, files))  # with its own memory
        filling.start()
        filling.join()
        before, timeline = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, Timeline(folder)
        timed("open", timeline.time)
        timed("first delta", lambda: timeline.delta(files - 10, files))
        timed("next delta", lambda: timeline.delta(files - 20, files))
        timed("state", lambda: timeline.as_of(files))
        timed("commit and look", lambda: (timeline.commit(10 * files), timeline.time()))
        print(f"{(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024:.0f} MB more at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)

"""A function of plain Python over several items at once: each is a task of Spark.

For work that is not SQL, such as reading partitions of a store.  The function and the items are pickled, so
whoever runs them must be able to import what they name.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

__all__ = ["map_tasks"]


def map_tasks(spark: SparkSession, work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """The results in the order of the items."""
    pickled, everything = pickle.dumps(work), [pickle.dumps(item) for item in items]

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                result = pickle.dumps(pickle.loads(pickled)(pickle.loads(everything[number])))
                yield pa.RecordBatch.from_pydict({"number": [number], "result": [result]})

    numbers = spark.range(0, len(items), 1, len(items))
    rows = numbers.mapInArrow(run, "number bigint, result binary").collect()
    return [pickle.loads(row.result) for row in sorted(rows, key=lambda row: row.number)]

"""What a query reads, known to a Spark session by name: slices of timelines, and parts computed before.

Names are temporary views of one action and go with it.
"""

from __future__ import annotations

import uuid
from functools import lru_cache
from types import TracebackType

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from headwater.engine.query import Query, quoted, union
from headwater.storage.timeline import WEIGHT, Slice, Timeline, change_schema

__all__ = ["Opened", "spark_schema"]


@lru_cache(maxsize=1_000)
def spark_schema(schema: pa.Schema) -> StructType:
    """Arrow's schema as Spark's, everything nullable: what is declared NOT NULL is checked at capture."""
    return StructType([StructField(one.name, one.dataType, True) for one in from_arrow_schema(schema)])


class Opened:
    """Slices and frames of one action as temporary views of a session, each slice opened once."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.files: dict[tuple[str, ...], str] = {}  # of slices -> their view
        self._prefix = f"hw_{uuid.uuid4().hex[:8]}"
        self._views: list[str] = []
        self._kept: dict[str, tuple[Query, DataFrame]] = {}  # what promised files stand for

    def __enter__(self) -> Opened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in self._views:
            self.spark.catalog.dropTempView(name)
        for _, frame in self._kept.values():
            frame.unpersist()

    def slice(self, timeline: Timeline, part: Slice) -> Query:
        """The changes of a slice. Files and schema are given: no listing, no inference."""
        schema = spark_schema(change_schema(timeline.columns()))
        columns = tuple(name for name in schema.names if name != WEIGHT)
        if part.empty:
            # No rows of these types, known to be none before anything runs.
            typed = (f"CAST(NULL AS {one.dataType.simpleString()}) AS {quoted(one.name)}" for one in schema)
            return Query(f"(SELECT {', '.join(typed)} WHERE false)", columns)
        found = [self._kept[file.path][0].named(columns) for file in part.files if file.path in self._kept]
        files = tuple(file.path for file in part.files if file.path not in self._kept)
        if files:
            if files not in self.files:
                self.files[files] = self._known(self.spark.read.schema(schema).parquet(*files))
            found.append(Query(self.files[files], columns))
        return union(found)

    def keep(self, path: str, query: Query) -> Query:
        """Remember the rows of a query when they are computed first: others read them as a promised file."""
        frame = self.run(query).persist()
        kept = Query(self._known(frame), query.columns)
        self._kept[path] = (kept, frame)
        return kept

    def frame(self, frame: DataFrame) -> Query:
        """Something computed, or asked in other words."""
        return Query(self._known(frame), tuple(name for name in frame.columns if name != WEIGHT))

    def run(self, query: Query) -> DataFrame:
        """The query as a frame, of its columns and the weight."""
        return self.spark.sql(f"SELECT * FROM {query.text}")

    def _known(self, frame: DataFrame) -> str:
        name = f"{self._prefix}_{len(self._views)}"
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name

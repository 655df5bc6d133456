"""The inputs of a query, registered in a Spark session: slices of timelines, and results computed before.

They are temporary views of one action and are dropped with it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from functools import lru_cache
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from headwater.engine.query.query import Query, quoted, union
from headwater.engine.spark.paths import literal_path
from headwater.storage.timeline import TIME, WEIGHT, Slice, Timeline, change_schema

__all__ = ["Inputs", "spark_schema"]


@lru_cache(maxsize=1_000)
def spark_schema(schema: pa.Schema) -> StructType:
    """Arrow's schema as Spark's, all nullable: NOT NULL is checked at capture."""
    return StructType(
        [StructField(column.name, column.dataType, True) for column in from_arrow_schema(schema)]
    )


def _time_of_file(part: Slice) -> str:
    """The time of the file that a row is read from, as SQL. Most files have it in their names."""
    name = "_metadata.file_name"
    times = {os.path.basename(file.path): int(file.minimum[TIME]) for file in part.files}
    if all(file.startswith(f"{time:020d}-") for file, time in times.items()):
        return f"CAST(substring({name}, 1, 20) AS BIGINT)"
    listed = ", ".join(f"'{file}', {time}L" for file, time in times.items())
    return f"element_at(map({listed}), {name})"


class Inputs:
    """Slices and frames of one action as temporary views of a session; each slice is read once.

    With `one_task` whoever reads an input reads all of it: Spark then needs neither shuffles nor broadcasts,
    each of which is a stage or a job of its own.
    """

    def __init__(self, spark: SparkSession, one_task: bool = False) -> None:
        self.spark = spark
        self.one_task = one_task
        self.files: dict[tuple[str, ...], str] = {}  # files of a slice -> their view
        self._prefix = f"hw_{uuid.uuid4().hex[:8]}"
        self._views: list[str] = []
        self._persisted: dict[str, tuple[Query, DataFrame]] = {}  # by path of the pending file they stand for
        self._temporary: list[str] = []  # files that go with the action

    def __enter__(self) -> Inputs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in self._views:
            self.spark.catalog.dropTempView(name)
        for _, frame in self._persisted.values():
            frame.unpersist()
        for path in self._temporary:
            os.remove(path)

    def slice(self, timeline: Timeline, part: Slice) -> Query:
        """The changes of a slice. Files and schema are given, so Spark neither lists nor infers anything."""
        schema = spark_schema(change_schema(timeline.columns()))
        columns = tuple(name for name in schema.names if name != WEIGHT)
        if part.empty:
            # A typed query that Spark's optimiser recognises as empty before anything runs.
            nulls = (
                f"CAST(NULL AS {column.dataType.simpleString()}) AS {quoted(column.name)}"
                for column in schema
            )
            return Query(f"(SELECT {', '.join(nulls)} WHERE false)", columns)
        parts = [
            self._persisted[file.path][0].named(columns)
            for file in part.files
            if file.path in self._persisted
        ]
        files = tuple(file.path for file in part.files if file.path not in self._persisted)
        if files:
            if files not in self.files:
                self.files[files] = self._register(self._reading(schema, files))
            parts.append(Query(self.files[files], columns))
        return union(parts)

    def numbered(self, timeline: Timeline, parts: Sequence[Slice], number: str) -> Query:
        """The changes of slices of several timelines that have the same columns, each with its number.

        Which file belongs to which is a small table, so that Spark compiles the same code for all files.
        """
        owners = {os.path.basename(file.path): at for at, part in enumerate(parts) for file in part.files}
        files = tuple(file.path for part in parts for file in part.files)
        if not files:
            empty = self.slice(timeline, parts[0])
            text = f"(SELECT *, CAST(NULL AS INT) AS {quoted(number)} FROM {empty.text})"
            return Query(text, (*empty.columns, number))
        schema = spark_schema(change_schema(timeline.columns()))
        columns = tuple(name for name in schema.names if name != WEIGHT)
        frame = self._reading(schema, files)
        changes = self._register(frame.selectExpr("*", "_metadata.file_name AS _file"))
        listed = ", ".join(f"('{file}', {at})" for file, at in owners.items())
        selected = ", ".join((*map(quoted, columns), WEIGHT))
        text = (
            f"(SELECT /*+ BROADCAST(o) */ {selected}, _owner AS {quoted(number)} FROM {changes} AS c"
            f" JOIN (SELECT * FROM VALUES {listed} AS _owners(_name, _owner)) AS o ON _file = _name)"
        )
        return Query(text, (*columns, number))

    def temporary(self, path: str) -> Query:
        """The changes in a file that is there for this action only."""
        self._temporary.append(path)
        schema = spark_schema(pq.read_schema(path))
        return self.frame(self._reading(schema, [path]))

    def arrivals(self, timeline: Timeline, part: Slice, at: str) -> Query:
        """The changes of a slice with the time of each, which only the log knows, in the column `at`."""
        schema = spark_schema(change_schema(timeline.columns()))
        columns = (*(name for name in schema.names if name != WEIGHT), at)
        if part.empty:
            empty = self.slice(timeline, part)
            return Query(f"(SELECT *, CAST(NULL AS BIGINT) AS {quoted(at)} FROM {empty.text})", columns)
        frame = self._reading(schema, [file.path for file in part.files])
        return Query(self._register(frame.selectExpr("*", f"{_time_of_file(part)} AS {quoted(at)}")), columns)

    @property
    def bytes_read(self) -> int:
        """Of all files that were asked for."""
        return sum(os.path.getsize(path) for files in self.files for path in files)

    def persist(self, path: str, query: Query) -> Query:
        """Compute a query once and keep its rows; slices that hold the pending file `path` read them."""
        frame = self.run(query).persist()
        persisted = Query(self._register(frame), query.columns)
        self._persisted[path] = (persisted, frame)
        return persisted

    def _reading(self, schema: StructType, files: Sequence[str]) -> DataFrame:
        return self.spark.read.schema(schema).parquet(*map(literal_path, files))

    def frame(self, frame: DataFrame) -> Query:
        """A frame as a query: something computed, or written with the DataFrame API."""
        return Query(self._register(frame), tuple(name for name in frame.columns if name != WEIGHT))

    def run(self, query: Query) -> DataFrame:
        """The query as a frame, with its columns and the weight."""
        return self.spark.sql(f"SELECT * FROM {query.text}")

    def _register(self, frame: DataFrame) -> str:
        name = f"{self._prefix}_{len(self._views)}"
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return f"(SELECT /*+ COALESCE(1) */ * FROM {name})" if self.one_task else name

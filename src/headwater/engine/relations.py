"""Relations as Spark sees them: which files a Scan reads, and the DataFrame over just those files.

The Delta log answers before Spark is asked: a delta with no files is empty, a relation whose files all hold
positive weights needs no consolidation, and files outside a range of join keys are not read at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from headwater.algebra.nodes import Scan, Version
from headwater.algebra.stages import Stage
from headwater.engine.operators import quoted
from headwater.storage.delta_log import Snapshot
from headwater.storage.timeline import WEIGHT, Range, Slice, Timeline, change_schema
from headwater.storage.view_rows import STATE, VISIBLE
from headwater.storage.warehouse import Warehouse

__all__ = ["Relations", "read_slice", "spark_schema"]


def spark_schema(schema: pa.Schema) -> StructType:
    """Arrow's schema as Spark's, everything nullable: what is declared NOT NULL is checked at capture."""
    return StructType([StructField(one.name, one.dataType, True) for one in from_arrow_schema(schema)])


def read_slice(spark: SparkSession, timeline: Timeline, part: Slice) -> DataFrame:
    """The changes of a slice, with their weight. Files and schema are given: no listing, no inference."""
    schema = spark_schema(change_schema(timeline.columns()))
    if part.empty:
        # No rows of these types, known to be none before anything runs (createDataFrame would start Python).
        typed = (f"CAST(NULL AS {one.dataType.simpleString()}) AS {quoted(one.name)}" for one in schema)
        return spark.range(0).selectExpr(*typed)
    return spark.read.schema(schema).parquet(*(file.path for file in part.files))


@dataclass(slots=True)
class Relations:
    """The relations of one push: sources, views and stages, between `after` (OLD) and `until` (NEW)."""

    spark: SparkSession
    warehouse: Warehouse
    sources: frozenset[str]
    names: Mapping[str, str]  # stage or view -> its folder below stages/
    after: int
    until: int
    own: Stage | None = None  # the stage being pushed: reading itself, it reads what it remembers
    scanned: dict[str, int] = field(default_factory=dict)
    opened: dict[tuple[str, ...], DataFrame] = field(default_factory=dict)  # may be shared by pushes
    _pinned: dict[str, Snapshot] = field(default_factory=dict)

    def timeline(self, relation: str) -> Timeline:
        if relation in self.sources:
            return self.warehouse.source(relation)
        return self.warehouse.stage(self.names[relation])

    def part(self, scan: Scan, ranges: Sequence[Range] = ()) -> Slice:
        timeline = self.timeline(scan.relation)
        if ranges:
            schema = timeline.log.schema()
            ranges = [one for one in ranges if _of_type(one, schema)]
        match scan.version:
            case Version.DELTA:
                return timeline.delta(self.after, self.until, ranges, self._snapshot(scan.relation))
            case Version.OLD:
                return timeline.as_of(self.after, ranges, self._snapshot(scan.relation))
            case Version.NEW:
                return timeline.as_of(self.until, ranges, self._snapshot(scan.relation))

    def changed(self, relation: str) -> Slice:
        return self.timeline(relation).delta(self.after, self.until, (), self._snapshot(relation))

    def _snapshot(self, relation: str) -> Snapshot:
        """One snapshot for the whole push: compaction beside it must not mix two states of the files."""
        if relation not in self._pinned:
            self._pinned[relation] = self.timeline(relation).snapshot()
        return self._pinned[relation]

    def frame(self, scan: Scan, ranges: Sequence[Range] = ()) -> DataFrame:
        """The Scan's columns under their names in the plan, and the weight."""
        timeline = self.timeline(scan.relation)
        itself = self._itself(scan)
        stored = timeline.columns().names
        prefix = self._prefix(scan)
        part = self.part(scan, self.stored_ranges(scan, ranges))
        self.scanned[f"{scan.relation} {scan.version.value}"] = part.rows
        changes = self._read(timeline, part)
        if not itself and VISIBLE in stored:
            changes = changes.where(VISIBLE)
        columns = [f"{quoted(prefix + name)} AS {quoted(f'{scan.alias}.{name}')}" for name in scan.names]
        return changes.selectExpr(*columns, WEIGHT)

    def _itself(self, scan: Scan) -> bool:
        return self.own is not None and scan.relation == self.own.name

    def _prefix(self, scan: Scan) -> str:
        """A stage that remembers more than it shows keeps what it reads of itself under other names."""
        stored = self.timeline(scan.relation).columns().names
        return STATE if self._itself(scan) and any(name.startswith(STATE) for name in stored) else ""

    def stored_ranges(self, scan: Scan, ranges: Sequence[Range]) -> list[Range]:
        """Ranges of a scan's columns as ranges of the columns that are stored."""
        prefix = self._prefix(scan) if ranges else ""
        return [Range(prefix + one.column, one.low, one.high) for one in ranges]

    def _read(self, timeline: Timeline, part: Slice) -> DataFrame:
        """Pushes of one action read many slices in common: each is opened once."""
        if part.empty:
            return read_slice(self.spark, timeline, part)
        files = tuple(file.path for file in part.files)
        if files not in self.opened:
            self.opened[files] = read_slice(self.spark, timeline, part)
        return self.opened[files]


def _of_type(wanted: Range, schema: pa.Schema) -> bool:
    """Whether a range found on one column can be used on another: only if they are of one kind.

    Spark joins a bigint with a string by a cast; their orders differ, so a range of one says nothing.
    """
    if schema.get_field_index(wanted.column) < 0:
        return False
    kind = schema.field(wanted.column).type
    match wanted.low:
        case int():
            return pa.types.is_integer(kind)
        case str():
            return pa.types.is_string(kind)
        case datetime():
            return pa.types.is_timestamp(kind) and (kind.tz is None) == (wanted.low.tzinfo is None)
        case date():
            return pa.types.is_date(kind)
        case _:
            return False

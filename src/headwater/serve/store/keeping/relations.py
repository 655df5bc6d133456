"""The relations that the store follows: sources and views of the project, read from their timelines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from headwater.catalog import Catalog
from headwater.serve.ad_hoc.answer import database_of, rows_as_of
from headwater.serve.ad_hoc.duckdb_relations import quoted
from headwater.serve.store.protocol import Row, StoredTable
from headwater.storage.as_python import as_python
from headwater.storage.delta.data_files import BEGINNING
from headwater.storage.timeline import TIME, WEIGHT, Slice, Timeline
from headwater.storage.view_rows import visible_rows
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate

__all__ = ["Changes", "Relations"]

_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows that left a relation and those that came, each with how often."""

    deleted: list[tuple[Row, int]]
    inserted: list[tuple[Row, int]]


@dataclass(frozen=True, slots=True)
class Relations:
    catalog: Catalog
    warehouse: Warehouse

    def is_source(self, name: str) -> bool:
        return name in self.catalog.project.tables

    def timeline(self, name: str) -> Timeline:
        if self.is_source(name):
            return self.warehouse.source(name)
        return self.warehouse.stage(self.catalog.folder(name))

    def time(self, name: str) -> int | None:
        """How far a view of the project has been pushed; None if it was never computed."""
        time = self.timeline(name).time()
        return None if time == BEGINNING else time

    def horizon(self, name: str) -> int:
        return self.timeline(name).horizon()

    def gathered(self, name: str) -> int:
        return self.timeline(name).gathered()

    def delta(self, name: str, after: int, until: int) -> Slice:
        return self.timeline(name).delta(after, until)

    def changes(
        self, name: str, part: Slice, columns: tuple[str, ...], without: frozenset[int] = frozenset()
    ) -> Changes:
        """The net changes of a slice, `without` those of some times."""
        timeline = self.timeline(name)
        part = replace(part, files=tuple(file for file in part.files if file.minimum[TIME] not in without))
        if part.empty:
            return Changes([], [])
        read = timeline.read(part) if self.is_source(name) else visible_rows(timeline, part)
        net = consolidate(read.select([*columns, WEIGHT]))
        deleted: list[tuple[Row, int]] = []
        inserted: list[tuple[Row, int]] = []
        for row, weight in _rows(net.drop_columns([WEIGHT]), net.column(WEIGHT).to_pylist()):
            (inserted if weight > 0 else deleted).append((row, abs(weight)))
        return Changes(deleted, inserted)

    def rows(self, table: StoredTable, time: int) -> Iterator[tuple[Row, int]]:
        """All rows of a relation as of a time, streamed: DuckDB sums up changes and spills to disk."""
        text = rows_as_of(self.catalog, self.warehouse, table.relation, time)
        roots = {self.warehouse.root, *self.warehouse.roots.values()}
        listed = ", ".join(map(quoted, table.columns))
        with database_of({table.relation: text}, roots) as database:
            reader = database.sql(f"SELECT {listed} FROM {quoted(table.relation)}").to_arrow_reader(_ROWS)
            for batch in reader:
                rows = pa.Table.from_batches([batch])
                yield from _rows(rows, [1] * rows.num_rows)


def _rows(table: pa.Table, weights: list[int]) -> Iterator[tuple[dict[str, Any], int]]:
    floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    for row, weight in zip(as_python(table), weights, strict=True):
        for name in floats:
            if row[name] is not None and math.isnan(row[name]):
                row[name] = math.nan  # the one that the evaluator knows
        yield row, weight

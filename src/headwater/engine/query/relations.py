"""The relations of a push: which files each Scan reads.

The Delta log answers before Spark is asked: a delta without files is empty, a relation whose files all hold
positive weights needs no consolidation, and files outside a range of join keys are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time

import pyarrow as pa

from headwater.algebra.plans.nodes import Scan, Version
from headwater.algebra.stages.stage import Stage
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.net_rows import net_rows
from headwater.engine.query.query import Query, quoted, union
from headwater.errors import InternalError
from headwater.storage.delta.delta_log import DataFile, Snapshot
from headwater.storage.delta.statistics import START, is_window
from headwater.storage.timeline import Range, Slice, Timeline
from headwater.storage.view_rows import STATE, VISIBLE
from headwater.storage.warehouse import Warehouse

__all__ = ["Relations", "stored_range"]

BROADCAST_ROWS = 300_000  # changes that are looked for among all rows


@dataclass(slots=True)
class Relations:
    """The relations of one push: sources, views and stages, between `after` (OLD) and `until` (NEW)."""

    warehouse: Warehouse
    sources: Mapping[str, tuple[str, ...]]  # the columns that each declares: more may be stored by now
    names: Mapping[str, str]  # stage or view -> its folder below stages/
    after: int
    until: int
    own: Stage | None = None  # the stage being pushed; when it reads itself, it reads its state
    pending: Mapping[str, DataFile] = field(default_factory=dict)  # deltas not computed yet, as files to come
    scanned: dict[str, int] = field(default_factory=dict)  # rows of each relation, as it was read last
    rows_scanned: int = 0  # of all relations, deltas not counted
    # Scans whose rows have positive weights, found by the keys of their sources: for a recompute.
    netted: Mapping[Scan, tuple[str, ...]] = field(default_factory=dict)
    _pinned: dict[str, Snapshot] = field(default_factory=dict)
    _parts: dict[tuple[str, Version, tuple[Range, ...]], Slice] = field(default_factory=dict)

    def timeline(self, relation: str) -> Timeline:
        if relation in self.sources:
            return self.warehouse.source(relation)
        return self.warehouse.stage(self.names[relation])

    def part(self, scan: Scan, ranges: Sequence[Range] = ()) -> Slice:
        key = (scan.relation, scan.version, tuple(ranges))
        if key not in self._parts:
            self._parts[key] = self._part(*key)
        return self._parts[key]

    def _part(self, relation: str, version: Version, ranges: Sequence[Range]) -> Slice:
        timeline = self.timeline(relation)
        if ranges:
            schema = timeline.log.schema()
            ranges = [
                kept for span in ranges if (kept := stored_range(fitted(span, schema), schema)) is not None
            ]
        match version:
            case Version.DELTA:
                return timeline.delta(self.after, self.until, ranges, self._snapshot(relation))
            case Version.OLD:
                return timeline.as_of(self.after, ranges, self._snapshot(relation))
            case Version.NEW:
                return timeline.as_of(self.until, ranges, self._snapshot(relation))

    def changed(self, relation: str) -> Slice:
        return self.timeline(relation).delta(self.after, self.until, (), self._snapshot(relation))

    def _snapshot(self, relation: str) -> Snapshot:
        """One snapshot per push: a concurrent compaction must not mix two states of the files."""
        if relation not in self._pinned:
            snapshot = self.timeline(relation).snapshot()
            if relation in self.pending:
                snapshot = replace(snapshot, files=(*snapshot.files, self.pending[relation]))
            self._pinned[relation] = snapshot
        return self._pinned[relation]

    def query(self, scan: Scan, inputs: Inputs, ranges: Sequence[Range] = ()) -> Query:
        """The Scan's columns under their names in the plan; `ranges` are of stored columns."""
        timeline = self.timeline(scan.relation)
        prefix = self._prefix(scan)
        part = self.part(scan, ranges)
        if timeline.hollow():  # whatever led here: it would be taken for a relation without rows
            raise InternalError("HW924", f"{scan.relation} was emptied, and has not been computed since")
        self.scanned[f"{scan.relation} {scan.version.value}"] = part.rows
        if scan.version is not Version.DELTA:
            self.rows_scanned += part.rows
        hidden = VISIBLE in timeline.columns().names and not self._itself(scan)
        items = {f"{scan.alias}.{name}": quoted(prefix + name) for name in scan.names}
        if scan in self.netted and not part.inserts_only:
            return self._net(scan, part, inputs).named(list(items))
        return inputs.slice(timeline, part).select(items.items(), where=VISIBLE if hidden else "")

    def _net(self, scan: Scan, part: Slice, inputs: Inputs) -> Query:
        """The columns of a scan of a source, and the key, each row with what is left of its weight."""
        key = [f"{scan.alias}.{name}" for name in self.netted[scan]]
        names = dict.fromkeys((*scan.names, *self.netted[scan]))
        added, mixed = (
            inputs.slice(self.timeline(scan.relation), of).select(
                (f"{scan.alias}.{name}", quoted(name)) for name in names
            )
            for of in part.by_signs()
        )
        if part.by_signs()[1].rows > BROADCAST_ROWS:
            return operators.consolidate(union([added, mixed]))
        return net_rows(added, mixed, key)

    def _itself(self, scan: Scan) -> bool:
        return self.own is not None and scan.relation == self.own.name

    def _prefix(self, scan: Scan) -> str:
        """A stage that stores more than it shows reads itself from columns with a prefix."""
        stored = self.timeline(scan.relation).columns().names
        return STATE if self._itself(scan) and any(name.startswith(STATE) for name in stored) else ""

    def stored_name(self, scan: Scan, name: str) -> str:
        """The name under which a scan's column is stored: a view may show another column under that name."""
        return self._prefix(scan) + name


def fitted(wanted: Range, schema: pa.Schema) -> Range:
    """A range of times as one of the column's own type, wider rather than narrower.

    Spark compares a date with an instant as its midnight, and an instant without a zone as one in UTC.
    """
    if schema.get_field_index(wanted.column) < 0 or not isinstance(wanted.low, date):
        return wanted
    kind = schema.field(wanted.column).type
    low, high = wanted.low, wanted.high
    if pa.types.is_date(kind) and isinstance(low, datetime):
        return Range(wanted.column, low.date(), high.date())
    if not pa.types.is_timestamp(kind):
        return wanted
    zone = None if kind.tz is None else UTC
    if isinstance(low, datetime):
        return Range(wanted.column, low.replace(tzinfo=zone), high.replace(tzinfo=zone))
    return Range(wanted.column, datetime.combine(low, time.min, zone), datetime.combine(high, time.max, zone))


def stored_range(wanted: Range, schema: pa.Schema) -> Range | None:
    """A range of one column as a range of a stored one: only if their types are of the same kind.

    Spark joins a bigint with a string by a cast; they order differently, so a range of one says nothing.
    A range of windows holds them whole, so it is a range of their starts.
    """
    if schema.get_field_index(wanted.column) < 0:
        return None
    kind = schema.field(wanted.column).type
    if is_window(kind):
        starts = Range(f"{wanted.column}.{START}", wanted.low, wanted.high)
        return starts if _of_type(wanted, kind.field(START).type) else None
    return wanted if _of_type(wanted, kind) else None


def _of_type(wanted: Range, kind: pa.DataType) -> bool:
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

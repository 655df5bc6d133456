"""Compare the store with what it should hold, computed anew, and mend what differs.

Tables are compared with their relations as of the store's time; indexes with the entries that their tables
should have; views with their definitions, run by DuckDB over the relations: an evaluator that had no part in
keeping them.  Both sides are summed up in digests, so any number of rows is compared in little memory; sums
of floats count to nine digits, because DuckDB rounds at every addition.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

import pyarrow as pa

from headwater.bounds.plans.store import ROWID
from headwater.model import SqlText
from headwater.serve.ad_hoc.answer import database_of, rows_as_of
from headwater.serve.store.backends.entries import entry_keys
from headwater.serve.store.keeping.groups import groups_of, query_layouts
from headwater.serve.store.keeping.loading import load
from headwater.serve.store.keeping.relations import Relations
from headwater.serve.store.layout import Layout, StoredView
from headwater.serve.store.protocol import KeptStore, Row, Snapshot, StoredTable
from headwater.serve.store.rankings.record import last_refresh
from headwater.sql.parsing.parser import in_dialect
from headwater.storage.as_python import as_python

__all__ = ["VerifiedPart", "repair_parts", "verify_parts", "verify_store"]

_BATCH = 5_000
_EPOCH_CALL = re.compile(r"\bEPOCH\(")
_EPOCH = "CREATE MACRO epoch_of(t, size) AS t - to_microseconds(epoch_us(t) % epoch_us(size))"
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class VerifiedPart:
    """One table, index or view of the store, compared with what it should hold."""

    part: str  # what it is, for people
    kind: str  # table, index or view
    equal: bool | None  # None: it could not be computed anew, and `problem` says why
    rows: int
    expected: int
    id: str
    problem: str = ""


@dataclass(slots=True)
class _Digest:
    """A multiset of rows as a sum: equal multisets have equal sums, others almost surely not."""

    rows: int = 0
    total: int = 0

    def add(self, text: bytes) -> None:
        self.rows += 1
        self.total += int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")
        self.total &= (1 << 128) - 1


def verify_parts(
    snapshot: Snapshot, layout: Layout, relations: Relations, times: dict[str, int]
) -> Iterator[VerifiedPart]:
    """Every complete part of a layout, as of the times at which the snapshot holds its relations."""
    ready = snapshot.ready()
    tables = {table.id: table for table in (*layout.tables, *(view.table for view in layout.views))}
    for table in layout.tables:
        if table.id in ready:
            rows = (row for row, _ in relations.rows(table, times[table.relation]))
            yield _compared(table, "table", _of_rows(rows, table.columns), _stored(snapshot, table))
    for view in layout.views:
        if view.table.id in ready:
            yield _view(snapshot, view, layout, relations, times)
    for index in layout.indexes:
        if index.id in ready:
            expected, held = _Digest(), _Digest()
            for row in _rows(snapshot, index.table):
                for key in entry_keys(index, tables[index.table], row):
                    expected.add(key + _text([row[name] for name in index.held]))
            for key, entry in snapshot.entries(index.id):
                held.add(key + _text([entry[name] for name in index.held]))
            yield VerifiedPart(index.text, "index", expected == held, held.rows, expected.rows, index.id)


def _view(
    snapshot: Snapshot, view: StoredView, layout: Layout, relations: Relations, times: dict[str, int]
) -> VerifiedPart:
    import duckdb

    current = _not_over(snapshot, view, layout)
    held = _of_rows(filter(current, _rows(snapshot, view.table.id)), view.table.columns)
    try:
        defined = filter(current, _defined(view, layout, relations, times))
        expected = _of_rows(defined, view.table.columns)
    except duckdb.Error as error:
        problem = str(error).partition("\n")[0]
        return VerifiedPart(view.table.relation, "view", None, held.rows, 0, view.table.id, problem)
    return _compared(view.table, "view", expected, held)


def _not_over(snapshot: Snapshot, view: StoredView, layout: Layout) -> Callable[[Row], bool]:
    """Is a row one that must be held?  Counters of epochs that are over are dropped now and then."""
    for ranking in layout.rankings:
        last = last_refresh(snapshot, ranking.table.id)
        if ranking.counters == view.table.id and last is not None and last.horizon is not None:
            epoch, horizon = ranking.view.epoch, last.horizon
            return lambda row: row[epoch] is None or _instant(row[epoch]) >= horizon
    return lambda row: True


def _instant(epoch: Any) -> Any:
    """An epoch of a time without a zone is UTC's."""
    without_zone = isinstance(epoch, datetime) and epoch.tzinfo is None
    return epoch.replace(tzinfo=UTC) if without_zone else epoch


def _compared(table: StoredTable, kind: str, expected: _Digest, held: _Digest) -> VerifiedPart:
    return VerifiedPart(table.relation, kind, expected == held, held.rows, expected.rows, table.id)


def _defined(view: StoredView, layout: Layout, relations: Relations, times: dict[str, int]) -> Iterator[Row]:
    """The rows of a view's definition, from the relations."""
    warehouse = relations.warehouse
    texts = {
        table.relation: rows_as_of(relations.catalog, warehouse, table.relation, times[table.relation])
        for table in layout.tables
        if table.id in view.sources
    }
    text = _EPOCH_CALL.sub("epoch_of(", in_dialect(SqlText(view.chosen.sql), "duckdb"))
    with database_of(texts, {warehouse.root, *warehouse.roots.values()}) as database:
        database.execute(_EPOCH)
        for batch in database.sql(text).to_arrow_reader(_BATCH):
            for row in as_python(pa.Table.from_batches([batch])):
                yield dict(zip(view.table.columns, row.values(), strict=True))


def _stored(snapshot: Snapshot, table: StoredTable) -> _Digest:
    return _of_rows(_rows(snapshot, table.id), table.columns)


def _rows(snapshot: Snapshot, table: str) -> Iterator[Row]:
    after = b""
    while batch := list(islice(snapshot.rows(table, after, _BATCH), _BATCH)):
        after = batch[-1][0]
        yield from (row for _, row in batch)


def _of_rows(rows: Iterable[Row], columns: Sequence[str]) -> _Digest:
    digest = _Digest()
    own = [name for name in columns if name != ROWID]
    for row in rows:
        digest.add(_text([row[name] for name in own]))
    return digest


def _text(values: Sequence[Any]) -> bytes:
    return "\0".join(map(_canonical, values)).encode("utf-8", "surrogatepass")


def _canonical(value: Any) -> str:
    """One text for values that are equal, whoever computed them."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return repr(value)
    if isinstance(value, float):
        return f"{value + 0.0:.9g}"
    if isinstance(value, int | Decimal):
        with suppress(ArithmeticError):
            return f"{Decimal(value).normalize():f}"
    return str(_instant(value).timestamp()) if hasattr(value, "timestamp") else repr(value)


def repair_parts(
    store: KeptStore, layout: Layout, relations: Relations, times: dict[str, int], wrong: set[str]
) -> None:
    """Load what differs anew, with all that is made from it, as of the store's time."""
    gone = set(wrong)
    for view in layout.views:
        if gone.intersection(view.sources):
            gone.add(view.table.id)
    gone |= {index.id for index in layout.indexes if index.table in gone}
    with store.transaction() as writing:
        for part in gone:
            writing.drop(part)
    time = min(times.values())
    load(store, layout, lambda table: relations.rows(table, times[table.relation]), time)


def verify_store(store: KeptStore, relations: Relations, repair: bool = False) -> tuple[VerifiedPart, ...]:
    """Compare every part that declared queries need; with `repair`, load what differs anew.

    Beside a run the store may go on and history be compacted while it is compared: then it is tried again.
    """
    layouts = query_layouts(relations.catalog)
    store.know(part for layout in layouts.values() for part in layout.parts)
    verified: list[VerifiedPart] = []
    for layout in groups_of(layouts):
        for _ in range(_ATTEMPTS):
            with store.snapshot() as snapshot:
                times = {name: time for name, time in snapshot.times().items() if name in layout.relations}
                parts = (
                    []
                    if len(times) < len(layout.relations)
                    else list(verify_parts(snapshot, layout, relations, times))
                )
            if all(time >= relations.horizon(name) for name, time in times.items()):
                break
        verified += parts
        wrong = {part.id for part in parts if part.equal is False}
        if repair and wrong:
            repair_parts(store, layout, relations, times, wrong)
    return tuple(verified)

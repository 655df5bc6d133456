"""What a batch changes: each record, in order, against the current rows.

    insert   +new                     rejected if its key is taken; an UPDATE KEY replaces the row before
    upsert   -current +new            by the key
    update   -current(old) +new       rejected if there is no such row
    delete   -current(old)            rejected if there is no such row

A table without a key may hold copies: delete and update give a complete row, of which one copy must be there.
PRIMARY KEY, UNIQUE and CARDINALITY LIMIT are all the same test: at most so many rows for any value of certain
columns, where a NULL in them never counts (SQL's rule for UNIQUE).  For FOREIGN KEYs see links.py.

All rows (current, new, old) form one pool, in which a row is a number, and so is its key (codes.py); the loop
(walk.py) runs over plain integers, and a batch of inserts without any conflict needs no loop at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.intake.batch import Batch, Operation
from headwater.capture.intake.codes import codes, has_null
from headwater.capture.intake.foreign import Foreign
from headwater.capture.intake.links import Link, link
from headwater.capture.intake.walk import Count, Limit, Walk
from headwater.model import Table
from headwater.storage.timeline import WEIGHT
from headwater.storage.zset import consolidate

__all__ = ["Resolved", "limits_of", "resolve"]

Lookup = Callable[[pa.Table, Sequence[str]], pa.Table]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The changes (rows and `_weight`), reasons against records by position, violations warned about."""

    changes: pa.Table
    reasons: dict[int, str]
    warned: int = 0


def limits_of(table: Table) -> list[Limit]:
    limits = [Limit(table.key, 1, f"the key ({', '.join(table.key)}) is taken")] if table.key else []
    limits += [Limit(columns, 1, f"UNIQUE ({', '.join(columns)}) is taken") for columns in table.unique]
    limits += [
        Limit(
            bound.columns, bound.limit,
            f"CARDINALITY LIMIT {bound.limit} ({', '.join(bound.columns)}) is reached",
            table.warn_on_violation,
        )
        for bound in table.cardinalities
    ]  # fmt: skip
    return limits


def resolve(
    table: Table, batch: Batch, rows: Lookup, counts: Lookup, foreign: Sequence[Foreign] = ()
) -> Resolved:
    """The changes of a batch. `rows` and `counts` look up what is there now (current.py)."""
    names = table.identity
    both = pa.concat_tables([batch.new, batch.old])
    named = _named(batch)
    current = _current(table, batch, named, rows)
    pool = pa.concat_tables([current.select(both.column_names).cast(both.schema), both])
    looked_up = {names: current} if _replaces(table, batch) else {}
    tests = [_count(limit, pool, named, looked_up, counts) for limit in limits_of(table)]
    links = _links(table, batch, pool, foreign)
    plain = len(current) == 0 and bool((batch.operations <= Operation.UPSERT).all())
    if plain and _no_conflict(batch, pool, names, tests) and all(key.holds(len(batch)) for key in links):
        return Resolved(_weighted(batch.new, np.ones(len(batch), np.int64)), {})
    numbers = codes(pool, names or batch.new.column_names)
    walk = Walk(batch, numbers, current, bool(names), bool(table.update_key), tests, links)
    walk.run()
    changes = _weighted(pool.take(pa.array(walk.touched, pa.int64())), np.array(walk.weights, np.int64))
    return Resolved(consolidate(changes), walk.reasons, walk.warned)


def _named(batch: Batch) -> pa.Table:
    """The rows that records are about: new ones and old ones, without the NULLs that stand for neither."""
    deletes = batch.operations == Operation.DELETE
    replaces = batch.operations >= Operation.UPDATE
    new = batch.new.filter(pa.array(~deletes)) if deletes.any() else batch.new
    return pa.concat_tables([new, batch.old.filter(pa.array(replaces))]) if replaces.any() else new


def _current(table: Table, batch: Batch, named: pa.Table, rows: Lookup) -> pa.Table:
    """The rows a record may retract: those with its key; in a table without one, the old rows themselves."""
    names = table.identity
    if names and _replaces(table, batch):
        return rows(named, names)
    if not names and bool((batch.operations >= Operation.UPDATE).any()):
        return rows(batch.old.filter(pa.array(batch.operations >= Operation.UPDATE)), batch.new.column_names)
    return rows(named.slice(0, 0), names or batch.new.column_names)


def _replaces(table: Table, batch: Batch) -> bool:
    return bool(table.update_key) or bool((batch.operations != Operation.INSERT).any())


def _links(table: Table, batch: Batch, pool: pa.Table, foreign: Sequence[Foreign]) -> list[Link]:
    """Foreign keys to test. Inserts can break only what their own rows reference."""
    retracts = _replaces(table, batch)
    return [link(key, table.name, pool) for key in foreign if retracts or key.owner == table.name]


def _count(
    limit: Limit, pool: pa.Table, named: pa.Table, looked_up: dict[tuple[str, ...], pa.Table], counts: Lookup
) -> Count:
    if not limit.columns:  # a limit on the table itself
        return Count(limit, [0] * len(pool), {0: _total(counts(named, ()))})
    if limit.columns in looked_up:
        present = looked_up[limit.columns]
    else:
        counted = ~has_null(named, limit.columns)
        present = counts(named if counted.all() else named.filter(pa.array(counted)), limit.columns)
    values = pa.concat_tables(
        [present.select(limit.columns).cast(_of(pool, limit)), pool.select(limit.columns)]
    )
    numbers = codes(values, limit.columns)
    numbers[has_null(values, limit.columns)] = -1
    counts_now = dict(zip(numbers[: len(present)].tolist(), present.column(WEIGHT).to_pylist(), strict=True))
    return Count(limit, numbers[len(present) :].tolist(), counts_now)


def _total(counted: pa.Table) -> int:
    return sum(counted.column(WEIGHT).to_pylist())


def _of(pool: pa.Table, limit: Limit) -> pa.Schema:
    return pool.select(limit.columns).schema


def _no_conflict(batch: Batch, pool: pa.Table, names: Sequence[str], tests: Sequence[Count]) -> bool:
    """Whether no two new rows have the same key, and all of them together reach no limit."""
    if names:
        own = codes(pool.slice(0, len(batch)), names)
        if len(np.unique(own)) < len(own):
            return False
    for test in tests:
        own = np.array(test.of_row[: len(batch)], np.int64)
        values, times = np.unique(own[own >= 0], return_counts=True)
        most = test.limit.most
        if times.max(initial=0) > most:
            return False
        if test.present and any(
            test.present.get(value, 0) + count > most
            for value, count in zip(values.tolist(), times.tolist(), strict=True)
        ):
            return False
    return True


def _weighted(rows: pa.Table, weights: np.ndarray[Any, np.dtype[np.int64]]) -> pa.Table:
    return rows.append_column(pa.field(WEIGHT, pa.int64(), nullable=False), pa.array(weights))

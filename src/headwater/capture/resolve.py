"""What a batch changes: each record, in order, against the rows that are there.

    insert   +new                     rejected if its key is taken; an UPDATE KEY replaces the row before
    upsert   -current +new            by the key
    update   -current(old) +new       rejected if there is no such row
    delete   -current(old)            rejected if there is no such row

A table without a key has copies: delete and update name a whole row, of which one copy must be there.
PRIMARY KEY, UNIQUE and CARDINALITY LIMIT are all the same test: at most so many rows for any value of some
columns, where a NULL in them never counts (SQL's rule for UNIQUE).  FOREIGN KEYs are links.py.

Rows stand in one pool (current, new, old) and are numbers here, their keys too (codes.py); so the loop
(walk.py) is over plain integers, and a batch of inserts that meets nobody needs no loop at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.capture.batch import Batch, Operation, identity
from headwater.capture.codes import codes, has_null
from headwater.capture.foreign import Foreign
from headwater.capture.links import Link, link
from headwater.capture.walk import Count, Limit, Walk
from headwater.model import Table
from headwater.storage.timeline import WEIGHT
from headwater.storage.zset import consolidate

__all__ = ["Resolved", "limits_of", "resolve"]

Lookup = Callable[[pa.Table, Sequence[str]], pa.Table]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The changes (rows and `_weight`), reasons against records by position, violations let through."""

    changes: pa.Table
    reasons: dict[int, str]
    warned: int = 0


def limits_of(table: Table) -> list[Limit]:
    limits = [Limit(table.key, 1, f"the key ({', '.join(table.key)}) is taken")] if table.key else []
    limits += [Limit(one, 1, f"UNIQUE ({', '.join(one)}) is taken") for one in table.unique]
    limits += [
        Limit(
            one.columns, one.limit, f"CARDINALITY LIMIT {one.limit} ({', '.join(one.columns)}) is reached",
            table.warn_on_violation,
        )
        for one in table.cardinalities
    ]  # fmt: skip
    return limits


def resolve(
    table: Table, batch: Batch, rows: Lookup, counts: Lookup, foreign: Sequence[Foreign] = ()
) -> Resolved:
    """`rows` and `counts` look up what is there now (current.py)."""
    names = identity(table)
    both = pa.concat_tables([batch.new, batch.old])
    named = _named(batch)
    current = _current(table, batch, named, rows)
    pool = pa.concat_tables([current.drop_columns([WEIGHT]).cast(both.schema), both])
    known = {names: current} if _replaces(table, batch) else {}
    tests = [_count(limit, pool, named, known, counts) for limit in limits_of(table)]
    links = _links(table, batch, pool, foreign)
    plain = len(current) == 0 and bool((batch.operations <= Operation.UPSERT).all())
    if plain and _nobody_meets(batch, pool, names, tests) and all(one.holds(len(batch)) for one in links):
        return Resolved(_weighted(batch.new, np.ones(len(batch), np.int64)), {})
    numbers = codes(pool, names or batch.new.column_names)
    walk = Walk(batch, numbers, current, bool(names), bool(table.update_key), tests, links)
    walk.run()
    changes = _weighted(pool.take(pa.array(walk.touched, pa.int64())), np.array(walk.weights, np.int64))
    return Resolved(consolidate(changes), walk.reasons, walk.warned)


def _named(batch: Batch) -> pa.Table:
    """The rows that records speak of: new ones and old ones, without the NULLs that stand for neither."""
    deletes = batch.operations == Operation.DELETE
    replaces = batch.operations >= Operation.UPDATE
    new = batch.new.filter(pa.array(~deletes)) if deletes.any() else batch.new
    return pa.concat_tables([new, batch.old.filter(pa.array(replaces))]) if replaces.any() else new


def _current(table: Table, batch: Batch, named: pa.Table, rows: Lookup) -> pa.Table:
    """The rows a record may retract: those of its key; of a table without one, the old rows themselves."""
    names = identity(table)
    if names and _replaces(table, batch):
        return rows(named, names)
    if not names and bool((batch.operations >= Operation.UPDATE).any()):
        return rows(batch.old.filter(pa.array(batch.operations >= Operation.UPDATE)), batch.new.column_names)
    return rows(named.slice(0, 0), names or batch.new.column_names)


def _replaces(table: Table, batch: Batch) -> bool:
    return bool(table.update_key) or bool((batch.operations != Operation.INSERT).any())


def _links(table: Table, batch: Batch, pool: pa.Table, foreign: Sequence[Foreign]) -> list[Link]:
    """Of a batch of inserts, only what its own rows reference: nothing that others do can go."""
    goes = _replaces(table, batch)
    return [link(one, table.name, pool) for one in foreign if goes or one.owner == table.name]


def _count(
    limit: Limit, pool: pa.Table, named: pa.Table, known: dict[tuple[str, ...], pa.Table], counts: Lookup
) -> Count:
    if not limit.columns:  # the whole table
        return Count(limit, [0] * len(pool), {0: _total(counts(named, ()))})
    if limit.columns in known:
        present = known[limit.columns]
    else:
        counted = ~has_null(named, limit.columns)
        present = counts(named if counted.all() else named.filter(pa.array(counted)), limit.columns)
    whole = pa.concat_tables(
        [present.select(limit.columns).cast(_of(pool, limit)), pool.select(limit.columns)]
    )
    numbers = codes(whole, limit.columns)
    numbers[has_null(whole, limit.columns)] = -1
    there = dict(zip(numbers[: len(present)].tolist(), present.column(WEIGHT).to_pylist(), strict=True))
    return Count(limit, numbers[len(present) :].tolist(), there)


def _total(counted: pa.Table) -> int:
    return sum(counted.column(WEIGHT).to_pylist())


def _of(pool: pa.Table, limit: Limit) -> pa.Schema:
    return pool.select(limit.columns).schema


def _nobody_meets(batch: Batch, pool: pa.Table, names: Sequence[str], tests: Sequence[Count]) -> bool:
    """Whether no new row meets another of its key, and no limit is reached even by all of them together."""
    if names:
        mine = codes(pool.slice(0, len(batch)), names)
        if len(np.unique(mine)) < len(mine):
            return False
    for test in tests:
        mine = np.array(test.of_row[: len(batch)], np.int64)
        values, times = np.unique(mine[mine >= 0], return_counts=True)
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

"""Changes are copied between sites as files: a replica is the same timeline in another site's folder.

    copy_delta(source, replica, until)      the replica is now the source as of `until`

Files never change, and all changes of a file have one time, so a delta is copied byte by byte, with the
statistics from the source's log: nothing is decoded, counted or sorted again, and the cost is that of the
bytes.  One commit makes all of it visible and carries the time, so a repeated copy commits once; files left
by an interrupted copy belong to no table.

If the source was compacted past the replica's time, the changes since then can no longer be separated from
earlier ones, and the replica gets the full state instead, in one commit that drops what it had.  Either way
the replica's horizon is never before the source's: nobody may read from it what the source has forgotten.
A replica with other columns than its source is replaced, in one commit as well.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headwater.errors import HeadwaterError
from headwater.storage.delta.data_files import BEGINNING, DataFile, NewFile
from headwater.storage.delta.statistics import FileStatistics
from headwater.storage.timeline import COMPACTED, TIME, Timeline, at_time, new_file_name

__all__ = ["Copied", "copy_delta"]


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied. `whole`: the full state, because the source no longer had the delta by itself."""

    files: int = 0
    rows: int = 0
    bytes: int = 0
    whole: bool = False


def copy_delta(
    source: Timeline, replica: Timeline, until: int, noted: Mapping[str, int] | None = None
) -> Copied:
    """Bring a replica up to `until`; the source must be complete up to there. `noted`: in the same commit."""
    schema = source.log.schema()
    fits, there = _fits(schema, replica), replica.snapshot()
    after = there.time if fits else BEGINNING
    if after >= until:
        return Copied()
    # The snapshot first: if a compaction happens in between, too much is copied, not too little.
    snapshot = source.snapshot()
    horizon = source.horizon()
    _check_horizon(source, horizon, until)
    whole = BEGINNING < after < horizon
    part = source.as_of(until, (), snapshot) if whole else source.delta(after, until, (), snapshot)
    os.makedirs(replica.path, exist_ok=True)
    copies = [_copy(file, replica) for file in part.files]
    if not fits:
        transactions = {**(noted or {}), COMPACTED: horizon}
        replica.log.replace(schema, snapshot.description, until, copies, [TIME], transactions)
    else:
        dropped = there.files if whole else ()
        later = {COMPACTED: horizon} if horizon > replica.horizon() else {}
        if not replica.log.commit(
            until, copies, dropped, transactions={**(noted or {}), **later}, after=after
        ):
            return Copied()
    return Copied(len(part.files), part.rows, sum(file.size for file in part.files), whole)


def _fits(schema: pa.Schema, replica: Timeline) -> bool:
    """Whether the replica has the source's columns. Those that the source has gained are added to it.

    Files copied before lack the new columns, so they read as NULL.  A replica that serves a column whose
    earlier rows hold a constant is another one (catalog.share), copied whole.
    """
    stored = replica.snapshot().schema
    if len(stored) and _extends(schema, stored):
        replica.log.widen(_nullable(schema))
        return True
    return _same(schema, stored)


def _extends(schema: pa.Schema, stored: pa.Schema) -> bool:
    """Whether `schema` is `stored` with more columns."""
    return len(schema) > len(stored) and all(
        column.name in schema.names and schema.field(column.name).type == column.type for column in stored
    )


def _same(schema: pa.Schema, stored: pa.Schema) -> bool:
    return {column.name: column.type for column in schema} == {column.name: column.type for column in stored}


def _nullable(schema: pa.Schema) -> pa.Schema:
    return pa.schema([column.with_nullable(True) for column in schema])


def _check_horizon(source: Timeline, horizon: int, until: int) -> None:
    if horizon > until:
        raise HeadwaterError(
            "HW804",
            f"{source.path} can no longer be read as of {until}",
            detail=f"Compaction has given up its history before {horizon}.",
            hint="Copy up to a later time.",
        )


def _copy(file: DataFile, replica: Timeline) -> NewFile:
    time = int(file.minimum[TIME])
    name = new_file_name(time)
    shutil.copyfile(file.path, os.path.join(replica.path, name))
    return at_time(NewFile(name, _statistics(file)), time)


def _statistics(file: DataFile) -> FileStatistics:
    return FileStatistics(file.rows, _present(file.minimum), _present(file.maximum), _present(file.nulls))


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Statistics without columns that have none, and without the time, which is a partition value."""
    return {name: value for name, value in values.items() if value is not None and name != TIME}

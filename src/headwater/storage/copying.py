"""Changes move between sites as whole files: a replica is the same timeline in another site's folder.

    copy_delta(source, replica, until)      the replica is now the source as of `until`

Files never change, and all changes of a file have one time, so a delta is copied byte by byte, with the
statistics that the source's log has: nothing is decoded, counted or sorted again, and the cost is the
bytes'.  One commit makes all of it visible, and carries the time, so a copy that is repeated commits once;
what an interrupted one leaves behind belongs to nobody.

A source may have been compacted while the replica was away: then the changes since the replica's time can
no longer be told from those before, and the replica gets the whole state instead, in one commit that drops
what it had.  Either way the replica's horizon is never before the source's: nobody may read from it what
the source has forgotten.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.errors import HeadwaterError
from headwater.storage.delta_log import BEGINNING, DataFile, NewFile
from headwater.storage.statistics import FileStatistics
from headwater.storage.timeline import COMPACTED, TIME, Timeline, at_time, new_file_name

__all__ = ["Copied", "copy_delta"]


@dataclass(frozen=True, slots=True)
class Copied:
    """What moved from one site to another. `whole`: the state, because the delta could not be told."""

    files: int = 0
    rows: int = 0
    bytes: int = 0
    whole: bool = False


def copy_delta(source: Timeline, replica: Timeline, until: int) -> Copied:
    """Bring a replica up to `until`; the source must be complete up to there."""
    _open(source, replica)
    after = replica.time()
    if after >= until:
        return Copied()
    # The snapshot first: if a compaction comes in between, too much is copied and not too little.
    snapshot = source.snapshot()
    horizon = source.horizon()
    _check_known(source, horizon, until)
    whole = BEGINNING < after < horizon
    part = source.as_of(until, (), snapshot) if whole else source.delta(after, until, (), snapshot)
    dropped = replica.snapshot().files if whole else ()
    copies = [_copy(file, replica) for file in part.files]
    later = {COMPACTED: horizon} if horizon > replica.horizon() else None
    if not replica.log.commit(until, copies, dropped, transactions=later):
        return Copied()
    return Copied(len(part.files), part.rows, sum(file.size for file in part.files), whole)


def _open(source: Timeline, replica: Timeline) -> None:
    """Make the replica; one that was made for other columns is made anew."""
    schema, there = source.log.schema(), replica.exists()
    if not there or not replica.log.schema().equals(schema):
        replica.log.create(schema, source.log.description(), replace=there, partition_by=[TIME])


def _check_known(source: Timeline, horizon: int, until: int) -> None:
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
    return FileStatistics(file.rows, _known(file.minimum), _known(file.maximum), _known(file.nulls))


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and name != TIME}

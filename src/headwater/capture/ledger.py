"""Which files of a folder were taken, and in which order: written before a file is read.

Each file taken by a table gets a sequence number here first; the changes of the files up to number n are then
committed to the table under Token("files", n).  So whatever the moment of a kill:

    number in the ledger > number in the table's log     the file is still to be read
    otherwise                                            it has been, and never is again

The ledger is a Delta table of all sources; the table's log holds a single number, however many files came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from headwater.clock import Clock
from headwater.storage.parquet import write_parquet
from headwater.storage.timeline import new_file_name
from headwater.storage.warehouse import Warehouse

__all__ = ["Ledger", "Taken"]

FILES = "files"

_SCHEMA = pa.schema(
    [
        pa.field("table", pa.string(), nullable=False),
        pa.field("sequence", pa.int64(), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("modified_ns", pa.int64(), nullable=False),
        pa.field("time", pa.int64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class Taken:
    sequence: int
    file: str
    size: int
    modified_ns: int


@dataclass(slots=True)
class Ledger:
    """The files taken by one table."""

    warehouse: Warehouse
    table: str
    clock: Clock
    _version: int = field(default=-2, init=False)
    _taken: dict[str, Taken] = field(default_factory=dict, init=False)

    def taken(self) -> dict[str, Taken]:
        """By file name, in order of their numbers."""
        log = self.warehouse.system(FILES)
        snapshot = log.snapshot()
        if snapshot.version != self._version:
            self._taken = self._read([file.path for file in snapshot.files])
            self._version = snapshot.version
        return self._taken

    def take(self, files: Sequence[tuple[str, int, int]]) -> None:
        """Give numbers to files (name, size, time of last change) that have none yet."""
        log = self.warehouse.system(FILES)
        with self.warehouse.clock(f"${FILES}").turn() as turn:
            assert turn is not None
            log.create(_SCHEMA, "files that were taken by sources")
            known = self.taken()
            last = max((one.sequence for one in known.values()), default=0)
            fresh = [one for one in files if one[0] not in known]
            if not fresh:
                return
            time = max(turn.take(self.clock.now()), log.time() + 1)
            rows = [
                {"table": self.table, "sequence": last + number, "file": name, "size": size,
                 "modified_ns": modified, "time": time}
                for number, (name, size, modified) in enumerate(fresh, start=1)
            ]  # fmt: skip
            table = pa.Table.from_pylist(rows, schema=_SCHEMA)
            log.commit(time, [write_parquet(log.path, new_file_name(time), table)])
            turn.store(time)

    def _read(self, paths: list[str]) -> dict[str, Taken]:
        if not paths:
            return {}
        mine = ds.dataset(paths, schema=_SCHEMA, format="parquet").to_table(
            filter=pc.field("table") == self.table
        )
        found = [
            Taken(row["sequence"], row["file"], row["size"], row["modified_ns"])
            for row in mine.sort_by("sequence").to_pylist()
        ]
        return {one.file: one for one in found}

"""Which files of a folder were taken, and in which order; recorded before a file is read.

Each file that a table takes is first given a sequence number here; the changes of the files up to number n
are then committed to the table under Token("files", n).  So, whenever a process is killed:

    number in the ledger > number in the table's log     the file is still to be read
    otherwise                                            it was read, and never is again

The ledger is one Delta table for all sources; a source's own log holds a single number, however many files
came.  An entry's time is that of the commit that brought it, so a look reads only files with later entries
than it has seen: it costs what is new, not what there is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from headwater.clock import Clock
from headwater.storage.delta.parquet import write_parquet
from headwater.storage.delta.reading import parquet_files
from headwater.storage.timeline import new_file_name
from headwater.storage.warehouse import Warehouse

__all__ = ["FILES", "Ledger", "Taken"]

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
    """A file that was given a sequence number, and its size and modification time then."""

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
    _seen: tuple[int, int] = field(default=(-2, -1), init=False)  # the version that was read, and its time
    _taken: dict[str, Taken] = field(default_factory=dict, init=False)
    _ordered: list[Taken] = field(default_factory=list, init=False)  # by sequence number

    def taken(self) -> dict[str, Taken]:
        """The taken files by name, in the order of their numbers."""
        snapshot = self.warehouse.system(FILES).snapshot()
        version, time = self._seen
        if snapshot.version != version:
            news = [file.path for file in snapshot.files if file.may_hold("time", time + 1, snapshot.time)]
            for file in self._read(news, time):
                if self._taken.setdefault(file.file, file) is file:
                    self._ordered.append(file)
            self._seen = snapshot.version, snapshot.time
        return self._taken

    def after(self, sequence: int) -> list[Taken]:
        """The taken files with higher numbers, in their order."""
        self.taken()
        return self._ordered[bisect_right(self._ordered, sequence, key=lambda file: file.sequence) :]

    def take(self, files: Sequence[tuple[str, int, int]]) -> None:
        """Number the files (name, size, modification time) that have no number yet."""
        log = self.warehouse.system(FILES)
        with self.warehouse.clock(f"${FILES}").turn() as turn:
            assert turn is not None
            if not log.exists():
                log.create(_SCHEMA, "files that were taken by sources")
            taken = self.taken()
            last = self._ordered[-1].sequence if self._ordered else 0
            fresh = [file for file in files if file[0] not in taken]
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

    def _read(self, paths: list[str], after: int) -> list[Taken]:
        """The table's entries in these files that are later than `after`."""
        if not paths:
            return []
        rows = parquet_files(paths, _SCHEMA).to_table(
            filter=(pc.field("table") == self.table) & (pc.field("time") > after)
        )
        return [
            Taken(row["sequence"], row["file"], row["size"], row["modified_ns"])
            for row in rows.sort_by("sequence").to_pylist()
        ]

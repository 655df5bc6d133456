"""What waits of a table whose updates are chosen among, as a Delta table: replaced as a whole by every
choice.

    symbol  price  _weight   _first  _last  _updates  _seen
    IBM     24.0        -1                        0      0   what is shown of IBM ...
    IBM     25.0        +1                        0      0   ... and what the source holds
    IBM                  0    10:00  10:07        3     41   waits since when, for how many updates; of how
                                                             many since the overload began
    GOOG                 0           10:06        0     17   does not wait; remembered for its rate

Whoever sums up the weights has the Z-set that is missing in `shown`: source = shown + waiting, as of the
time of both.

**Two commits, one truth.**  A choice commits `shown` first, with its time as the number of the
transaction CHOSEN, and then this table, with the same time.  Whoever is killed in between leaves CHOSEN
ahead of this table: then it is out of date, and is computed again from what it was, what the source and
`shown` have gained since.  A power cut may leave it ahead of `shown`; it is then out of date as well.
While nothing waits, `shown` alone is committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headwater.algebra.stages.choosing import shown, waiting
from headwater.catalog import Catalog
from headwater.model import Table
from headwater.storage.delta.data_files import BEGINNING, NewFile
from headwater.storage.timeline import WEIGHT, Slice, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["CHOSEN", "FIRST", "LAST", "SEEN", "UPDATES", "Tally", "WaitingTable", "waiting_of"]

FIRST = "_first"
LAST = "_last"
UPDATES = "_updates"
SEEN = "_seen"

CHOSEN = "headwater-chosen"  # of `shown`: the time of the last choice
BEGAN = "headwater-began"  # when the overload began; 0: there is none
ARRIVED = "headwater-arrived"  # updates since there is this table
TAKEN = "headwater-taken"  # of these, how many were shown
WAITS = "headwater-waits"  # keys that wait
KEYS = "headwater-keys"  # keys seen since the overload began


@dataclass(frozen=True, slots=True)
class Tally:
    """What has been counted, as of the table's time."""

    began_at: int = 0  # 0: not choosing
    arrived: int = 0
    taken: int = 0
    waits: int = 0
    keys: int = 0

    @property
    def choosing(self) -> bool:
        return self.began_at > 0

    @property
    def superseded(self) -> int:
        """Updates that need not be shown any more: a newer one came."""
        return max(0, self.arrived - self.taken - self.waits)


@dataclass(frozen=True, slots=True)
class WaitingTable:
    table: str
    timeline: Timeline
    shown: Timeline

    def time(self) -> int:
        return self.timeline.time()

    def current(self) -> bool:
        """Whether it says what waits."""
        chosen = self.shown.log.transaction(CHOSEN) or BEGINNING
        return chosen <= self.time() <= max(self.shown.time(), chosen)

    def idle(self) -> bool:
        """Whether nothing waits, and nothing is remembered."""
        return self.current() and not self.tally().choosing and not self.timeline.snapshot().files

    def tally(self) -> Tally:
        numbers = (self.timeline.log.transaction(name) or 0 for name in (BEGAN, ARRIVED, TAKEN, WAITS, KEYS))
        return Tally(*numbers)

    def part(self) -> Slice:
        return self.timeline.as_of(self.time())

    def since(self) -> int | None:
        """The earliest arrival of an update that is not shown, a skipped one's too; None if there is none."""
        instants = [file.minimum.get(FIRST) for file in self.timeline.snapshot().files]
        return min((instant for instant in instants if instant is not None), default=None)

    def replace(self, columns: pa.Schema, time: int, files: Sequence[NewFile], tally: Tally) -> None:
        """Make it hold these files, as of a time, in one commit."""
        self.create(columns)
        numbers = {
            BEGAN: tally.began_at, ARRIVED: tally.arrived, TAKEN: tally.taken, WAITS: tally.waits,
            KEYS: tally.keys,
        }  # fmt: skip
        old = self.timeline.snapshot().files
        self.timeline.log.commit(time, files, old, transactions=numbers, after=self.time())

    def create(self, columns: pa.Schema) -> None:
        if not self.timeline.exists():
            about = [pa.field(name, pa.int64()) for name in (FIRST, LAST, UPDATES, SEEN)]
            self.timeline.create(pa.schema([*columns, *about]), f"what waits of {self.table}")

    def keys_waiting(self, table: Table) -> pa.Table:
        """The keys that wait, with what is known of them; with WINDOWS those windows that are not skipped."""
        windows = table.windows is not None
        named = pc.field(WEIGHT) == 0
        about = self.timeline.read(
            self.part(),
            [*table.row_key, FIRST, LAST, UPDATES, SEEN],
            named if windows else named & pc.field(FIRST).is_valid(),
        ).drop_columns(WEIGHT)
        return about if not windows else _not_skipped(about, list(table.update_key), table.row_key[-1])


def _not_skipped(about: pa.Table, key: list[str], start: str) -> pa.Table:
    """The windows that wait of which no newer one of the same key is shown.

    NULLs in keys find nothing in a join: such windows are never taken for skipped.
    """
    waits, shown = (about.filter(pc.field(FIRST).is_valid()), about.filter(pc.field(FIRST).is_null()))
    if not len(shown):
        return waits
    newest = shown.group_by(key).aggregate([(start, "max")])
    beside = waits.join(newest, key, join_type="left outer")
    skipped = pc.fill_null(pc.less(beside[start], beside[f"{start}_max"]), False)
    return beside.filter(pc.invert(skipped)).drop_columns(f"{start}_max")


def waiting_of(catalog: Catalog, warehouse: Warehouse, table: str) -> WaitingTable:
    """What waits of a table, and what is shown of it."""
    folders = (catalog.folder(waiting(table)), catalog.folder(shown(table)))
    return WaitingTable(table, *map(warehouse.stage, folders))

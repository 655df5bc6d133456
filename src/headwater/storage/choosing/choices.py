"""system/overload: every choice with its reason; when overload began and when it ended.

Of an update stream every choice among its updates; of an adapted join every analysis of who may probe.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.records.journal import append_rows, newest_rows, read_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["OVERLOAD", "Choice", "choices_since", "last_choice", "note_choice"]

NAME = "overload"
OVERLOAD = pa.schema(
    [
        ("at", pa.int64()),  # the time of the push
        ("table", pa.string()),  # or the view that is an adapted join
        ("event", pa.string()),  # entered, chose, left; adapted or kept: allowances, after an analysis
        ("reason", pa.string()),
        ("taken", pa.int64()),  # keys that were shown; rows that probed
        ("waiting", pa.int64()),  # keys that were not; rows that did not
        ("superseded", pa.int64()),  # updates that need not be shown any more, in all
        ("shown_rows", pa.int64()),  # changes of what is shown
        ("share", pa.float64()),  # of the time that stages which choose had in that push; null: set by hand
    ]
)


@dataclass(frozen=True, slots=True)
class Choice:
    at: int
    table: str
    event: str
    reason: str
    taken: int
    waiting: int
    superseded: int
    shown_rows: int
    share: float | None = None


def note_choice(warehouse: Warehouse, choice: Choice) -> None:
    """Only the run may call this."""
    append_rows(warehouse.system(NAME), OVERLOAD, [asdict(choice)], choice.at)


def last_choice(warehouse: Warehouse, table: str) -> Choice | None:
    log = warehouse.system(NAME)
    rows = newest_rows(log, OVERLOAD, 1, pc.field("table") == table).to_pylist() if log.exists() else []
    return Choice(**rows[0]) if rows else None


def choices_since(warehouse: Warehouse, table: str, at: int) -> list[Choice]:
    """What was noted of a table or a join since, oldest first."""
    log = warehouse.system(NAME)
    rows = read_rows(log, OVERLOAD, at, where=pc.field("table") == table) if log.exists() else None
    return [] if rows is None else [Choice(**row) for row in rows.to_pylist()]

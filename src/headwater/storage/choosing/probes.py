"""system/joins: what each push of an adapted join did with each of its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import pyarrow as pa

from headwater.storage.records.journal import append_rows, read_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["JOINS", "Probes", "note_probes", "probes_since"]

NAME = "joins"
JOINS = pa.schema(
    [
        ("at", pa.int64()),  # the time of the push
        ("view", pa.string()),
        ("stream", pa.string()),
        ("seconds", pa.float64()),  # that the push carried
        ("arrived", pa.int64()),  # new rows within tolerance
        ("probed", pa.int64()),  # those that looked for partners
        ("late", pa.int64()),  # new rows beyond tolerance: in no result
        ("allowance", pa.int64()),  # how many were allowed to; null: all
        ("reason", pa.string()),
        ("sampled", pa.int64()),  # rows that were followed along their path, probing or not
        ("after", pa.list_(pa.float64())),  # how many rows they became after each join of it
        ("shown", pa.float64()),  # of those after the last, what comes from rows that probed
        ("share", pa.float64()),  # of the time that stages which choose had in that push; null: no limit
        ("present", pa.float64()),  # rows of the stream in its window, halfway through the push
    ]
)


@dataclass(frozen=True, slots=True)
class Probes:
    at: int
    view: str
    stream: str
    seconds: float
    arrived: int
    probed: int
    late: int
    allowance: int | None
    reason: str
    sampled: int | None = None
    after: tuple[float, ...] | None = None
    shown: float | None = None
    share: float | None = None
    present: float | None = None

    @property
    def found(self) -> float | None:
        """Matches that a row finds, as the sample has shown."""
        return self.after[-1] / self.sampled if self.sampled and self.after else None

    @property
    def matches(self) -> tuple[float, float] | None:
        """That all rows which came find, and that those which probed do, by the sample; None: not counted.

        Rows that came first find more than others, so those that probed are counted by themselves.
        """
        if self.found is None or not self.sampled:
            return None
        found = self.probed * self.found if self.shown is None else self.shown * self.arrived / self.sampled
        return self.arrived * self.found, found


def note_probes(warehouse: Warehouse, noted: list[Probes]) -> None:
    """The inputs of one push. Only the run may call this."""
    append_rows(warehouse.system(NAME), JOINS, [asdict(probes) for probes in noted], noted[0].at)


def probes_since(warehouse: Warehouse, at: int) -> Iterator[Probes]:
    """What was noted of pushes to this time and later ones, oldest first."""
    log = warehouse.system(NAME)
    if log.exists():
        for row in read_rows(log, JOINS, at).to_pylist():
            yield Probes(**row | {"after": None if row["after"] is None else tuple(row["after"])})

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


def note_probes(warehouse: Warehouse, probes: Probes) -> None:
    """Only the run may call this."""
    append_rows(warehouse.system(NAME), JOINS, [asdict(probes)], probes.at)


def probes_since(warehouse: Warehouse, at: int) -> Iterator[Probes]:
    """What was noted of pushes to this time and later ones, oldest first."""
    log = warehouse.system(NAME)
    if log.exists():
        yield from (Probes(**row) for row in read_rows(log, JOINS, at).to_pylist())

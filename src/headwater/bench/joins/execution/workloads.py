"""What is joined in `headwater bench joins --execute`: streams, how they are joined, and their rows.

Synthetic streams have a column for each join that they take part in, drawn evenly from a domain; a domain may
change from one push to another, which changes the selectivity of its join (Figure 6).  The sensors are those
of Figure 8: five groups of neighbouring motes, joined on equal temperatures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.bench.joins.sensors import find_data, read_groups, stand_in

__all__ = ["PUSH_EVERY", "Workload", "fluctuating", "sensors", "synthetic"]

PUSH_EVERY = 5  # seconds of virtual time

Columns = dict[str, npt.NDArray[np.int64]]
RowsOf = Callable[[str, int, np.random.Generator], Columns]  # a stream's rows of a push


@dataclass(frozen=True)
class Workload:
    """`on`: the ON of each stream but the first; `window` and `tolerance` in seconds."""

    name: str
    columns: Mapping[str, tuple[str, ...]]  # by stream
    on: tuple[str, ...]
    rows: RowsOf
    window: int = 20
    tolerance: float = 1.5  # windows

    def ddl(self) -> str:
        streams = list(self.columns)
        tables = "".join(
            f"CREATE TABLE {stream} (id BIGINT PRIMARY KEY,"
            f" {', '.join(f'{column} BIGINT' for column in columns)}, at TIMESTAMP TEMPORAL);\n"
            for stream, columns in self.columns.items()
        )
        listed = ", ".join(f"{stream}.id AS i{number}" for number, stream in enumerate(streams))
        joined = " ".join(f"JOIN {stream} ON {on}" for stream, on in zip(streams[1:], self.on, strict=True))
        limit = round(self.window * self.tolerance * 1000)
        limits = ", ".join(f"{stream} = INTERVAL '{limit}' MILLISECOND" for stream in streams)
        return (
            f"{tables}CREATE MATERIALIZED VIEW joined FRESHNESS = INTERVAL '{PUSH_EVERY}' SECOND"
            f" WINDOW = INTERVAL '{self.window}' SECOND TOLERANCE ({limits}) ON OVERLOAD ADAPT JOINS"
            f" RETAIN INTERVAL '1' DAY AS SELECT {listed} FROM {streams[0]} {joined};"
        )


def _drawn(
    rates: Mapping[str, int], domains: Callable[[str, int], int], columns: Mapping[str, tuple[str, ...]]
) -> RowsOf:
    def rows(stream: str, push: int, chance: np.random.Generator) -> Columns:
        return {
            column: chance.integers(0, domains(column, push), rates[stream]) for column in columns[stream]
        }

    return rows


_LINEAR_3 = {"s0": ("ab",), "s1": ("ab", "bc"), "s2": ("bc",)}
_LINEAR_4 = {"s0": ("ab",), "s1": ("ab", "bc"), "s2": ("bc", "cd"), "s3": ("cd",)}
_RATES = {"s0": 600, "s1": 100, "s2": 300, "s3": 150}  # rows in a push
_DOMAINS = {"ab": 400, "bc": 300, "cd": 300}


def synthetic() -> list[Workload]:
    three, four = ("s0.ab = s1.ab", "s1.bc = s2.bc"), ("s0.ab = s1.ab", "s1.bc = s2.bc", "s2.cd = s3.cd")
    bushy = ("s0.ab = s1.ab", "true", "s2.cd = s3.cd AND s1.bc = s2.bc")
    rows_3 = _drawn(_RATES, lambda column, push: _DOMAINS[column], _LINEAR_3)
    rows_4 = _drawn(_RATES, lambda column, push: _DOMAINS[column], _LINEAR_4)
    return [
        Workload("three streams", _LINEAR_3, three, rows_3),
        Workload("four streams, linear", _LINEAR_4, four, rows_4),
        Workload("four streams, bushy", _LINEAR_4, bushy, rows_4),
    ]


def fluctuating(every: int) -> Workload:
    """Selectivities change every few pushes: what one join loses, the other gains."""

    def domain(column: str, push: int) -> int:
        turned = push // every % 2 == 1
        return {"ab": 3_000 if turned else 100, "bc": 60 if turned else 1_500}[column]

    rates = {"s0": 300, "s1": 150, "s2": 300}
    return Workload(
        "selectivities change",
        _LINEAR_3,
        ("s0.ab = s1.ab", "s1.bc = s2.bc"),
        _drawn(rates, domain, _LINEAR_3),
    )


def sensors() -> Workload:
    folder = find_data()
    readings = stand_in() if folder is None else read_groups(folder)
    streams = tuple(readings.keys)

    def rows(stream: str, push: int, chance: np.random.Generator) -> Columns:
        epochs, starts = PUSH_EVERY * 10, readings.starts[stream]
        return {"t": readings.keys[stream][starts[push * epochs] : starts[(push + 1) * epochs]]}

    a, b, c, d, e = streams
    on = (f"{a}.t = {b}.t", "true", f"{c}.t = {d}.t AND {b}.t = {c}.t", f"{e}.t = {a}.t")
    return Workload(
        f"five groups of sensors ({readings.source})",
        dict.fromkeys(streams, ("t",)),
        on,
        rows,
        window=5,
        tolerance=3.0,
    )

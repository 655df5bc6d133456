"""What is joined in `headwater bench joins --execute`: streams, how they are joined, and their rows.

Synthetic streams have a column for each join that they take part in, drawn evenly from a domain.  Their rates
differ by up to eight times, within Table 3's range, and so do their domains: where all are alike, every path
is worth the same, and there is nothing to choose.  Domains may change, which changes selectivities (Figure
6).  The sensors are those of Figure 8: five groups of neighbouring motes, joined on equal temperatures, about
a thousand rows of each in a window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.bench.joins.sensors import find_data, read_groups, stand_in

__all__ = ["PUSH_EVERY", "Workload", "as_in_figure_6", "sensors", "synthetic", "turned_around"]

PUSH_EVERY = 5  # seconds of virtual time
EPOCHS = 10  # of the sensors, in a push
FIRST_EPOCH = 6_000  # the lab is warm and readings overlap

Columns = dict[str, npt.NDArray[np.int64]]
RowsOf = Callable[[str, int, np.random.Generator], Columns]  # a stream's rows of a push


@dataclass(frozen=True)
class Workload:
    """`on`: the ON of each stream but the first; `window` in seconds, `tolerance` in windows.

    `changes`: the pushes with which selectivities change.
    """

    name: str
    columns: Mapping[str, tuple[str, ...]]  # by stream
    on: tuple[str, ...]
    rows: RowsOf
    window: int = 20
    tolerance: float = 1.5
    changes: tuple[int, ...] = ()

    @property
    def filling(self) -> int:
        """Pushes until windows are full and selectivities known."""
        return round(self.window / PUSH_EVERY) + 2

    def tables(self, more: str = "") -> str:
        """`more`: clauses."""
        return "".join(
            f"CREATE TABLE {stream} (id BIGINT PRIMARY KEY,"
            f" {', '.join(f'{column} BIGINT' for column in columns)}, at TIMESTAMP TEMPORAL){more};\n"
            for stream, columns in self.columns.items()
        )

    def view(self, freshness: int = PUSH_EVERY) -> str:
        streams = list(self.columns)
        listed = ", ".join(f"{stream}.id AS i{number}" for number, stream in enumerate(streams))
        joined = " ".join(f"JOIN {stream} ON {on}" for stream, on in zip(streams[1:], self.on, strict=True))
        limit = round(self.window * self.tolerance * 1000)
        limits = ", ".join(f"{stream} = INTERVAL '{limit}' MILLISECOND" for stream in streams)
        return (
            f"CREATE MATERIALIZED VIEW joined FRESHNESS = INTERVAL '{freshness}' SECOND"
            f" WINDOW = INTERVAL '{self.window}' SECOND TOLERANCE ({limits}) ON OVERLOAD ADAPT JOINS"
            f" AS SELECT {listed} FROM {streams[0]} {joined};\n"
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
_THREE, _FOUR = ("s0.ab = s1.ab", "s1.bc = s2.bc"), ("s0.ab = s1.ab", "s1.bc = s2.bc", "s2.cd = s3.cd")
_BUSHY = ("s0.ab = s1.ab", "true", "s2.cd = s3.cd AND s1.bc = s2.bc")
_RATES_3 = {"s0": 100, "s1": 400, "s2": 800}  # rows in a push
_RATES_4 = {"s0": 200, "s1": 100, "s2": 400, "s3": 800}
_DOMAINS_3 = {"ab": 200, "bc": 800}
_DOMAINS_4 = {"ab": 100, "bc": 1_600, "cd": 1_600}


def synthetic() -> list[Workload]:
    rows_3 = _drawn(_RATES_3, lambda column, push: _DOMAINS_3[column], _LINEAR_3)
    rows_4 = _drawn(_RATES_4, lambda column, push: _DOMAINS_4[column], _LINEAR_4)
    return [
        Workload("three streams", _LINEAR_3, _THREE, rows_3),
        Workload("four streams, linear", _LINEAR_4, _FOUR, rows_4),
        Workload("four streams, bushy", _LINEAR_4, _BUSHY, rows_4),
    ]


def as_in_figure_6(every: int) -> Workload:
    """Four streams, linear: after some pushes the lower two joins match three times as often, and after as
    many again the last one twice as often.
    """
    first = synthetic()[1].filling + every
    second = first + every

    def domain(column: str, push: int) -> int:
        if column == "cd":
            return 1_600 if push >= second else 3_200
        return _DOMAINS_4[column] if push >= first else 3 * _DOMAINS_4[column]

    rows = _drawn(_RATES_4, domain, _LINEAR_4)
    return Workload("selectivities as in Figure 6", _LINEAR_4, _FOUR, rows, changes=(first, second))


def turned_around(every: int) -> Workload:
    """Three streams: what one join loses, the other gains, so that the best path becomes the worst."""
    change = synthetic()[0].filling + every

    def domain(column: str, push: int) -> int:
        turned = push >= change
        return {"ab": 3_000 if turned else 100, "bc": 60 if turned else 1_500}[column]

    rates = {"s0": 300, "s1": 150, "s2": 300}
    return Workload(
        "selectivities turned around", _LINEAR_3, _THREE, _drawn(rates, domain, _LINEAR_3), changes=(change,)
    )


def sensors() -> Workload:
    folder = find_data()
    readings = stand_in() if folder is None else read_groups(folder)
    streams = tuple(readings.keys)
    first = 0 if folder is None else FIRST_EPOCH

    def rows(stream: str, push: int, chance: np.random.Generator) -> Columns:
        starts, begin = readings.starts[stream], first + push * EPOCHS
        return {"t": readings.keys[stream][starts[begin] : starts[begin + EPOCHS]]}

    a, b, c, d, e = streams
    on = (f"{a}.t = {b}.t", "true", f"{c}.t = {d}.t AND {b}.t = {c}.t", f"{e}.t = {a}.t")
    columns = dict.fromkeys(streams, ("t",))
    return Workload(f"five groups of sensors ({readings.source})", columns, on, rows, window=50)

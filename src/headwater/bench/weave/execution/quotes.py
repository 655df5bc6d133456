"""Quotes to aggregate: a generated stream, or minutes of a file of real ones, in batches of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv

from headwater.errors import InputError
from headwater.storage.timeline import WEIGHT

__all__ = ["SYMBOLS", "Stream", "generated", "recorded"]

SYMBOLS = 20
START = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1_000_000)
_INSTANT, _PRICE = pa.timestamp("us", tz="UTC"), pa.decimal128(12, 4)


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows with weights, batch by batch; each batch covers as many seconds as the others."""

    name: str
    batches: tuple[pa.Table, ...]
    rate: float  # rows per second
    symbols: int

    @property
    def rows(self) -> int:
        return sum(map(len, self.batches))

    def after(self, pushes: int) -> pa.Table:
        """The rows that are there after so many batches."""
        rows = self.batches[0].slice(0, 0)
        for batch in self.batches[:pushes]:
            comes = pc.greater(batch[WEIGHT], 0)
            gone = batch["id"].filter(pc.invert(comes)).combine_chunks()
            stays = pc.invert(pc.is_in(rows["id"], gone))
            rows = pa.concat_tables([rows.filter(stays), batch.filter(comes)])
        return rows.drop_columns([WEIGHT])


def generated(rate: int, seconds: int, batches: int, removed: float = 0.05, seed: int = 0) -> Stream:
    """A stream that a random number generator makes; a share of each batch changes earlier rows."""
    chance = np.random.default_rng(seed)
    count = rate * seconds
    ids = np.arange(count * batches)
    at = START + (ids * (1_000_000 / rate)).astype("int64") - chance.integers(0, 500_000, len(ids))
    rows = _rows(ids, chance.integers(0, SYMBOLS, len(ids)), at, chance.integers(10_000, 2_000_000, len(ids)))
    edges = [count * number for number in range(batches + 1)]
    return Stream("generated", tuple(_batches(rows, edges, removed, chance)), rate, SYMBOLS)


def recorded(path: str, seconds: int, batches: int, removed: float = 0.05, seed: int = 0) -> Stream:
    """The first minutes after the opening of a file of quotes: symbol, ms_since_midnight, bid_x10000."""
    try:
        read = pc_csv.read_csv(path).select(["symbol", "ms_since_midnight", "bid_x10000"])
    except (OSError, pa.ArrowInvalid, KeyError) as error:
        raise InputError("HW005", f"{path} is no file of quotes: {error}") from error
    opening = 34_200_000
    wanted = pc.and_(
        pc.greater_equal(read["ms_since_midnight"], opening),
        pc.less(read["ms_since_midnight"], opening + 1000 * seconds * batches),
    )
    read = read.filter(wanted).sort_by("ms_since_midnight")
    symbols = read["symbol"].combine_chunks().dictionary_encode()
    at = START + (read["ms_since_midnight"].to_numpy() - opening) * 1000
    rows = _rows(np.arange(len(read)), symbols.indices.to_numpy(), at, read["bid_x10000"].to_numpy())
    edges = [int(np.searchsorted(at, START + number * seconds * 1_000_000)) for number in range(batches + 1)]
    chance = np.random.default_rng(seed)
    cut = tuple(_batches(rows, edges, removed, chance))
    return Stream("recorded", cut, len(rows) / (seconds * batches), len(symbols.dictionary))


def _rows(ids: np.ndarray, symbols: np.ndarray, at: np.ndarray, prices: np.ndarray) -> pa.Table:
    names = pa.array(np.char.add("S", symbols.astype("U4")))
    units = [Decimal(int(price)).scaleb(-4) for price in prices]
    instants = pa.array(at, pa.int64()).cast(_INSTANT)
    return pa.table({"id": ids, "symbol": names, "price": pa.array(units, _PRICE), "quoted_at": instants})


def _batches(
    rows: pa.Table, edges: Sequence[int], removed: float, chance: np.random.Generator
) -> Iterator[pa.Table]:
    """The rows between two edges at a time; batches need not be equally large."""
    for before, begin, end in zip([0, *edges], edges, edges[1:], strict=False):
        yield _with_removed(rows, before, begin, end, removed, chance)


def _with_removed(
    rows: pa.Table, before: int, begin: int, end: int, removed: float, chance: np.random.Generator
) -> pa.Table:
    """The rows of a batch; of those of the batch before, some are deleted, and as many get another price.

    A row is changed at most once.
    """
    new = rows.slice(begin, end - begin)
    gone = before + chance.choice(begin - before, int((begin - before) * removed), replace=False)
    old = rows.take(pa.array(gone))
    updated = old.slice(0, len(old) // 2)
    prices = updated["price"].take(pa.array(range(len(updated))[::-1], pa.int64()))
    updated = updated.set_column(updated.schema.get_field_index("price"), "price", prices)
    return pa.concat_tables([_weighted(new, 1), _weighted(old, -1), _weighted(updated, 1)])


def _weighted(rows: pa.Table, weight: int) -> pa.Table:
    return rows.append_column(WEIGHT, pa.repeat(pa.scalar(weight, pa.int64()), len(rows)))

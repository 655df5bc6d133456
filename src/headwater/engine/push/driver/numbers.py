"""Columns of Arrow as whole numbers, and back: integers, decimals and instants, exactly or not at all.

A decimal is its digits without the point.  Numbers of more than 18 digits do not fit; whoever asks is told so
(`TooLarge`) and leaves the work to Spark.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Integers", "Numbers", "TooLarge", "as_arrow", "instants", "is_whole", "numbers"]

Integers = npt.NDArray[np.int64]
LARGEST = 10**18  # in absolute value: sums of two still fit


class TooLarge(Exception):
    """Numbers do not fit, or there is none where one is expected; the rows are Spark's to merge."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Whole numbers, zero where there is none."""

    values: Integers
    valid: npt.NDArray[np.bool_]

    def take(self, where: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Numbers:
        return Numbers(self.values[where], self.valid[where])


def is_whole(kind: pa.DataType) -> bool:
    """Whether values of a type are whole numbers, or so many digits."""
    return bool(pa.types.is_integer(kind) or pa.types.is_decimal128(kind) or pa.types.is_timestamp(kind))


def numbers(column: pa.ChunkedArray) -> Numbers:
    """The values of a column whose type `is_whole`."""
    flat = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    valid = np.asarray(pc.is_valid(flat).to_numpy(zero_copy_only=False), dtype=np.bool_)
    if pa.types.is_decimal(flat.type):
        values = np.where(valid, _digits(flat), 0)
    else:
        values = pc.fill_null(flat.cast(pa.int64()), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    if len(values) and (values.max() >= LARGEST or values.min() <= -LARGEST):
        raise TooLarge
    return Numbers(values, valid)


def _digits(column: pa.Array) -> Integers:
    """The lower of the two words of each decimal, if the upper is nothing but its sign."""
    words = np.frombuffer(column.buffers()[1], dtype=np.int64)
    words = words[2 * column.offset : 2 * (column.offset + len(column))].reshape(-1, 2)
    low, high = words[:, 0], words[:, 1]
    known = np.asarray(pc.is_valid(column).to_numpy(zero_copy_only=False), dtype=np.bool_)
    if not np.array_equal(high[known], low[known] >> 63):
        raise TooLarge
    return low


def as_arrow(made: Numbers, kind: pa.DataType) -> pa.Array:
    """Numbers as a column of a type; a decimal has the digits that they are."""
    absent = ~made.valid
    if not pa.types.is_decimal(kind):
        return pa.array(made.values, pa.int64(), mask=absent).cast(kind)
    words = np.empty((len(made.values), 2), dtype=np.int64)
    words[:, 0], words[:, 1] = made.values, made.values >> 63
    mask = pa.array(made.valid).buffers()[1] if absent.any() else None
    return pa.Array.from_buffers(kind, len(made.values), [mask, pa.py_buffer(words)])


def instants(micros: Integers, kind: pa.DataType) -> pa.Array:
    return pa.array(micros, pa.int64()).cast(pa.timestamp("us", tz="UTC")).cast(kind)

"""A 64-bit hash of the key columns of each row, computed column by column in numpy.

Equal keys have equal hashes: NULL equals NULL here, NaN equals NaN and 0.0 equals -0.0.  Keys with equal
hashes are only likely to be equal, so whoever finds a row by its hash compares the key as well.  Hashes are
stored (key_file.py), so how they are computed is part of a file format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Hashes", "can_hash", "key_hashes"]

Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_NULL = np.uint64(0x9E6C63D0876A9A35)
_COLUMN = np.uint64(0x9E3779B97F4A7C15)


def can_hash(kind: pa.DataType) -> bool:
    """Whether keys of this type have hashes."""
    return not (pa.types.is_nested(kind) or pa.types.is_dictionary(kind) or pa.types.is_null(kind))


def key_hashes(rows: pa.Table, keys: Sequence[str]) -> Hashes:
    result: Hashes = np.zeros(len(rows), np.uint64)
    for name in keys:
        parts = [_hashes(chunk) for chunk in rows.column(name).chunks]
        column = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
        result = _mixed(result * _COLUMN + column)
    return result


def _hashes(array: pa.Array) -> Hashes:
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        hashes = _of_bytes(array)
    elif pa.types.is_decimal(kind):
        hashes = _of_decimals(array)
    else:
        hashes = _mixed(_words(array))
    if array.null_count:
        hashes[array.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return hashes


def _words(array: pa.Array) -> Hashes:
    """Values of fixed width as 64-bit words; what stands where a value is NULL does not matter."""
    kind = array.type
    if pa.types.is_floating(kind):
        values = pc.fill_null(array, 0.0).to_numpy(zero_copy_only=False).astype(np.float64)
        plain = np.where(values == 0, 0.0, np.where(np.isnan(values), np.nan, values))
        return plain.view(np.uint64)
    if pa.types.is_date32(kind):
        array = array.view(pa.int32())
    elif not pa.types.is_boolean(kind) and not pa.types.is_integer(kind):
        array = array.view(pa.int64())  # instants
    numbers = pc.fill_null(array.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    return numbers.view(np.uint64)


def _of_decimals(array: pa.Array) -> Hashes:
    words = np.frombuffer(array.buffers()[1], np.uint64)[2 * array.offset : 2 * (array.offset + len(array))]
    low, high = words.reshape(-1, 2).T
    return _mixed(_mixed(low) * _COLUMN + high)


def _of_bytes(array: pa.Array) -> Hashes:
    """The sum of all bytes, each multiplied by a number that its position has; and the length."""
    _, offsets, content = array.buffers()
    ends = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    starts, lengths = ends[:-1], np.diff(ends)
    if len(array) == 0 or ends[-1] == ends[0]:
        return _mixed(lengths.astype(np.uint64))
    text = np.frombuffer(content, np.uint8)[ends[0] : ends[-1]].astype(np.uint64)
    factors = _mixed(np.arange(1, lengths.max() + 1, dtype=np.uint64))
    positions = np.arange(len(text)) - np.repeat(starts - ends[0], lengths)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum((text + np.uint64(1)) * factors[positions])])
    return _mixed(sums[ends[1:] - ends[0]] - sums[starts - ends[0]] + lengths.astype(np.uint64))


def _mixed(words: Hashes) -> Hashes:
    """Every bit of a word spread over all bits (the finalizer of splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))

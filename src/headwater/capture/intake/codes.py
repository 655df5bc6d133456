"""Rows as small integers: equal rows, equal numbers.

Whether two keys are equal is asked many times while a batch is resolved, so it is decided once for all of
them, column by column in Arrow; after that everything is integer arithmetic.  NULL equals NULL and NaN
equals NaN here (callers leave NULLs out where SQL says so).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["Codes", "codes", "has_null"]

Codes = np.ndarray[Any, np.dtype[np.int64]]


def codes(rows: pa.Table, columns: Sequence[str]) -> Codes:
    """One number per row, equal exactly where all `columns` are equal."""
    result: Codes = np.zeros(len(rows), np.int64)
    for position, name in enumerate(columns):
        encoded = _encoded(rows.column(name))
        if position == 0:
            result = encoded
            continue
        span = int(encoded.max(initial=0)) + 1
        # Renumbering the pairs keeps them below the number of rows, so products never overflow.
        result = np.unique(result * span + encoded, return_inverse=True)[1].astype(np.int64)
    return result


def has_null(rows: pa.Table, columns: Sequence[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    missing = np.zeros(len(rows), np.bool_)
    for name in columns:
        if rows.column(name).null_count:
            missing |= rows.column(name).is_null().to_numpy()
    return missing


def _encoded(column: pa.ChunkedArray) -> Codes:
    if len(column) == 0:
        return np.zeros(0, np.int64)
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # chunks that Arrow cannot combine
        array = pa.concat_arrays(array.chunks)
    return (
        array.dictionary_encode(null_encoding="encode")
        .indices.to_numpy(zero_copy_only=False)
        .astype(np.int64)
    )

"""Rows view by view, in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headwater.storage.records.journal import AT

__all__ = ["cut_by_view", "first_by_view", "last_by_view", "ordered_by_view", "starts_and_ends"]


def ordered_by_view(rows: pa.Table) -> pa.Table:
    """Rows of the same instant stay in the order they had."""
    return rows.sort_by([("view", "ascending"), (AT, "ascending")])


def first_by_view(rows: pa.Table) -> pa.Table:
    """Each view's oldest row."""
    ordered = ordered_by_view(rows)
    return ordered.take(pa.array(starts_and_ends(ordered, ["view"])[0]))


def last_by_view(rows: pa.Table) -> pa.Table:
    """Each view's newest row; of two with the same instant, the later one in the table."""
    ordered = ordered_by_view(rows)
    return ordered.take(pa.array(starts_and_ends(ordered, ["view"])[1]))


def cut_by_view(rows: pa.Table) -> dict[str, pa.Table]:
    """Each view's rows, oldest first."""
    ordered = ordered_by_view(rows)
    starts, ends = starts_and_ends(ordered, ["view"])
    views = ordered.column("view").take(pa.array(starts)).to_pylist()
    return {
        view: ordered.slice(start, end - start + 1)
        for view, start, end in zip(views, starts, ends, strict=True)
    }


def starts_and_ends(rows: pa.Table, names: Sequence[str]) -> tuple[Any, Any]:
    """The positions of the first and the last row of each run of rows that are equal in some text columns."""
    differs = np.zeros(max(0, len(rows) - 1), bool)
    for name in names:
        values = pc.fill_null(rows.column(name), "").combine_chunks()
        differs |= pc.not_equal(values[1:], values[:-1]).to_numpy(zero_copy_only=False)
    inner = np.flatnonzero(differs)
    if not len(rows):
        return inner, inner
    return np.append(0, inner + 1), np.append(inner, len(rows) - 1)

"""Z-sets in plain Python: a dict from row to weight, without zeros."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater.algebra.expressions.values import Row

__all__ = ["ZSet", "add", "consolidate", "negate", "zset"]

ZSet = dict[Row, int]


def zset(rows: Iterable[Row]) -> ZSet:
    """The Z-set of some rows, each with weight one."""
    return consolidate((row, 1) for row in rows)


def consolidate(pairs: Iterable[tuple[Row, int]]) -> ZSet:
    """Add up the weights of equal rows and drop the rows that come to zero."""
    total: ZSet = {}
    for row, weight in pairs:
        total[row] = total.get(row, 0) + weight
    return {row: weight for row, weight in total.items() if weight}


def add(*zsets: Mapping[Row, int]) -> ZSet:
    return consolidate(pair for rows in zsets for pair in rows.items())


def negate(rows: Mapping[Row, int]) -> ZSet:
    return {row: -weight for row, weight in rows.items()}

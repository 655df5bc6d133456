"""Window functions as the evaluator computes them: partition by partition, row by row, by their definitions.

Rows that the order leaves equal are put in the order of all their columns, so that two evaluations agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key, partial
from typing import Any

from headwater.algebra.expressions.aggregates import Weighted, aggregate
from headwater.algebra.expressions.compile import compile_expr, compile_row, holds
from headwater.algebra.expressions.functions import STRICT
from headwater.algebra.expressions.values import Row, Value, compare
from headwater.algebra.oracle.zsets import ZSet, consolidate
from headwater.algebra.plans.framing import Bound, Edge, Frame, Order, OverCall
from headwater.algebra.plans.nodes import Over
from headwater.errors import InternalError

__all__ = ["over"]

_ROWS_SO_FAR = Frame(False, Bound(Edge.START), Bound(Edge.CURRENT))
_ALL_ROWS = Frame(True, Bound(Edge.START), Bound(Edge.END))


def over(node: Over, rows: ZSet) -> ZSet:
    """Each row with the values of the window functions; copies of a row are rows of their own."""
    key = compile_row(node.partition, node.child.columns)
    partitions: dict[Row, list[Row]] = {}
    for row, weight in rows.items():
        if weight < 0:
            raise InternalError("HW903", "a window function met a row with a negative weight")
        partitions.setdefault(key(row), []).extend([row] * weight)
    result = consolidate((row, 1) for members in partitions.values() for row in _partition(node, members))
    if node.most is None:
        return result
    at, most = node.columns.index(node.most[0]), node.most[1]
    return {row: weight for row, weight in result.items() if row[at] <= most}


def _partition(node: Over, members: list[Row]) -> Iterator[Row]:
    values = compile_row(tuple(item.expr for item in node.order), node.child.columns)
    keyed = [(values(row), row) for row in members]
    keyed.sort(key=cmp_to_key(partial(_compared, node.order)))
    part = _Part(node, [row for _, row in keyed], [value for value, _ in keyed])
    columns = [part.column(call) for call in node.calls]
    for index, row in enumerate(part.rows):
        yield (*row, *(column[index] for column in columns))


def _compared(order: tuple[Order, ...], one: tuple[Row, Row], other: tuple[Row, Row]) -> int:
    return _by_order(order, one[0], other[0]) or _by_value(one[1], other[1])


def _by_order(order: tuple[Order, ...], one: Row, other: Row) -> int:
    for item, left, right in zip(order, one, other, strict=True):
        if left is None or right is None:
            ordered = ((right is None) - (left is None)) * (1 if item.nulls_first else -1)
        else:
            ordered = compare(left, right) * (-1 if item.descending else 1)
        if ordered:
            return ordered
    return 0


def _by_value(one: Row, other: Row) -> int:
    """A sort key: any order will do that is the same every time. NULL comes first."""
    return compare(one, other)


class _Part:
    """One partition in order: its rows, and the values of the order for each."""

    def __init__(self, node: Over, rows: list[Row], values: list[Row]) -> None:
        self.node, self.rows, self.values = node, rows, values
        self.first_peer: list[int] = []
        self.last_peer: list[int] = []
        starts = [0, *(at for at in range(1, len(rows)) if not self._same(at - 1, at)), len(rows)]
        for start, end in zip(starts, starts[1:], strict=False):
            self.first_peer += [start] * (end - start)
            self.last_peer += [end - 1] * (end - start)

    def _same(self, left: int, right: int) -> bool:
        return _by_order(self.node.order, self.values[left], self.values[right]) == 0

    def column(self, over_call: OverCall) -> list[Value]:
        function = over_call.function
        if function in _NUMBERS:
            return _NUMBERS[function](self, self._arguments(over_call))
        if function in ("lag", "lead"):
            step = -1 if function == "lag" else 1
            return _shifted(self._arguments(over_call), step, ignores_nulls(over_call))
        frames = [self._frame(over_call.frame, at) for at in range(len(self.rows))]
        if function in ("first_value", "last_value", "nth_value", "first", "last"):
            return self._of_one_row(over_call, frames)
        passes = holds(over_call.call.where, self.node.child.columns)
        arguments = self._arguments(over_call)
        chosen: list[tuple[Row, int] | None] = [
            (value, 1) if passes(row) else None for value, row in zip(arguments, self.rows, strict=True)
        ]
        results: dict[tuple[int, int], Value] = {}
        for low, high in frames:
            if (low, high) not in results:
                members: Weighted = [pair for pair in chosen[low : high + 1] if pair is not None]
                results[low, high] = aggregate(over_call.call, members)
        return [results[frame] for frame in frames]

    def _arguments(self, over_call: OverCall) -> list[Row]:
        arguments = compile_row(over_call.call.arguments, self.node.child.columns)
        return [arguments(row) for row in self.rows]

    def _of_one_row(self, over_call: OverCall, frames: Sequence[tuple[int, int]]) -> list[Value]:
        ignores = ignores_nulls(over_call)
        arguments = self._arguments(over_call)
        results: list[Value] = []
        for low, high in frames:
            seen = [row[0] for row in arguments[low : high + 1] if not (ignores and row[0] is None)]
            at = {"last_value": -1, "last": -1}.get(over_call.function, 0)
            if over_call.function == "nth_value":
                at = arguments[low][1] - 1 if low <= high else 0
            results.append(seen[at] if -len(seen) <= at < len(seen) else None)
        return results

    def _frame(self, frame: Frame | None, at: int) -> tuple[int, int]:
        """The first and the last row of the frame around a row."""
        frame = frame or (_ROWS_SO_FAR if self.node.order else _ALL_ROWS)
        last = len(self.rows) - 1
        low = 0 if frame.start.edge is Edge.START else self._edge(frame, frame.start, at, low=True)
        high = last if frame.end.edge is Edge.END else self._edge(frame, frame.end, at, low=False)
        return max(low, 0), max(min(high, last), -1)

    def _edge(self, frame: Frame, bound: Bound, at: int, low: bool) -> int:
        if bound.edge is Edge.CURRENT:
            return at if frame.rows else (self.first_peer if low else self.last_peer)[at]
        assert bound.offset is not None
        offset = compile_expr(bound.offset, ())(())
        before = bound.edge is Edge.BEFORE
        if frame.rows:
            return int(at - offset if before else at + offset)
        return self._within(at, offset, before, low)

    def _within(self, at: int, offset: Any, before: bool, low: bool) -> int:
        """RANGE: the outermost row whose value is within the offset; NULLs are peers of each other."""
        (item,) = self.node.order
        here = self.values[at][0]
        if here is None:
            return (self.first_peer if low else self.last_peer)[at]
        edge = STRICT["sub" if before is not item.descending else "add"](here, offset)
        sign = -1 if item.descending else 1
        inside = [
            index
            for index, (value,) in enumerate(self.values)
            if value is not None and sign * compare(value, edge) * (1 if low else -1) >= 0
        ]
        if low:
            return inside[0] if inside else len(self.rows)
        return inside[-1] if inside else -1


def ignores_nulls(over_call: OverCall) -> bool:
    return "IGNORE NULLS" in over_call.call.template


def _row_number(part: _Part, _: list[Row]) -> list[Value]:
    return list(range(1, len(part.rows) + 1))


def _rank(part: _Part, _: list[Row]) -> list[Value]:
    return [first + 1 for first in part.first_peer]


def _dense_rank(part: _Part, _: list[Row]) -> list[Value]:
    starts = sorted(set(part.first_peer))
    numbers = {start: number for number, start in enumerate(starts, start=1)}
    return [numbers[first] for first in part.first_peer]


def _percent_rank(part: _Part, _: list[Row]) -> list[Value]:
    others = len(part.rows) - 1
    return [first / others if others else 0.0 for first in part.first_peer]


def _cume_dist(part: _Part, _: list[Row]) -> list[Value]:
    return [(last + 1) / len(part.rows) for last in part.last_peer]


def _ntile(part: _Part, arguments: list[Row]) -> list[Value]:
    tiles = arguments[0][0] if arguments and arguments[0] else 1
    size, larger = divmod(len(part.rows), tiles)
    sizes = [size + (tile < larger) for tile in range(tiles)]
    return [tile for tile, count in enumerate(sizes, start=1) for _ in range(count)]


def _shifted(arguments: list[Row], step: int, ignores: bool) -> list[Value]:
    """The value so many rows away; `ignores`: rows without a value are not counted."""
    results: list[Value] = []
    for at, (value, offset, default) in enumerate(map(_padded, arguments)):
        beyond = arguments[at + 1 :] if step * offset > 0 else arguments[:at][::-1]
        there = [value, *(row[0] for row in beyond if not (ignores and row[0] is None))]
        results.append(there[abs(offset)] if abs(offset) < len(there) else default)
    return results


def _padded(row: Row) -> Row:
    """(value, offset, default)."""
    return (row[0], row[1] if len(row) > 1 else 1, row[2] if len(row) > 2 else None)


_NUMBERS: dict[str, Callable[[_Part, list[Row]], list[Value]]] = {
    "row_number": _row_number,
    "rank": _rank,
    "dense_rank": _dense_rank,
    "percent_rank": _percent_rank,
    "cume_dist": _cume_dist,
    "ntile": _ntile,
}

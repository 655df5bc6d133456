"""What a window function sees of its partition: the order of rows, and a frame around each.

    sum(x) OVER (PARTITION BY k ORDER BY t DESC NULLS LAST ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)

Without a frame, a function over an order sees all rows up to the last one that the order leaves equal with
its own (RANGE ... CURRENT ROW), and without an order the whole partition.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from headwater.algebra.expressions.tree import AggregateCall, Expr
from headwater.algebra.hashing import Node, hashed_once

__all__ = ["RANKS", "Bound", "Edge", "Frame", "Order", "OverCall", "breaks_ties"]

# Numbers that only the rows before a row decide, so those of the first n rows are known from these alone.
RANKS = frozenset({"row_number", "rank", "dense_rank"})
_PEERS_ARE_EQUAL = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
_IN_ORDER = frozenset({"collect_list"})  # of what order, if there is one
_OF_ONE_ROW = frozenset({"first_value", "last_value", "nth_value", "first", "last", "any_value"})


@hashed_once
@dataclass(frozen=True, slots=True)
class Order(Node):
    """One expression of an ORDER BY."""

    expr: Expr
    descending: bool = False
    nulls_first: bool = True


class Edge(Enum):
    """Where a frame begins or ends."""

    START = "UNBOUNDED PRECEDING"
    BEFORE = "PRECEDING"
    CURRENT = "CURRENT ROW"
    AFTER = "FOLLOWING"
    END = "UNBOUNDED FOLLOWING"


@dataclass(frozen=True, slots=True)
class Bound:
    """An edge; `offset` says how far BEFORE or AFTER."""

    edge: Edge
    offset: Expr | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """ROWS counts rows, RANGE compares the values of the order."""

    rows: bool
    start: Bound
    end: Bound

    @property
    def whole(self) -> bool:
        return self.start.edge is Edge.START and self.end.edge is Edge.END


@hashed_once
@dataclass(frozen=True, slots=True)
class OverCall(Node):
    """A function over a frame; `call` is written as an aggregate is, whatever its function."""

    call: AggregateCall
    frame: Frame | None = None

    @property
    def name(self) -> str:
        return self.call.name

    @property
    def function(self) -> str:
        return self.call.function


def breaks_ties(call: OverCall, ordered: bool) -> bool:
    """Does the value depend on which of two rows comes first that the order leaves equal?"""
    if call.function in _PEERS_ARE_EQUAL:
        return False
    if call.function in ("row_number", "ntile", "lag", "lead", *_OF_ONE_ROW):
        return True
    if call.function in _IN_ORDER and ordered:
        return True
    return call.frame is not None and call.frame.rows and not call.frame.whole

"""A grouped stage as weaving sees it: one relation, filters, perhaps windows, keys and states.

    Aggregate [symbol = q.symbol, w = window] [_n = count(1)]
      Windows window [q.at] 6 s every 2 s                   ->  Grouping of quotes by symbol and w,
        Filter [q.price > 0]                                6 s every 2 s, quotes.price > 0
          Scan quotes q

Whatever names the view gives, all expressions are written in `relation.column`, so that those of different
views can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import NamedTuple

from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, columns_of, conjuncts, rename
from headwater.algebra.moments.crossing import is_moving
from headwater.algebra.plans.nodes import Aggregate, Filter, Plan, Project, Scan, Windows
from headwater.algebra.stages.stage import Stage
from headwater.algebra.weaving.edges import Edges, window_edges
from headwater.algebra.weaving.parts import parts_of

__all__ = ["Grouping", "Shape", "Window", "grouping_of"]


@dataclass(frozen=True, slots=True)
class Window:
    """The windows of a view: their column in its plan, the time that they are of, and their lengths."""

    column: str
    time: Expr
    size: timedelta
    slide: timedelta
    offset: timedelta

    @property
    def edges(self) -> Edges:
        """Where windows start and where they end."""
        return window_edges(self.size, self.slide, self.offset)


class Shape(NamedTuple):
    """What a grouping asks of a stage that it shares, but for where its windows begin and end."""

    keys: tuple[Expr, ...]
    filters: tuple[Expr, ...]
    parts: tuple[AggregateCall, ...]
    column: str  # of its windows; "" if it has none
    time: Expr | None


@dataclass(frozen=True, slots=True)
class Grouping:
    """A grouped stage over one relation; its columns are called `relation.column` in all expressions."""

    relation: str
    keys: tuple[tuple[str, Expr], ...]
    aggregates: tuple[AggregateCall, ...]
    filters: tuple[Expr, ...]
    window: Window | None
    plain_keys: tuple[Expr, ...] = field(init=False, repr=False, compare=False)  # those without windows
    parts: tuple[AggregateCall, ...] = field(init=False, repr=False, compare=False)  # states, nameless

    def __post_init__(self) -> None:
        """A grouping is compared with all others, so what they look at is worked out once."""
        plain = tuple(expr for _, expr in self.keys if not self._of_window(expr))
        kept = filter(None, map(parts_of, self.aggregates))
        object.__setattr__(self, "plain_keys", plain)
        object.__setattr__(self, "parts", tuple(state for parts in kept for state in parts.states))

    @property
    def shape(self) -> Shape:
        column, time = ("", None) if self.window is None else (self.window.column, self.window.time)
        return Shape(self.plain_keys, self.filters, self.parts, column, time)

    def _of_window(self, expr: Expr) -> bool:
        return self.window is not None and self.window.column in columns_of(expr)

    def expressions(self) -> Iterator[Expr]:
        """Everything that is computed from a row of the relation."""
        yield from self.plain_keys
        yield from self.filters
        for call in self.aggregates:
            yield from call.arguments
            yield from () if call.where is None else (call.where,)


def grouping_of(stage: Stage) -> Grouping | str:
    """A stage as a grouping, or why it is none that could share parts with others."""
    if not isinstance(stage.plan, Aggregate):
        return "it is no aggregate"
    if not stage.plan.keys:
        return "it has one group only"
    missing = [call for call in stage.plan.aggregates if parts_of(call) is None]
    if missing:
        distinct = "DISTINCT " if missing[0].distinct else ""
        return f"{distinct}{missing[0].function} has no partial states"
    return _Reader(stage.plan).read()


class _Reader:
    """Walks from an aggregate down to its scan, and writes all that it meets in the scan's columns."""

    def __init__(self, plan: Aggregate) -> None:
        self.keys, self.calls = list(plan.keys), list(plan.aggregates)
        self.filters: list[Expr] = []
        self.window: Window | None = None
        self.node: Plan = plan.child

    def read(self) -> Grouping | str:
        while not isinstance(self.node, Scan):
            match self.node:
                case Filter(child, condition):
                    self.filters += conjuncts(condition)
                case Project(child, items):
                    self._rename(dict(items))
                case Windows(child) if self.window is None:
                    node = self.node
                    self.window = Window(node.name, node.time, node.size, node.slide, node.offset)
                case _:
                    return "it is over more than one stored relation"
            self.node = child
        scan = self.node
        names: dict[str, Expr] = {
            f"{scan.alias}.{name}": Column(f"{scan.relation}.{name}") for name in scan.names
        }
        self._rename(names)
        grouping = Grouping(
            scan.relation,
            tuple(self.keys),
            tuple(self.calls),
            tuple(dict.fromkeys(self.filters)),
            self.window,
        )
        if not _separates_windows(grouping):
            return "an expression mixes its window with other columns"
        return grouping if _parts_stand_still(grouping) else "its rows change as time passes"

    def _rename(self, names: Mapping[str, Expr]) -> None:
        if self.window is not None:
            names = {name: expr for name, expr in names.items() if name != self.window.column}
            self.window = replace(self.window, time=rename(self.window.time, names))
        self.keys = [(name, rename(expr, names)) for name, expr in self.keys]
        self.filters = [rename(expr, names) for expr in self.filters]
        self.calls = [_renamed(call, names) for call in self.calls]


def _renamed(call: AggregateCall, names: Mapping[str, Expr]) -> AggregateCall:
    where = None if call.where is None else rename(call.where, names)
    return replace(call, arguments=tuple(rename(part, names) for part in call.arguments), where=where)


def _parts_stand_still(grouping: Grouping) -> bool:
    """Whether only filters of windows (RETAIN, above all) depend on the time: they are above the parts."""
    below = [*(expr for _, expr in grouping.keys), *grouping.expressions()]
    if grouping.window is not None:
        column = frozenset({grouping.window.column})
        below = [expr for expr in below if expr not in grouping.filters or columns_of(expr) != column]
        below.append(grouping.window.time)
    return not any(map(is_moving, below))


def _separates_windows(grouping: Grouping) -> bool:
    """Whether keys and filters are about the window or about the row, and aggregates about the row alone."""
    window = grouping.window
    if window is None:
        return True
    exprs = [*(expr for _, expr in grouping.keys), *grouping.filters]
    mixed = any(window.column in columns_of(expr) and len(columns_of(expr)) > 1 for expr in exprs)
    rows = [
        part for call in grouping.aggregates for part in (*call.arguments, call.where) if part is not None
    ]
    return not mixed and not any(window.column in columns_of(expr) for expr in rows)

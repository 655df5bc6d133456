"""What the expressions of a query need beside the rows they are read over: window functions, subqueries.

Each stands in an expression as a column.  When a clause is read, the columns are put under it: a subquery's
by a join, a window function's by a node over the rows.

    x > (SELECT avg(y) FROM t WHERE t.k = o.k)        a left join with the averages by k
    sum(x) OVER (PARTITION BY k)                      an Over
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from headwater.algebra.expressions.tree import Column, Expr
from headwater.algebra.plans.framing import Order, OverCall
from headwater.algebra.plans.nodes import JoinKind, OuterJoin, Over, Plan
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.over.ties import warn_of_ties
from headwater.sql.translate.passes.pushing import combine

__all__ = ["Attached", "Gathered", "Window"]

_MARK = "\1"
Rewrite = Callable[[Expr], Expr]


class Namer(Protocol):
    """What names columns: the environment of the query."""

    @property
    def notes(self) -> Notes: ...

    def column_names(self, wanted: list[str], plan: Plan | None = None) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Attached:
    """A relation with at most one row for each row of the query; `keys` pairs outer and own expressions.

    `single`: it has exactly one row, whatever the outer row is.
    """

    right: Plan
    keys: tuple[tuple[Expr, Expr], ...] = ()
    single: bool = False

    def under(self, plan: Plan, over: Rewrite = lambda expr: expr) -> Plan:
        if self.single:
            return combine(plan, self.right)
        keys = tuple((over(outer), own) for outer, own in self.keys)
        return OuterJoin(plan, self.right, JoinKind.LEFT, keys)


@dataclass(frozen=True, slots=True)
class Window:
    """A window function: where it looks, and what it computes; its call has no name yet."""

    partition: tuple[Expr, ...]
    order: tuple[Order, ...]
    call: OverCall


@dataclass(slots=True)
class Gathered:
    """What one query has gathered; `named` are the windows of the WINDOW clause."""

    named: Mapping[str, exp.Expr] = field(default_factory=dict)
    attached: list[Attached] = field(default_factory=list)
    windows: dict[Window, str] = field(default_factory=dict)
    nodes: dict[Window, exp.Expr] = field(default_factory=dict)
    for_subqueries: bool = False  # window functions may not stand there

    def keep(self, window: Window, node: exp.Expr) -> Column:
        """The column that stands for a window function."""
        self.nodes.setdefault(window, node)
        return Column(self.windows.setdefault(window, f"{_MARK}{len(self.windows)}"))

    @property
    def columns(self) -> frozenset[str]:
        """The columns that will be there."""
        joined = {name for attached in self.attached for name in attached.right.columns}
        return frozenset(joined | set(self.windows.values()))

    def join(self, plan: Plan, over: Rewrite = lambda expr: expr) -> Plan:
        """The plan with what subqueries need; each is joined once."""
        for attached in self.attached:
            plan = attached.under(plan, over)
        self.attached.clear()
        return plan

    def rank(
        self, plan: Plan, env: Namer, over: Rewrite = lambda expr: expr, partition: tuple[Expr, ...] = ()
    ) -> tuple[Plan, dict[str, Expr]]:
        """The plan with its window functions, those over the same rows in one node; and which mark is which.

        `partition`: what every partition is divided by besides.
        """
        names: dict[str, Expr] = {}
        for (keys, order), windows in self._by_partition().items():
            columns = env.column_names([window.call.function for window in windows], plan)
            pairs = list(zip(windows, columns, strict=True))
            names |= {self.windows[window]: Column(column) for window, column in pairs}
            calls = tuple(_mapped(window.call, column, over) for window, column in pairs)
            divided = tuple(dict.fromkeys((*partition, *map(over, keys))))
            ordered = tuple(replace(item, expr=over(item.expr)) for item in order)
            plan = Over(plan, divided, ordered, calls)
            for window in windows:
                warn_of_ties(env.notes, plan, window.call, self.nodes[window])
        return plan, names

    def _by_partition(self) -> dict[tuple[tuple[Expr, ...], tuple[Order, ...]], list[Window]]:
        groups: dict[tuple[tuple[Expr, ...], tuple[Order, ...]], list[Window]] = {}
        for window in self.windows:
            groups.setdefault((window.partition, window.order), []).append(window)
        return groups


def _mapped(call: OverCall, name: str, over: Rewrite) -> OverCall:
    where = None if call.call.where is None else over(call.call.where)
    arguments = tuple(map(over, call.call.arguments))
    return replace(call, call=replace(call.call, name=name, arguments=arguments, where=where))

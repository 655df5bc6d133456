"""Which views over fragments the driver can merge: those of counts, exact sums, min and max.

Everything else (floating point, HAVING, RETAIN, expressions over states) is Spark's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, Literal
from headwater.algebra.plans.nodes import Aggregate, Plan, Project, Scan, Windows
from headwater.algebra.stages.stage import Stage
from headwater.algebra.stages.states import ROW_COUNT
from headwater.clock import micros
from headwater.engine.push.driver.fragments import Lengths
from headwater.engine.push.driver.numbers import Numbers
from headwater.engine.push.driver.window_merge import MergedState

__all__ = ["WindowView", "shown_state", "window_view"]

_FUNCTIONS = ("sum", "min", "max")


@dataclass(frozen=True, slots=True)
class WindowView:
    """A view by windows over stored parts; columns of the parts are called as they are there."""

    parts: str
    time: str
    keys: tuple[tuple[str, str], ...]  # of the view, of the parts; without the window
    window: str  # the view's column
    lengths: Lengths
    states: tuple[MergedState, ...]

    @property
    def count(self) -> str:
        return ROW_COUNT.name


@lru_cache(maxsize=5_000)
def window_view(stage: Stage) -> WindowView | None:
    """The stage as a view that the driver could merge, as far as its plan tells."""
    plan = stage.plan
    if not isinstance(plan, Aggregate) or not isinstance(plan.child, Windows) or plan.child.member:
        return None
    node = plan.child
    parts = _parts(node.child)
    states = [_state(call, parts[1]) for call in plan.aggregates] if parts is not None else []
    if parts is None or None in states or not isinstance(node.time, Column):
        return None
    names = parts[1]
    windows = [name for name, expr in plan.keys if expr == Column(node.name)]
    others = [(name, expr) for name, expr in plan.keys if expr != Column(node.name)]
    plain = [
        (name, names[expr.name]) for name, expr in others if isinstance(expr, Column) and expr.name in names
    ]
    counted = any(
        state is not None and (state.name, state.function) == (ROW_COUNT.name, "sum") for state in states
    )
    if len(windows) != 1 or len(plain) != len(others) or not counted or node.time.name not in names:
        return None
    lengths = Lengths(micros(node.size), micros(node.slide), micros(node.offset))
    merged = tuple(state for state in states if state is not None)
    return WindowView(parts[0], names[node.time.name], tuple(plain), windows[0], lengths, merged)


def _parts(plan: Plan) -> tuple[str, Mapping[str, str]] | None:
    """The relation below, and its stored columns by their names in the plan."""
    match plan:
        case Scan(relation, alias, names):
            return relation, {f"{alias}.{name}": name for name in names}
        case Project(Scan() as scan, items):
            below = {f"{scan.alias}.{name}": name for name in scan.names}
            columns = {name: below[expr.name] for name, expr in items if isinstance(expr, Column)}
            return (scan.relation, columns) if len(columns) == len(items) else None
        case _:
            return None


def _state(call: AggregateCall, names: Mapping[str, str]) -> MergedState | None:
    match call.arguments:
        case (Column(name),) if name in names and call.function in _FUNCTIONS:
            plain = call.where is None and not call.distinct
            return MergedState(call.name, names[name], call.function) if plain else None
        case _:
            return None


def shown_state(
    expr: Expr, states: Mapping[str, Numbers], types: Mapping[str, pa.DataType], kind: pa.DataType
) -> Numbers | None:
    """A column that a view shows, of the states that it keeps; None if it is more than one of them.

    A sum is shown if something was counted: CASE WHEN count > 0 THEN CAST(sum AS DECIMAL(22,4)) END.
    """
    match expr:
        case Column(name) if name in states:
            return states[name]
        case Call("cast", (Column(name),)) if name in states and _same_digits(types[name], kind):
            return states[name]
        case Call("case", (Call("gt", (Column(count), Literal(0))), value)) if count in states:
            shown = shown_state(value, states, types, kind)
            counted = states[count].values > 0
            if shown is None:
                return None
            return Numbers(shown.values * counted, shown.valid & counted)
        case _:
            return None


def _same_digits(stored: pa.DataType, shown: pa.DataType) -> bool:
    """Whether a cast changes no digit: whatever is merged here has at most 18."""
    if pa.types.is_decimal(stored) and pa.types.is_decimal(shown):
        return bool(stored.scale == shown.scale and shown.precision >= min(18, stored.precision))
    return bool(pa.types.is_int64(stored) and pa.types.is_int64(shown))

"""session_window(time, gap): rows of a group that follow each other closely, as window functions.

    GROUP BY user, session_window(at, '5 minutes')

    prev, next    the times before and after a row's own, of the same user
    first, last   the row's time where it begins, or ends, a session: no other is as close as the gap
    start, stop   the latest `first` up to the row, the earliest `last` from it on
    the session   start .. stop + gap

A session is a property of all rows of a user, so a change computes the rows of the users it touches anew, and
emits those whose session is another.  As in Spark a row at exactly the gap's distance still belongs to the
session, and a row without a time belongs to none.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from headwater.algebra.expressions.build import choose, when
from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, Literal, call, columns_of
from headwater.algebra.plans.framing import Bound, Edge, Frame, Order, OverCall
from headwater.algebra.plans.nodes import Filter, Over, Plan, Project
from headwater.sql.translate.env import Env
from headwater.sql.translate.groups.group_keys import group_keys
from headwater.sql.translate.groups.items import read_items
from headwater.sql.translate.groups.windows import duration, own_nodes
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.scalars.operators import cast_to
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family

__all__ = ["add_sessions"]

_UP_TO = Frame(False, Bound(Edge.START), Bound(Edge.CURRENT))
_FROM_ON = Frame(False, Bound(Edge.CURRENT), Bound(Edge.END))


def add_sessions(
    rows: Rows, node: exp.Expr, parts: list[exp.Expr], env: Env
) -> tuple[Rows, dict[exp.Expr, Typed]]:
    """Put the session that `parts` call into the plan; map the call to the column that stands for it.

    What has no delta rule is left as it is; whoever reads the call says so.
    """
    calls = list(dict.fromkeys(call for part in parts for call in own_nodes(part) if _is_session(call)))
    if len(calls) != 1 or node.args.get("group") is None:
        return rows, {}
    first = calls[0]
    if len(first.expressions) != 2 or not isinstance(first.expressions[1], exp.Literal):
        return rows, {}  # a gap that differs from row to row
    time = env.expressions(rows, "session_window").translate(first.expressions[0])
    if family(time.type) in ("date", "string"):
        time = cast_to(time, "timestamp")
    instant = "timestamp_ntz" if time.type == "timestamp_ntz" else "timestamp"
    name = env.notes.alias("session")
    session = Typed(Column(name), f"struct<start:{instant},end:{instant}>", False)
    keys = group_keys(rows, node, read_items(rows, node, env), env, {first: session})
    others = tuple(key.expr for key in keys.keys if name not in columns_of(key.expr))
    used = columns_of(time.expr).union(*map(columns_of, others))
    if len(keys.sets) > 1 or not used <= set(rows.plan.columns):
        return rows, {}
    gap = duration(env.notes, first.expressions[1])
    plan = _add_session(rows.plan, name, time.expr, gap, others, instant)
    return replace(rows, plan=plan), {first: session}


def _is_session(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() == "session_window"


def _add_session(
    plan: Plan, name: str, time: Expr, gap: timedelta, keys: tuple[Expr, ...], kind: str
) -> Plan:
    """The plan with each row's session in the column `name`; `kind` is the type of its time."""
    at = Column(f"{name}.at")
    timed = _with(Filter(plan, call("not", call("is_null", time))), {at.name: time})
    order = (Order(at),)
    previous, following = Column(f"{name}.prev"), Column(f"{name}.next")
    neighbours = Over(timed, keys, order, tuple(
        OverCall(AggregateCall(column.name, function, (at,), f"{function}({{0}})", type=kind))
        for column, function in ((previous, "lag"), (following, "lead"))
    ))  # fmt: skip
    first, last = Column(f"{name}.first"), Column(f"{name}.last")
    edges = _with(neighbours, {
        first.name: _unless(call("lte", at, _later(previous, gap)), at),
        last.name: _unless(call("lte", following, _later(at, gap)), at),
    })  # fmt: skip
    start, stop = Column(f"{name}.start"), Column(f"{name}.stop")
    spans = Over(edges, keys, order, (
        OverCall(AggregateCall(start.name, "max", (first,), "max({0})", type=kind), _UP_TO),
        OverCall(AggregateCall(stop.name, "min", (last,), "min({0})", type=kind), _FROM_ON),
    ))  # fmt: skip
    session = Call("struct", (start, _later(stop, gap)), "named_struct('start', {0}, 'end', {1})")
    items: list[tuple[str, Expr]] = [(column, Column(column)) for column in plan.columns]
    return Project(spans, (*items, (name, session)))


def _with(plan: Plan, more: dict[str, Expr]) -> Plan:
    items: list[tuple[str, Expr]] = [(name, Column(name)) for name in plan.columns]
    return Project(plan, (*items, *more.items()))


def _unless(close: Expr, value: Expr) -> Expr:
    """NULL where another row is close; a row without a neighbour has none."""
    return choose(close, when(Literal(False, "FALSE"), value), value)


def _later(time: Expr, gap: timedelta) -> Expr:
    microseconds = gap // timedelta(microseconds=1)
    return Call("add", (time, Literal(gap, f"INTERVAL '{microseconds}' MICROSECOND")), "({0} + {1})")

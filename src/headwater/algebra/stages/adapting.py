"""A window join that may choose which rows it looks partners up for, as stages: what it shows is still SQL.

    nyc JOIN tokyo WITHIN ...        v$nyc, v$tokyo    recent rows of the inputs, each with two columns more
                                     v                 the join of those, with two conditions more

    _pushed      the time of the push that a row came with
    _probed      whether it was looked for partners then; all rows of a push are, if there is time

A result is found when the last of its rows comes (of those that come together, the one of the input that
stands last in the join) and looks for the others. So it is shown if that row probed, and if none of its
rows had outlived its tolerance:

    the last row probed     for some i: _probed of i, and _pushed of i is the latest, the last of the latest
    none was stale then     for all i and j: _pushed of j <= time of i + tolerance of i

Both are conditions over stored rows. So v equals its SQL over v$nyc and v$tokyo at every time, is kept by
the delta rules of any join, and retracts a result exactly when one of its rows goes, or grows too old to
be kept. With enough time all rows probe, and v is the window join itself.

**Rows without a time** of their own are as old as it is since they were captured.  Only the log knows when
that was, so it is stored with them (`_captured`), and the window between them and others is a condition here.

**Windows of rows.** Rows are numbered as they come: by push, then by their times, then by the place of their
input in FROM. A row has its own number and, of each other input, the number of the last row before it:

    it was among the last n     for all i and j: number of i + n > the number that j saw of i's stream

**What is saved** is the probing: a row that comes without probing has the latest `_pushed`, so it is last
in every result that its own term of the delta could find, and none of them is shown. `only_probing` leaves
such rows out of the delta before it is joined. They are in the states that other rows probe, now and
later.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from headwater.algebra.expressions.build import TRUE
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call, conjunction, disjunction
from headwater.algebra.plans.nodes import Filter, Join, Plan, Project, Scan, Version
from headwater.algebra.plans.walks import nodes, rewrite_up
from headwater.algebra.plans.walks import reads as relations_of
from headwater.algebra.stages.stage import Kept, Probing, Stage, StageKind
from headwater.errors import InputError
from headwater.model import JoinWindow, Stream, View

__all__ = [
    "CAPTURED", "NUMBER", "PROBED", "PUSHED", "adapted", "apart_in_time", "came_before", "comes_now", "given",
    "instant", "is_mark", "only_probing", "probes", "probing_stages", "seen",
]  # fmt: skip

PUSHED, PROBED, NUMBER = "_pushed", "_probed", "_number"
CAPTURED = "_captured"  # when a row was captured: the time of a row whose table has no TEMPORAL column
_NO_NUMBER = Literal(None, "CAST(NULL AS BIGINT)")
_NO_TIME = Literal(None, "CAST(NULL AS TIMESTAMP)")


def probes(view: str, stream: str) -> str:
    """The stage that holds the recent rows of an input."""
    return f"{view}${stream}"


def adapted(kept: Kept, view: View, window: JoinWindow) -> Kept:
    """The view over the recent rows of its inputs, if it is a plain join of them."""
    last = kept.stages[-1]
    joins = [node for node in nodes(last.plan) if isinstance(node, Join)] if last.plan else []
    scans = (
        {node.alias.lower(): node for node in nodes(last.plan) if isinstance(node, Scan)} if last.plan else {}
    )
    streams = {_alias(stream).lower(): stream for stream in window.streams}
    if (
        len(kept.stages) > 1
        or last.kind is not StageKind.ROWS  # what ranks or counts results is not a part of the exact answer
        or len(joins) != 1
        or scans.keys() != streams.keys()
        or len(scans) < len(window.streams)
    ):
        raise InputError(
            "HW127",
            "a view with ON OVERLOAD ADAPT JOINS is one join of its tables and nothing else",
            place=view.place,
            hint="join the tables under plain names, without subqueries; declare another view for the rest",
        )
    stages = tuple(
        _probes_stage(view.name, window, stream, scans[alias]) for alias, stream in streams.items()
    )
    plan = _over_probes(last, joins[0], view.name, window, {alias: scans[alias] for alias in streams})
    return replace(kept, stages=(*stages, replace(last, plan=plan, reads=relations_of(plan))))


def _alias(stream: Stream) -> str:
    """The name of an input in plans."""
    return re.sub(r"\W", "_", stream.name)


def _probes_stage(view: str, window: JoinWindow, stream: Stream, scan: Scan) -> Stage:
    names = tuple(
        name for name in dict.fromkeys((*stream.key, stream.column, *scan.names)) if not is_mark(name)
    )
    rows = replace(scan, names=names)
    items = tuple((name, Column(f"{scan.alias}.{name}")) for name in names)
    captured = [(CAPTURED, _NO_TIME)] if stream.column == CAPTURED else []
    numbers = [(name, _NO_NUMBER) for name in _numbers(window, stream)]
    marks = [(PUSHED, _NO_TIME), (PROBED, TRUE), *captured, *numbers]
    plan = Project(rows, (*items, *marks))
    tolerance = stream.tolerance or window.length
    probing = Probing(
        view, stream.name, stream.key, stream.column, tolerance, window.retain or tolerance,
        window.streams.index(stream), window.rows is not None,
    )  # fmt: skip
    return Stage(
        probes(view, stream.name), StageKind.PROBES, plan.columns, plan, (scan.relation,), probing=probing
    )


def _over_probes(last: Stage, join: Join, view: str, window: JoinWindow, scans: dict[str, Scan]) -> Plan:
    # In the order of the join: that is the order in which the delta rule takes the inputs.
    position = {column: index for index, column in enumerate(join.columns)}
    inputs = sorted(
        zip(scans.values(), window.streams, strict=True), key=lambda pair: position[pair[0].columns[0]]
    )
    names = {scan: probes(view, stream.name) for scan, stream in inputs}
    streams = dict(inputs)

    def moved(node: Plan) -> Plan:
        if isinstance(node, Scan):
            stream = streams[node]
            own = dict.fromkeys((*node.names, stream.column))
            return Scan(names[node], node.alias, (*own, PUSHED, PROBED, *_numbers(window, stream)))
        if isinstance(node, Join):
            last = _last_probed([scan.alias for scan, _ in inputs])
            more = (*_fresh(inputs), *_close(inputs, window), *_among_the_last(inputs, window), last)
            return replace(node, conditions=(*node.conditions, *more))
        return node

    assert last.plan is not None
    return rewrite_up(last.plan, moved)


def _fresh(inputs: list[tuple[Scan, Stream]]) -> list[Expr]:
    """No row was older than its tolerance when the last one came."""
    return [
        call(
            "lte",
            Column(f"{other.alias}.{PUSHED}"),
            _later(f"{scan.alias}.{stream.column}", stream.tolerance),
        )
        for scan, stream in inputs
        for other, _ in inputs
    ]


def apart_in_time(window: JoinWindow) -> list[tuple[Stream, Stream]]:
    """Pairs of inputs whose window is not in the view's SQL: when rows of one came only the log knows."""
    return [
        (late, early)
        for late in window.streams
        for early in window.streams
        if late is not early and CAPTURED in (late.column, early.column) and window.rows is None
    ]


def _close(inputs: list[tuple[Scan, Stream]], window: JoinWindow) -> list[Expr]:
    columns = {stream.name: f"{scan.alias}.{stream.column}" for scan, stream in inputs}
    return [
        call("lte", Column(columns[late.name]), _later(columns[early.name], window.length))
        for late, early in apart_in_time(window)
    ]


def seen(index: int) -> str:
    """The column with the number of the last row before this one of the input at another place in FROM."""
    return f"_seen{index}"


def is_mark(column: str) -> bool:
    """Whether a column of such a stage is not one of its input."""
    return column in (PUSHED, PROBED, CAPTURED, NUMBER) or re.fullmatch(r"_seen\d+", column) is not None


def _numbers(window: JoinWindow, stream: Stream) -> tuple[str, ...]:
    if window.rows is None:
        return ()
    others = (seen(index) for index, other in enumerate(window.streams) if other is not stream)
    return (NUMBER, *others)


def _among_the_last(inputs: list[tuple[Scan, Stream]], window: JoinWindow) -> list[Expr]:
    """Each row was among the last of its stream when any other came, and so when the newest did."""
    if window.rows is None:
        return []
    rows = Literal(window.rows, str(window.rows))
    return [
        call(
            "gt",
            Call("add", (Column(f"{scan.alias}.{NUMBER}"), rows), "({0} + {1})"),
            Column(f"{other.alias}.{seen(window.streams.index(stream))}"),
        )
        for scan, stream in inputs
        for other, _ in inputs
        if other is not scan
    ]


def _later(column: str, length: timedelta | None) -> Expr:
    microseconds = (length or timedelta()) // timedelta(microseconds=1)
    interval = Literal(length, f"INTERVAL '{microseconds}' MICROSECOND")
    return Call("add", (Column(column), interval), "({0} + {1})")


def _last_probed(aliases: list[str]) -> Expr:
    """The row that came last looked for the others."""
    paths = []
    for index, alias in enumerate(aliases):
        own = Column(f"{alias}.{PUSHED}")
        before = [call("lte", Column(f"{other}.{PUSHED}"), own) for other in aliases[:index]]
        after = [call("lt", Column(f"{other}.{PUSHED}"), own) for other in aliases[index + 1 :]]
        paths.append(conjunction((Column(f"{alias}.{PROBED}"), *before, *after)))
    last = disjunction(tuple(path for path in paths if path is not None))
    assert last is not None
    return last


def probing_stages(kept: Kept) -> frozenset[str]:
    """The names of a view's stages that hold its inputs' recent rows."""
    return frozenset(stage.name for stage in kept.stages if stage.kind is StageKind.PROBES)


def only_probing(plan: Plan, stages: Collection[str], until: Literal) -> Plan:
    """A delta plan without the rows that came with the push to `until` and do not probe."""

    def step(node: Plan) -> Plan:
        if isinstance(node, Scan) and node.relation in stages and node.version is Version.DELTA:
            probed = Column(f"{node.alias}.{PROBED}")
            return Filter(node, call("or", probed, came_before(node.alias, until)))
        return node

    return rewrite_up(plan, step)


def came_before(alias: str, until: Literal) -> Expr:
    """Whether a row came with an earlier push than the one to `until`."""
    return _compared("lt", "<", alias, until)


def comes_now(alias: str, until: Literal) -> Expr:
    return _compared("gte", ">=", alias, until)


def _compared(function: str, sign: str, alias: str, until: Literal) -> Expr:
    arguments = (Column(f"{alias}.{PUSHED}"), until)
    return Call(function, arguments, f"({{0}} {sign} {given('{1}', '{0}')})")


def given(value: str, column: str) -> str:
    """A value that is another one in every push, as SQL; `column`: any that may be NULL, and never is.

    Spark writes constants into the code that it compiles, and compiles it anew for others, which takes longer
    than to join a few thousand rows.  An array is handed to the code instead, as long as only rows can tell
    which of its elements is meant.
    """
    return f"element_at(array({value}, NULL), if({column} IS NULL, 2, 1))"


def instant(time: int) -> Literal:
    """A time of a timeline as a TIMESTAMP."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)
    return Literal(moment, f"timestamp_micros({time})")

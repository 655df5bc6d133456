"""WINDOW and TOLERANCE: joins of rows that are close in time.

    WINDOW = INTERVAL '10' MINUTE                   all rows of a result are within it of the newest of them
    WINDOW = 1000 ROWS                              each was among the last so many when the newest came
    TOLERANCE (nyc = INTERVAL '12' MINUTE, ...)     a result made now holds no row of nyc that is older
    ON OVERLOAD ADAPT JOINS                         the most results that a push has time for
    OVERLOAD WEIGHT = 3                             of the time that it then divides with others
    RETAIN INTERVAL '1' HOUR                        how long those are shown

A row's time is its table's TEMPORAL column; if joins are adapted and there is none, it is when the row was
captured (algebra/stages/adapting.py).  Within ten minutes of the newest means: any two of them are at most
ten minutes apart.  So a window is written into the SELECT as ordinary conditions, two for each pair,

    ... FROM nyc JOIN tokyo ON ...   ->   ... WHERE nyc.at <= tokyo.at + INTERVAL '10' MINUTE
                                              AND tokyo.at <= nyc.at + INTERVAL '10' MINUTE

and from there on nobody needs to know of it: the view is planned, shared, pushed and verified like any other.
A row whose time is NULL is close to nothing.  Nodes of the tree keep their offsets in the file, so that
errors still point at what the author wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import reduce
from itertools import combinations
from typing import cast

from sqlglot import exp

from headwater.algebra.stages.adapting import CAPTURED
from headwater.errors import InputError, InternalError, Place, did_you_mean
from headwater.model import JoinWindow, RetainRows, SqlText, Stream, Table, View
from headwater.sql.ddl.clauses import Given
from headwater.sql.ddl.joins.join_tree import join_tree
from headwater.sql.parsing.intervals import MICROSECONDS
from headwater.sql.parsing.lexer import Source, Token, lex
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.parser import normalised_tree, select_tree
from headwater.sql.parsing.words import Words

__all__ = ["interval_text", "join_window", "windowed"]

_NEED_A_WINDOW = {
    "tolerance": "TOLERANCE", "on_overload": "ON OVERLOAD ADAPT JOINS", "overload_weight": "OVERLOAD WEIGHT",
}  # fmt: skip
_INSTANTS = ("timestamp", "timestamp_ntz")
_AFTER_WHERE = (
    "GROUP",
    "HAVING",
    "WINDOW",
    "QUALIFY",
    "ORDER",
    "SORT",
    "CLUSTER",
    "DISTRIBUTE",
    "LIMIT",
    "OFFSET",
)


def join_window(words: Words, given: Given) -> JoinWindow | None:
    """The window of a statement, before it is known what its SELECT reads."""
    length = cast(timedelta | int | None, given.value("window"))
    tolerances = cast(tuple[tuple[str, timedelta], ...], given.value("tolerance") or ())
    if length is None:
        for name, clause in _NEED_A_WINDOW.items():
            if token := given.token(name):
                hint = "write WINDOW = INTERVAL '10' MINUTE before"
                raise words.wrong("HW127", f"{clause} needs a WINDOW", token, hint=hint)
        return None
    rows = length if isinstance(length, int) else None
    adapt, retain = given.value("on_overload") is True, cast(RetainRows | None, given.value("retain"))
    if not adapt and (token := given.token("overload_weight")):
        raise words.wrong(
            "HW127",
            "an OVERLOAD WEIGHT of a view needs ON OVERLOAD ADAPT JOINS",
            token,
            detail="Only joins that choose who looks for partners divide the time of a push with others.",
            hint="write ON OVERLOAD ADAPT JOINS, or leave out OVERLOAD WEIGHT",
        )
    if adapt and retain is not None and retain.names:
        raise words.wrong(
            "HW127",
            "RETAIN of a view with ON OVERLOAD ADAPT JOINS has no ON",
            given.token("retain"),
            detail="A result is as old as the oldest of its rows.",
            hint="leave out ON and what follows it",
        )
    window, tolerance = given.token("window"), given.token("tolerance")
    if rows is not None and not adapt:
        raise words.wrong(
            "HW127",
            "a WINDOW of rows needs ON OVERLOAD ADAPT JOINS",
            window,
            detail="Which rows are the last depends on how they came, and any other view equals its SQL.",
            hint="write ON OVERLOAD ADAPT JOINS, or WINDOW = INTERVAL '10' MINUTE",
        )
    place = None if tolerance is None else words.place(tolerance)
    return JoinWindow(
        timedelta() if isinstance(length, int) else length,
        tuple((name, limit, place) for name, limit in tolerances),
        adapt=adapt,
        retain=retain.length if adapt and retain is not None else None,
        rows=rows,
        weight=cast(float, given.value("overload_weight") or 1.0),
        place=None if window is None else words.place(window),
    )


def windowed(view: View, tables: Mapping[str, Table]) -> View:
    """The view with its window in its SQL, and with what it joins known."""
    if view.window is None:
        return view
    select = _plain_join(view)
    streams = tuple(_stream(view, item, tables) for item in _items(view, select))
    if len({_type(stream, tables) for stream in streams}) > 1:
        kinds = ", ".join(f"{stream.name}.{stream.column} is a {_type(stream, tables)}" for stream in streams)
        raise _wrong(view, "times of different types cannot be compared", detail=f"{kinds}.")
    window = replace(view.window, streams=_with_tolerances(view, view.window, streams))
    if window.adapt:
        window = _adaptable(view, window, select, tables)
    if window.rows is not None:
        return replace(view, window=window)  # a row's number is not among its columns
    return replace(view, window=window, sql=_with_conditions(view.sql, select, window))


def _plain_join(view: View) -> exp.Select:
    """The SELECT of the view; only inner joins of tables have rows that are together in a result."""
    select = select_tree(view.sql)
    if not isinstance(select, exp.Select) or select.args.get("with_") is not None:
        raise _wrong(view, "a view with a WINDOW is one SELECT that joins tables, without WITH or UNION")
    for join in select.args.get("joins") or ():
        written = " ".join(str(join.args.get(part) or "") for part in ("method", "side", "kind")).split()
        if not set(written) <= {"INNER", "CROSS"}:
            raise _wrong(
                view,
                f"a view with a WINDOW joins with JOIN alone, not with {' '.join(written)} JOIN",
                detail="A row without a partner has none within the window either, now or later.",
            )
    if select.args.get("laterals"):
        raise _wrong(view, "a view with a WINDOW has no LATERAL VIEW")
    return select


def _items(view: View, select: exp.Select) -> list[exp.Table]:
    start = select.args.get("from_")
    items = [] if start is None else [start.this, *(join.this for join in select.args.get("joins") or ())]
    if len(items) < 2:
        raise _wrong(view, "a WINDOW is for joins, and this view reads one relation")
    for item in items:
        if (
            not isinstance(item, exp.Table)
            or not isinstance(item.this, exp.Identifier)
            or item.args.get("joins")
        ):
            raise _wrong(view, "a view with a WINDOW joins tables by their names, without subqueries in FROM")
    return cast(list[exp.Table], items)


def _stream(view: View, item: exp.Table, tables: Mapping[str, Table]) -> Stream:
    name = spelling(item.name, tables)
    place = view.sql.place(int(item.this.meta.get("start", 0)), len(item.name))
    if name is None:
        raise _wrong(
            view,
            f'a view with a WINDOW joins tables, and "{item.name}" is a view',
            place,
            detail="Which of a view's columns says when a row is, is not declared.",
            hint="join the tables that it reads",
        )
    alias = item.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
        raise _wrong(view, f'the columns of "{item.name}" keep their names in a view with a WINDOW', place)
    temporal = [column for column in tables[name].columns if column.temporal]
    times = [column.name for column in temporal if column.type in _INSTANTS]
    assert view.window is not None
    # What is shown of an update stream is as old as its update, not as the push that shows it.
    if view.window.adapt and not temporal and (view.every_change or not tables[name].chooses):
        times = [CAPTURED]
    if len(times) != 1:
        raise _wrong(
            view,
            f'"{name}" needs one TEMPORAL column that says when a row is',
            place,
            detail=f"Such columns there: {', '.join(times) or 'none'}.",
            hint="declare it in CREATE TABLE: at TIMESTAMP TEMPORAL",
        )
    return Stream(item.alias or item.name, name, times[0])


def _adaptable(view: View, window: JoinWindow, select: exp.Select, tables: Mapping[str, Table]) -> JoinWindow:
    """With the tables' keys; by default a tolerance is what an exact view within its promise needs."""
    grouped = select.args.get("group") or select.args.get("having") or select.args.get("distinct")
    if grouped or any(item.find(exp.AggFunc) for item in normalised_tree(view.sql).selects):
        raise _wrong(
            view,
            "a view with ON OVERLOAD ADAPT JOINS is a join alone, without groups",
            hint="leave them out here, and declare another view that groups this one",
        )
    for stream in window.streams:
        if not tables[stream.table].key or _type(stream, tables) != "timestamp":
            raise _wrong(
                view,
                f'"{stream.table}" cannot be joined with ON OVERLOAD ADAPT JOINS',
                detail="Which row goes is told by its PRIMARY KEY, and how old it is by its TIMESTAMP.",
                hint=f'declare a PRIMARY KEY of "{stream.table}"; a TEMPORAL column is a TIMESTAMP',
            )
    usual = window.length + view.freshness
    if window.rows is not None and any(stream.tolerance is None for stream in window.streams):
        raise _wrong(
            view,
            "a view with a WINDOW of rows has a TOLERANCE for each of its tables",
            detail="How old the last rows are depends on how many come, so nothing else bounds it.",
            hint=f"write TOLERANCE ({window.streams[0].name} = INTERVAL '10' MINUTE, ...)",
        )
    streams = tuple(
        replace(stream, tolerance=stream.tolerance or usual, key=tables[stream.table].key)
        for stream in window.streams
    )
    shortest = max(stream.tolerance or usual for stream in streams)
    if window.retain is not None and window.retain < shortest:
        raise _wrong(
            view,
            "RETAIN is shorter than a tolerance",
            hint=f"retain results for at least {interval_text(shortest)}",
        )
    return replace(window, streams=streams, tree=join_tree(select, [stream.name for stream in streams]))


def _type(stream: Stream, tables: Mapping[str, Table]) -> str:
    if stream.column == CAPTURED:
        return "timestamp"
    return next(column.type for column in tables[stream.table].columns if column.name == stream.column)


def _with_tolerances(view: View, window: JoinWindow, streams: tuple[Stream, ...]) -> tuple[Stream, ...]:
    names = [stream.name for stream in streams]
    limits: dict[str, timedelta] = {}
    for written, limit, place in window.tolerances:
        called = _called(written, streams)
        if len(called) > 1:
            hint = f"name one of them: {', '.join(called)}"
            raise _wrong(view, f'"{view.name}" joins "{written}" more than once', place, hint=hint)
        if not called:
            hint = did_you_mean(written, names) or f"it joins {', '.join(names)}"
            raise _wrong(view, f'"{view.name}" joins no "{written}"', place, hint=hint)
        (name,) = called
        if name in limits:
            raise _wrong(view, f'"{name}" has two tolerances', place)
        if limit < window.length:
            raise _wrong(
                view,
                f'the tolerance of "{name}" is shorter than the WINDOW',
                place,
                detail="A row may find a partner while it is in the window, so results can be that old.",
                hint=f"allow at least {interval_text(window.length)}, or make the WINDOW smaller",
            )
        limits[name] = limit
    return tuple(replace(stream, tolerance=limits.get(stream.name)) for stream in streams)


def _called(written: str, streams: Sequence[Stream]) -> list[str]:
    """What the stream is called in FROM: as written there, or the names under which the table is joined."""
    name = spelling(written, [stream.name for stream in streams])
    tables = {stream.name: stream.table for stream in streams}
    table = spelling(written, tables.values())
    return [name] if name is not None else [name for name in tables if tables[name] == table]


def _with_conditions(sql: SqlText, select: exp.Select, window: JoinWindow) -> SqlText:
    """The SELECT with the window among its conditions: in its text, and in a copy of its tree."""
    timed = [stream for stream in window.streams if stream.column != CAPTURED]
    conditions = [
        f"{_column(late)} <= {_column(early)} + {interval_text(window.length)}"
        for pair in combinations(timed, 2)
        for late, early in (pair, pair[::-1])
    ]
    if not conditions:
        return sql
    tree = select.copy()
    where = tree.args.get("where")
    written = [] if where is None else [exp.Paren(this=where.this)]
    both = reduce(
        lambda left, right: exp.And(this=left, expression=right), [*written, *map(_tree, conditions)]
    )
    tree.set("where", exp.Where(this=both))
    text = _inserted(sql, " AND ".join(conditions))
    if select_tree(SqlText(text)) != tree:
        raise InternalError("HW909", f"the window of a view does not fit into its SELECT: {text}")
    return replace(sql, text=text, tree=tree)


def _tree(condition: str) -> exp.Expr:
    """A condition's tree, without offsets: they would point at something else in the file."""
    tree: exp.Expr = select_tree(SqlText(f"SELECT 1 WHERE {condition}")).args["where"].this
    for node in tree.walk():
        node.meta.clear()
    return tree


def _inserted(sql: SqlText, conditions: str) -> str:
    """New lines keep what is added out of comments that end at the end of a line."""
    where, end = _places(sql)
    if where is None:
        return f"{sql.text[:end]}\nWHERE {conditions}\n{sql.text[end:]}".rstrip()
    return (
        f"{sql.text[: where.end]} ({sql.text[where.end : end]}\n) AND {conditions}\n{sql.text[end:]}".rstrip()
    )


def _places(sql: SqlText) -> tuple[Token | None, int]:
    """Where the SELECT's own WHERE stands, and where what belongs to it ends."""
    depth, where, begun = 0, None, False
    for token in lex(Source(sql.path, sql.text)):
        depth += (token.word == "(") - (token.word == ")")
        begun = begun or (depth == 0 and token.word == "FROM")
        if depth == 0 and token.word == "WHERE" and where is None:
            where = token
        elif depth == 0 and begun and token.word in _AFTER_WHERE:
            return where, token.start
    return where, len(sql.text)


def _column(stream: Stream) -> str:
    return ".".join("`" + name.replace("`", "``") + "`" for name in (stream.name, stream.column))


def interval_text(length: timedelta) -> str:
    """INTERVAL '10' MINUTE: in the largest unit that goes into it."""
    microseconds = length // timedelta(microseconds=1)
    unit, size = next(
        (name, size)
        for name, size in reversed(MICROSECONDS.items())
        if name != "week" and microseconds % size == 0
    )
    return f"INTERVAL '{microseconds // size}' {unit.upper()}"


def _wrong(
    view: View, message: str, place: Place | None = None, *, detail: str = "", hint: str = ""
) -> InputError:
    where = place or (view.window.place if view.window else None) or view.place
    return InputError("HW127", message, place=where, detail=detail, hint=hint)

"""RETAIN of a view: rows that have grown too old leave it.

    RETAIN INTERVAL '7' DAY                 of a view grouped by window(...): windows that ended since then
    RETAIN INTERVAL '7' DAY ON placed_at    the rows whose column is not older; of a window, its end
    RETAIN INTERVAL '7' DAY ON w.start      a field of a column

It means what it means for a table (retain.py): a row goes once its instant is longer ago than that, and a row
without one stays.  So it is written into the SELECT as a condition on now(), the time that the view is as of,

    SELECT ...   ->   SELECT * FROM (SELECT ...) WHERE w.end >= now() - INTERVAL '7' DAY

and from there on nobody needs to know of it: the view is planned, woven, pushed and verified like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.errors import InputError, did_you_mean
from headwater.model import RetainRows, SqlText, View
from headwater.sql.ddl.joins.window import interval_text
from headwater.sql.parsing.intervals import read_interval
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.parser import parse_select, select_tree
from headwater.sql.parsing.words import Words

__all__ = ["read_retain_rows", "retained"]

_WINDOWS = ("window", "session_window")


def read_retain_rows(words: Words) -> RetainRows:
    """What follows RETAIN in CREATE MATERIALIZED VIEW."""
    token = words.peek()
    length, names = read_interval(words), []
    if words.at("ON") and not words.at("ON", "OVERLOAD"):
        words.expect("ON")
        token = words.name("a column of the view")
        names.append(token.text)
        if words.accept("."):
            names.append(words.name("a field of the column").text)
    return RetainRows(length, tuple(names), words.place(token), token.start)


def retained(view: View) -> View:
    """The view with what it retains in its SQL."""
    if view.retain is None:
        return view
    select = select_tree(view.sql)
    _check_named(view, view.retain, select.selects)
    names, may_be_null = _instant(view, view.retain, select)
    path = ".".join(f"`{name.replace('`', '``')}`" for name in names)
    condition = f"{path} >= now() - {interval_text(view.retain.length)}"
    if may_be_null:
        condition = f"{path} IS NULL OR {condition}"
    return replace(view, sql=_filtered(view.sql, condition, view.retain.offset))


def _filtered(sql: SqlText, condition: str, clause: int) -> SqlText:
    """Places in the SELECT stay where they are, and those in the condition are at the clause.

    A new line keeps what is added out of a comment that ends at the end of a line.
    """
    head, source = "SELECT * FROM (", sql.source or sql.text
    text = f"{head}{sql.text}\n) WHERE "
    parts = (
        (len(head), len(head) + len(sql.text), replace(sql, tree=None)),
        (len(text), len(text) + len(condition), SqlText(condition, sql.path, source, clause)),
    )
    return parse_select(SqlText(text + condition, sql.path, source, sql.offset - len(head), parts=parts))


def _instant(view: View, retain: RetainRows, select: exp.Query) -> tuple[tuple[str, ...], bool]:
    """The column of the SELECT (and its field) that tells how old a row is, and whether it may be NULL."""
    items = select.selects
    names = [_name(view, items, position) for position in range(len(items))]
    windows = [position for position, item in enumerate(items) if _is_window(item, select)]
    if not retain.names:
        if len(windows) != 1:
            raise _without_age(view, retain, [names[position] for position in windows])
        return (items[windows[0]].alias_or_name, "end"), False
    written, *field = retain.names
    name = spelling(written, names)
    if name is None and not any(item.is_star for item in items):
        raise InputError(
            "HW126",
            f'"{view.name}" has no column "{written}" to tell which rows are old',
            place=retain.place,
            hint=did_you_mean(written, names) or f"its columns are {', '.join(names)}",
        )
    if name is None:
        return retain.names, True
    position = names.index(name)
    own = items[position].alias_or_name
    if position in windows:
        return (own, *(field or ["end"])), False
    return (own, *field), True


def _name(view: View, items: Sequence[exp.Expr], position: int) -> str:
    """What the view calls a column: as its list of columns says, if that can be told."""
    by_hand = position < len(view.columns) and not any(item.is_star for item in items)
    return view.columns[position] if by_hand else items[position].alias_or_name


def _check_named(view: View, retain: RetainRows, items: Sequence[exp.Expr]) -> None:
    """A condition about the SELECT's columns needs their names."""
    for item in items:
        if not item.is_star and not isinstance(item, exp.Alias | exp.Aliases | exp.Column | exp.Dot):
            raise InputError(
                "HW126",
                f'RETAIN of "{view.name}" needs a name for each of its columns',
                place=retain.place,
                detail=f"{item.sql()} has none.",
                hint=f"write {item.sql()} AS {'w' if _calls_window(item) else 'a name'}",
            )


def _is_window(item: exp.Expr, select: exp.Query) -> bool:
    """Whether a column of the SELECT is a window: window(...), or `window` where it groups by one."""
    inner = item.unalias()
    if _calls_window(inner):
        return True
    group = select.args.get("group")
    return (
        isinstance(inner, exp.Column)
        and not inner.table
        and inner.name.lower() in _WINDOWS
        and group is not None
        and any(map(_calls_window, group.find_all(exp.Anonymous)))
    )


def _calls_window(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in _WINDOWS


def _without_age(view: View, retain: RetainRows, windows: list[str]) -> InputError:
    several = (
        f"It has several windows: {', '.join(windows)}." if windows else "Its SELECT gives no window(...)."
    )
    return InputError(
        "HW126",
        f'RETAIN of "{view.name}" needs ON: which column tells how old a row is?',
        place=retain.place,
        detail=several,
        hint="write RETAIN INTERVAL '7' DAY ON column: a TIMESTAMP, a DATE or a window of the view",
    )

"""What an adapted join shows, as SQL over the recent rows of its inputs: what `verify` compares it with.

It is made from the view's own SELECT and shares nothing with the plan by which the view is kept
(algebra/stages/adapting.py says the same in the algebra).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.algebra.stages.adapting import NUMBER, PROBED, PUSHED, apart_in_time, probes, seen
from headwater.model import JoinWindow, SqlText, Stream, View
from headwater.sql.ddl.joins.window import interval_text
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.parser import select_tree

__all__ = ["adapted_text"]


def adapted_text(view: View) -> str:
    """The SELECT over relations named as the stages that hold the recent rows."""
    window = view.window
    assert window is not None
    tree = select_tree(view.sql).copy()
    items = [tree.args["from_"].this, *(join.this for join in tree.args["joins"])]
    for item, stream in zip(items, window.streams, strict=True):
        item.set("this", exp.to_identifier(probes(view.name, stream.name), quoted=True))
        item.set("alias", exp.TableAlias(this=exp.to_identifier(stream.name, quoted=True)))
    last = f"({_last_probed(window.streams)})"
    more = " AND ".join((*_fresh(window.streams), *_close(window), *_among_the_last(window), last))
    both = select_tree(SqlText(f"SELECT 1 WHERE {more}")).args["where"].this
    where = tree.args.get("where")
    whole = both if where is None else exp.And(this=exp.Paren(this=where.this), expression=both)
    tree.set("where", exp.Where(this=whole))
    return tree.sql(dialect=Headwater)


def _fresh(streams: Sequence[Stream]) -> list[str]:
    """No row was older than its tolerance when the last one came."""
    return [
        f"{_name(other, PUSHED)} <= {_name(stream, stream.column)} + {interval_text(stream.tolerance)}"
        for stream in streams
        for other in streams
        if stream.tolerance is not None
    ]


def _close(window: JoinWindow) -> list[str]:
    """Those of which one has no time of its own are within the window of each other."""
    return [
        f"{_name(late, late.column)} <= {_name(early, early.column)} + {interval_text(window.length)}"
        for late, early in apart_in_time(window)
    ]


def _among_the_last(window: JoinWindow) -> list[str]:
    """Each row was among the last of its stream when the others came."""
    return [
        f"{_name(other, seen(index))} - {_name(stream, NUMBER)} < {window.rows}"
        for index, stream in enumerate(window.streams)
        for other in window.streams
        if window.rows is not None and other is not stream
    ]


def _last_probed(streams: Sequence[Stream]) -> str:
    """The row that came last, or among those that came together stands last, looked for the others."""
    paths = []
    for index, stream in enumerate(streams):
        own = _name(stream, PUSHED)
        before = [f"{_name(other, PUSHED)} <= {own}" for other in streams[:index]]
        after = [f"{_name(other, PUSHED)} < {own}" for other in streams[index + 1 :]]
        paths.append(" AND ".join((_name(stream, PROBED), *before, *after)))
    return " OR ".join(f"({path})" for path in paths)


def _name(stream: Stream, column: str) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in (stream.name, column))

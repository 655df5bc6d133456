"""How long the windows are that a table with WINDOWS shows whole: those by which its views group.

    per_minute   GROUP BY symbol, window(quoted_at, '1 minute')
    per_hour     GROUP BY symbol, window(quoted_at, '1 hour')        rows of one hour are shown together

What is chosen as a whole is the rows of a key within a time that no window of a view crosses: a multiple of
all their lengths.  Windows that overlap, or that do not begin at a multiple of their length, cross any such
time and are refused; so are those that cannot be seen because Spark recomputes the view from its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from math import lcm

from headwater.algebra.plans.nodes import Windows
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.choosing import shown
from headwater.algebra.stages.stage import Kept
from headwater.errors import InputError
from headwater.model import Project, Table, View, Windowed

__all__ = ["with_lengths"]

_MICROSECOND = timedelta(microseconds=1)


def with_lengths(project: Project, kept: Mapping[str, Kept]) -> Project:
    """The project, its tables with WINDOWS as long as the views over what is shown of them need."""
    windowed = {name: table.windows for name, table in project.tables.items() if table.windows is not None}
    if not windowed:
        return project
    tables = {
        name: replace(project.tables[name], windows=_as_long_as_needed(project, kept, name, windows))
        for name, windows in windowed.items()
    }
    return replace(project, tables={**project.tables, **tables})


def _as_long_as_needed(project: Project, kept: Mapping[str, Kept], table: str, windows: Windowed) -> Windowed:
    over = [project.views[name] for name in _readers(kept, shown(table))]
    lengths = [size for view in over for size in _sizes(view, kept[view.name], project.tables[table])]
    return replace(windows, length=lcm(*(size // _MICROSECOND for size in lengths)) * _MICROSECOND)


def _readers(kept: Mapping[str, Kept], relation: str) -> list[str]:
    """The views over a relation, those over views over it among them; `kept` is in dependency order."""
    reached = {relation}
    for name, view in kept.items():
        if any(read in reached for stage in view.stages for read in stage.reads):
            reached |= {name, *(stage.name for stage in view.stages)}
    return [name for name in kept if name in reached]


def _sizes(view: View, kept: Kept, table: Table) -> Iterator[timedelta]:
    for stage in kept.stages:
        if stage.plan is None and re.search(r"\bwindow\s*\(", view.sql.text, re.IGNORECASE):
            raise _refused(view, table, "is recomputed from its SQL, where its windows are not seen")
        for node in () if stage.plan is None else nodes(stage.plan):
            if isinstance(node, Windows):
                if node.slide != node.size or node.offset % node.size:
                    raise _refused(
                        view, table, "has windows that overlap, or begin at other times than theirs"
                    )
                yield node.size


def _refused(view: View, table: Table, why: str) -> InputError:
    return InputError(
        "HW141",
        f'"{view.name}" {why}, but "{table.name}" shows whole windows',
        place=view.place,
        detail="Under overload rows of a key are skipped by windows, and such a window would have holes.",
        hint="group by window(time, size), or let the view REFRESH EVERY CHANGE",
    )

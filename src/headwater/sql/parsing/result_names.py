"""How the columns of a result are called where the SELECT gives no name: as the expression reads.

SELECT count(*), 1/0 FROM t         count(*), 1 / 0      (whatever the engine that answers calls them)
SELECT a.id, b.id FROM ...          id, id_2             (a row as an object has each name once)
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.model import SqlText
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.names import unused_name
from headwater.sql.parsing.parser import select_tree

__all__ = ["result_names"]

_NAMED = (exp.Alias, exp.Aliases, exp.Column, exp.Dot)


def result_names(sql: SqlText, given: Sequence[str]) -> list[str]:
    """The names of a SELECT's columns; `given`: as the engine that answered it calls them."""
    names = list(given)
    items = select_tree(sql).selects
    stars = [position for position, item in enumerate(items) if item.is_star]
    before, after = (stars[0], len(items) - stars[-1] - 1) if stars else (len(items), 0)
    for position in (*range(before), *range(-after, 0)):
        if not isinstance(items[position], _NAMED):
            names[position] = items[position].sql(dialect=Headwater, normalize_functions="lower")
    taken: set[str] = set()
    for position, name in enumerate(names):
        names[position] = unused_name(name, taken)
        taken.add(names[position].lower())
    return names

"""Why DuckDB refused an ad hoc query: in the words of the text that was typed, and at its place there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.errors import InputError, did_you_mean
from headwater.model import SqlText
from headwater.sql.parsing.parser import select_tree

if TYPE_CHECKING:
    import duckdb

__all__ = ["failing"]

_COLUMN = re.compile(
    r'(?:Referenced column|Column) "(?P<alone>.+?)" (?:not found|referenced)'
    r'|does not have a column named "(?P<of>.+?)"'
)
_RELATION = re.compile(r'Referenced table "(?P<name>.+?)" not found')
_FUNCTION = re.compile(r"Function with name (?P<name>\S+) does not exist")
_UNGROUPED = re.compile(r'column "(?P<name>.+?)" must appear in the GROUP BY')
_DIFFERENT = "Ad hoc queries are answered by DuckDB, whose functions differ from Spark's here and there."


def failing(database: duckdb.DuckDBPyConnection, sql: SqlText, ran: str, error: Exception) -> InputError:
    """The error of a query that DuckDB did not answer; `ran` is the text that it was given."""
    what = str(error)
    if (match := _COLUMN.search(what)) is not None:
        name = match["alone"] or match["of"]
        columns = _all_columns(database)
        hint = did_you_mean(name, columns) or f"There are: {', '.join(columns)}."
        return _at(sql, name, f'there is no column "{name}"', hint)
    if (match := _RELATION.search(what)) is not None:
        aliases = [table.alias_or_name for table in select_tree(sql).find_all(exp.Table)]
        name = match["name"]
        hint = did_you_mean(name, aliases) or f"The query reads {', '.join(dict.fromkeys(aliases))}."
        return _at(sql, name, f'the query reads no table or view called "{name}"', hint)
    if (match := _FUNCTION.search(what)) is not None:
        suggested = re.search(r'Did you mean "(.+?)"', what)
        hint = f'did you mean "{suggested[1]}"?' if suggested else _DIFFERENT
        return _at(sql, match["name"], f"DuckDB, which answers, has no function {match['name']}", hint)
    if (match := _UNGROUPED.search(what)) is not None:
        name = match["name"]
        hint = f"Add it to GROUP BY, or aggregate it: min({name})."
        return _at(sql, name, f'"{name}" is neither grouped by nor aggregated', hint)
    message = f"the query failed: {what.partition(chr(10))[0]}"
    return InputError("HW823", message, place=sql.place(), detail=f"DuckDB ran: {ran}", hint=_DIFFERENT)


def _at(sql: SqlText, name: str, message: str, hint: str) -> InputError:
    """The error at the first place where the name stands."""
    for node in select_tree(sql).walk():
        start = node.meta.get("start")
        if start is not None and node.name.lower() == name.lower():
            place = sql.place(int(start), int(node.meta["end"]) - int(start) + 1)
            return InputError("HW823", message, place=place, hint=hint)
    return InputError("HW823", message, place=sql.place(), hint=hint)


def _all_columns(database: duckdb.DuckDBPyConnection) -> list[str]:
    rows = database.execute("SELECT DISTINCT column_name FROM duckdb_columns() WHERE NOT internal ORDER BY 1")
    return [name for (name,) in rows.fetchall()]

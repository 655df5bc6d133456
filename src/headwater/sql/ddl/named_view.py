"""CREATE VIEW: a named query that is not kept but dissolves into the views and queries that read it.

    CREATE VIEW paid AS SELECT * FROM orders WHERE paid;
    CREATE MATERIALIZED VIEW totals AS SELECT customer, sum(total) AS s FROM paid GROUP BY customer;

    totals becomes   WITH paid AS (SELECT * FROM orders WHERE paid) SELECT customer, ...

So translation, Spark and `verify` see one SELECT, and places inside it still point at what was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from headwater.errors import InputError
from headwater.model import Query, SqlText, View
from headwater.sql.parsing.lexer import Source, lex
from headwater.sql.parsing.names import column_name, relation_name, spelling
from headwater.sql.parsing.parser import parse_select, select_tree
from headwater.sql.parsing.relations import relations_read
from headwater.sql.parsing.select import read_view_select
from headwater.sql.parsing.words import Words

__all__ = ["dissolve", "read_named_view"]

Reader = TypeVar("Reader", View, Query)


def read_named_view(words: Words) -> View:
    """What follows CREATE VIEW: name [(column, ...)] AS SELECT."""
    name = relation_name(words, "view")
    columns: list[str] = []
    if words.accept("("):
        columns.append(column_name(words, columns).text)
        while words.accept(","):
            columns.append(column_name(words, columns).text)
        words.expect(")", after="the view's columns")
    if not words.accept("AS"):
        hint = "FRESHNESS and other promises are of CREATE MATERIALIZED VIEW; a plain view is AS SELECT"
        raise words.wrong("HW100", f'the view "{name.text}" has no AS SELECT here', hint=hint)
    sql = read_view_select(words, f'the view "{name.text}"')
    return View(name.text, sql, timedelta(0), columns=tuple(columns), place=words.place(name))


def dissolve(readers: Sequence[Reader], named: Sequence[View]) -> tuple[Reader, ...]:
    """Views or queries with the named views that they read, directly or through others, written into them."""
    if not named:
        return tuple(readers)
    by_name = {view.name: view for view in named}
    return tuple(replace(reader, sql=_with(reader.sql, _needed(reader, by_name))) for reader in readers)


def _needed(view: View | Query, named: Mapping[str, View]) -> list[View]:
    """Those that a view or a query reads, each after those that it reads itself."""
    used: dict[str, View] = {}

    def visit(reader: View | Query, path: tuple[str, ...]) -> None:
        for name in _read(reader, named):
            if name in path:
                raise InputError("HW121", f'the view "{name}" reads itself', place=named[name].place)
            if name not in used:
                visit(named[name], (*path, name))
                used[name] = named[name]

    visit(view, ())
    return list(used.values())


def _read(reader: View | Query, named: Mapping[str, View]) -> Iterator[str]:
    for reading in relations_read(select_tree(reader.sql)):
        name = spelling(reading.name, named)
        if name is not None and not reading.qualifier:
            yield name


def _with(sql: SqlText, needed: Sequence[View]) -> SqlText:
    """The SELECT after WITH name AS (...); what was written keeps its places."""
    if not needed:
        return sql
    first = list(lex(Source(sql.path, sql.text)))[:2]
    own = first[0].word == "WITH"
    recursive = own and first[1].word == "RECURSIVE"
    text, parts = "WITH RECURSIVE " if recursive else "WITH ", []
    for view in needed:
        columns = f" ({', '.join(f'`{column}`' for column in view.columns)})" if view.columns else ""
        text += f"`{view.name}`{columns} AS ("
        parts.append((len(text), len(text) + len(view.sql.text), view.sql))
        text += f"{view.sql.text}\n), "
    begin = first[1 if recursive else 0].end if own else 0
    head = text if own else f"{text[:-2]} "
    rest = sql.text[begin:]
    made = SqlText(
        head + rest, sql.path, sql.source or sql.text, sql.offset + begin - len(head), parts=tuple(parts)
    )
    return parse_select(made)

"""From the text of SQL files to tables and queries ready for analysis.

A file of Headwater's own SQL is read by `sql`.  Anything it does not know (another dialect's types, ALTER
TABLE, CREATE INDEX, writes between the queries) is read statement by statement with sqlglot, so that a schema
dump and a file of queries can be checked as they are.

A query's name is in a comment `-- name: x` before it; without one it is called by its line.  Maxima of
parameters stand in comments too: `-- param: ids <= 100`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from headwater.errors import InputError, Place
from headwater.model import Query, SqlText, Table, View
from headwater.scale.plain_ddl import altered, indexed, table_of
from headwater.sql.ddl import parse_statements
from headwater.sql.select import parse_select

__all__ = ["Inputs", "NamedTree", "maxima_of", "named_trees", "read_sql"]

_NAME = re.compile(r"--[ \t]*name:[ \t]*:?([\w.$-]+)", re.IGNORECASE)
_PARAM = re.compile(r":?(\w+)\s*(?:<=|max(?:imum)?\b)\s*([\d_]+)", re.IGNORECASE)
_PARAM_LINE = re.compile(r"--[ \t]*params?:([^\r\n]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedTree:
    """A statement to analyse; `tree` is None if it could not be parsed, and `error` says why."""

    name: str
    sql: SqlText
    tree: exp.Expr | None
    place: Place | None
    error: str = ""


@dataclass(slots=True)
class Inputs:
    tables: dict[str, Table] = field(default_factory=dict)
    views: list[View] = field(default_factory=list)
    plain_views: dict[str, exp.Expr] = field(default_factory=dict)  # CREATE VIEW: spread where used
    queries: list[NamedTree] = field(default_factory=list)


def read_sql(text: str, path: str, dialect: str = "") -> Inputs:
    """The tables and queries of one file."""
    inputs = Inputs()
    if not dialect:
        try:
            found = parse_statements(text, path)
        except InputError:
            pass
        else:
            inputs.tables = {table.name: table for table in found.tables}
            inputs.views = list(found.views)
            inputs.queries = list(named_trees(found.queries))
            return inputs
    for piece in _pieces(text, path, dialect):
        _statement(piece, inputs, dialect)
    return inputs


def named_trees(queries: Iterable[Query]) -> Iterator[NamedTree]:
    for query in queries:
        yield NamedTree(query.name, query.sql, parse_select(query.sql), query.place)


def maxima_of(sql: SqlText) -> dict[str, int]:
    """The declared maxima of parameters, in the comments before a query and in it."""
    source = sql.source or sql.text
    start = source.rfind(";", 0, sql.offset) + 1 if sql.source else 0
    text = source[start : sql.offset + len(sql.text)] if sql.source else sql.text
    found: dict[str, int] = {}
    for line in _PARAM_LINE.findall(text):
        found |= {name: int(number.replace("_", "")) for name, number in _PARAM.findall(line)}
    return found


@dataclass(frozen=True, slots=True)
class _Piece:
    """A statement's text, and the comments before it."""

    sql: SqlText
    gap: str

    @property
    def name(self) -> str:
        found = _NAME.findall(self.gap)
        return found[-1] if found else f"line_{self.sql.place().line}"


def _pieces(text: str, path: str, dialect: str) -> Iterator[_Piece]:
    try:
        tokens = Dialect.get_or_raise(dialect or "headwater").tokenize(text)
    except SqlglotError as error:
        raise InputError(
            "HW400", f"{path} cannot be read as SQL", detail=str(error).split("\n")[0]
        ) from error
    except ValueError as error:
        raise InputError(
            "HW400", f'there is no dialect "{dialect}"', hint="for example postgres, mysql, spark"
        ) from error
    start: int | None = None
    gap, end = 0, 0
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            if start is not None:
                yield _Piece(SqlText(text[start:end], path, text, start), text[gap:start])
            start, gap = None, token.end + 1
        else:
            start = token.start if start is None else start
            end = token.end + 1
    if start is not None:
        yield _Piece(SqlText(text[start:end], path, text, start), text[gap:start])


def _statement(piece: _Piece, inputs: Inputs, dialect: str) -> None:
    """Headwater's own reading first; sqlglot's if it fails."""
    problem: InputError | None = None
    if not dialect:
        try:
            found = parse_statements(_padded(piece), piece.sql.path)
        except InputError as error:
            problem = error
        else:
            for table in found.tables:
                _declare(inputs, table)
            inputs.views += found.views
            inputs.queries += [_moved(one, piece) for one in named_trees(found.queries)]
            return
    tree = _parse(piece, dialect)
    if tree is None:
        if problem is not None and problem.code != "HW101" and _is_ours(piece):
            raise problem
        if piece.sql.text[:6].upper() in ("SELECT", "WITH A", "INSERT", "UPDATE", "DELETE"):
            inputs.queries.append(
                NamedTree(piece.name, piece.sql, None, piece.sql.place(), "sqlglot cannot parse it")
            )
        return
    _take(piece, tree, inputs)


def _declare(inputs: Inputs, table: Table) -> None:
    first = next((one for name, one in inputs.tables.items() if name.lower() == table.name.lower()), None)
    if first is not None:
        detail = f"It is first declared at {first.place}." if first.place else ""
        raise InputError(
            "HW406", f'the table "{table.name}" is declared twice', place=table.place, detail=detail
        )
    inputs.tables[table.name] = table


def _padded(piece: _Piece) -> str:
    """The statement at its own line and column, so that errors point there; its comments keep its name."""
    line_start = piece.sql.source.rfind("\n", 0, piece.sql.offset) + 1
    lines = piece.sql.source.count("\n", 0, line_start)
    name = _NAME.findall(piece.gap)
    comment = f"-- name: {name[-1]}" if name and lines else ""
    return comment + "\n" * lines + " " * (piece.sql.offset - line_start) + piece.sql.text


def _moved(one: NamedTree, piece: _Piece) -> NamedTree:
    """A query found in a padded text, back in its file."""
    offset = piece.sql.source.find(one.sql.text, piece.sql.offset)
    sql = SqlText(one.sql.text, piece.sql.path, piece.sql.source, max(offset, 0))
    return NamedTree(one.name, sql, one.tree, one.place)


def _is_ours(piece: _Piece) -> bool:
    return (
        re.match(r"\s*create\s+(or\s+replace\s+)?(table|query|materialized)", piece.sql.text, re.IGNORECASE)
        is not None
    )


def _parse(piece: _Piece, dialect: str) -> exp.Expr | None:
    """As the dialect reads it; without one, as Spark, PostgreSQL or MySQL does, whichever understands it."""
    for name in [dialect] if dialect else ["headwater", "postgres", "mysql"]:
        try:
            trees = Dialect.get_or_raise(name).parse(piece.sql.text)
        except (SqlglotError, ValueError, TypeError, AttributeError, IndexError, KeyError, RecursionError):
            continue
        if len(trees) == 1 and not isinstance(trees[0], exp.Command):
            return trees[0]
    return None


def _take(piece: _Piece, tree: exp.Expr, inputs: Inputs) -> None:
    place = piece.sql.place()
    match tree:
        case exp.Create() if tree.kind == "TABLE":
            table = table_of(tree, place)
            if table is not None:
                _declare(inputs, table)
        case exp.Create() if tree.kind == "INDEX":
            indexed(tree, inputs.tables)
        case exp.Create() if tree.kind == "VIEW" and isinstance(tree.expression, exp.Query):
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            inputs.plain_views[target.name] = tree.expression
        case exp.Alter():
            altered(tree, inputs.tables)
        case exp.Insert() if not _NAME.search(piece.gap):
            return
        case exp.Query() | exp.Update() | exp.Delete() | exp.Insert() | exp.Merge():
            inputs.queries.append(NamedTree(piece.name, piece.sql, tree, place))
        case _:
            return

"""The statements of a file: CREATE TABLE, CREATE MATERIALIZED VIEW, CREATE QUERY, and named SELECTs.

The text is cut into tokens once and into statements at the semicolons; each statement's reader walks its
own tokens.  A SELECT is kept as its text, with its place in the file and its tree; `translate` decides what
it means.  What a statement says about others (a foreign key, a site, the relations a view reads) is checked
by `resolve`, which sees them all.

    parse_statements("CREATE TABLE t (a INT PRIMARY KEY)").tables[0].key  ->  ("a",)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from sqlglot import Dialect

from headwater.errors import InputError, Place, did_you_mean
from headwater.errors.shared import declared_twice
from headwater.model import Query, Table, View
from headwater.sql.ddl.named_view import read_named_view
from headwater.sql.ddl.query import read_named_select, read_query
from headwater.sql.ddl.table import read_table
from headwater.sql.ddl.view import read_view
from headwater.sql.parsing.habits.other_systems import in_statements
from headwater.sql.parsing.lexer import Kind, Source, Token, cut, tokenized
from headwater.sql.parsing.references import Reference
from headwater.sql.parsing.words import Words

__all__ = [
    "DEFAULT_FRESHNESS",
    "Statements",
    "parse_statements",
    "read_statement",
    "refuse_twins",
    "split_statements",
]

DEFAULT_FRESHNESS = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Statements:
    """What some SQL text declares, in the order of the text."""

    tables: tuple[Table, ...] = ()
    views: tuple[View, ...] = ()
    queries: tuple[Query, ...] = ()
    explained: tuple[View, ...] = ()  # EXPLAIN CREATE MATERIALIZED VIEW: asked about, not declared
    references: tuple[Reference, ...] = field(default=(), repr=False)
    named: tuple[View, ...] = ()  # CREATE VIEW: dissolves into the views that read it

    def __add__(self, other: Statements) -> Statements:
        return Statements(
            self.tables + other.tables,
            self.views + other.views,
            self.queries + other.queries,
            self.explained + other.explained,
            self.references + other.references,
            self.named + other.named,
        )


def parse_statements(
    text: str, path: str = "<sql>", default_freshness: timedelta = DEFAULT_FRESHNESS
) -> Statements:
    """Read a file's statements; raise an InputError at the first fault."""
    statements = Statements()
    for words, gap_start in split_statements(Source(path, text)):
        statements += read_statement(words, gap_start, default_freshness)
    refuse_twins(statements)
    return statements


def split_statements(source: Source, dialect: Dialect | None = None) -> Iterator[tuple[Words, int]]:
    """Statements, each with the offset where the gap before it (which may hold comments) begins."""
    tokens: list[Token] = []
    gap_start = 0
    of_file = tokenized(source, dialect)
    readable = of_file if dialect is None else ()
    for token in cut(source, of_file):
        if token.kind is Kind.SYMBOL and token.text == ";":
            if tokens:
                yield Words(source, tokens, tokenized=readable), gap_start
            tokens, gap_start = [], token.end
        else:
            tokens.append(token)
    if tokens:
        yield Words(source, tokens, tokenized=readable), gap_start


def read_statement(
    words: Words, gap_start: int, default_freshness: timedelta = DEFAULT_FRESHNESS
) -> Statements:
    """What one statement declares; raise an InputError at the first fault."""
    if words.at_any(("SELECT", "WITH", "(")):
        return Statements(queries=(read_named_select(words, gap_start),))
    explain = words.accept("EXPLAIN")
    start = words.peek()
    if not words.accept("CREATE"):
        raise _unknown(words, start)
    words.accept("OR", "REPLACE")
    kind = words.peek()
    if words.accept("MATERIALIZED", "VIEW"):
        words.accept("IF", "NOT", "EXISTS")
        view, references = read_view(words, default_freshness)
        return Statements(
            views=() if explain else (view,), explained=(view,) if explain else (), references=references
        )
    if explain:
        raise words.wrong("HW101", "EXPLAIN is for CREATE MATERIALIZED VIEW only", start)
    if words.accept("VIEW"):
        words.accept("IF", "NOT", "EXISTS")
        return Statements(named=(read_named_view(words),))
    if words.accept("TABLE"):
        words.accept("IF", "NOT", "EXISTS")
        table, references = read_table(words)
        return Statements(tables=(table,), references=references)
    if words.accept("QUERY"):
        return Statements(queries=(read_query(words),))
    raise _unknown(words, kind)


_KINDS = (
    "CREATE TABLE",
    "CREATE MATERIALIZED VIEW",
    "CREATE VIEW",
    "CREATE QUERY",
    "EXPLAIN CREATE MATERIALIZED VIEW",
)
_HINTS = {
    "INSERT": "rows come from a table's source, or with headwater ingest",
    "UPDATE": "changes come from a table's source, or with headwater ingest",
    "DELETE": "changes come from a table's source, or with headwater ingest",
    "DROP": "remove the declaration from the file instead",
    "ALTER": "change the declaration in the file instead",
    "INDEX": "tables are indexed by their PRIMARY KEY, and as `headwater check` says",
    "SET": "settings stand in headwater.yml",
    "USE": "a project is one namespace: take the line out",
    "BEGIN": "a file only declares: take the line out",
    "COMMIT": "a file only declares: take the line out",
    "GRANT": "who may read what over HTTP says `headwater key`",
    "REFRESH": "a view is refreshed to keep its FRESHNESS: headwater run",
}


_SYMBOLS = {
    "#": "comments begin with -- in SQL",
    "/": "comments begin with -- in SQL, or stand between /* and */",
    "<": "this looks like another kind of file, or like a merge that is not finished",
}


def _unknown(words: Words, token: Token) -> InputError:
    likely = _SYMBOLS.get(token.text[:1], "") or did_you_mean(
        token.text, ("CREATE", "EXPLAIN", "TABLE", "MATERIALIZED", "QUERY")
    )
    hint = (
        _HINTS.get(token.word)
        or in_statements(token.word)
        or likely
        or f"a file holds {', '.join(_KINDS)} and named SELECTs"
    )
    return words.wrong("HW101", f"unknown statement: {token}", token, hint=hint)


def refuse_twins(statements: Statements) -> None:
    """Tables, views and queries share one namespace, without regard to case."""
    first: dict[str, Place | None] = {}
    declarations: tuple[Table | View | Query, ...] = (
        *statements.tables, *statements.views, *statements.named, *statements.queries,
    )  # fmt: skip
    for declared in declarations:
        folded = declared.name.lower()
        if folded in first:
            raise declared_twice(declared.name, declared.place, first[folded])
        first[folded] = declared.place

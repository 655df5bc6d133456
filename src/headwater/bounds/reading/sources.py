"""From the text of SQL files to tables and queries ready for analysis.

A statement of Headwater's own SQL is read by `sql`.  Any other (another dialect's types, ALTER TABLE, CREATE
INDEX, writes between the queries) is read as its dialect does, so that a schema dump and a file of queries
can be checked as they are.  What `passes_over` does not exclude and nobody understands becomes a query that
is not analysed, with the reason and the place.

A query's name is in a comment `-- name: x` before it; without one it is called by its line.  Maxima of
parameters stand in comments too: `-- param: ids <= 100`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from headwater.bounds.reading.expressions.convert import in_view
from headwater.bounds.reading.expressions.dollars import with_lettered_parameters
from headwater.bounds.reading.inputs import Inputs, NamedTree
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.parsed import DOLLARS, dialect_of, parsed
from headwater.bounds.reading.quotes import double_quoted, has_double_quotes, quotes_hold_names
from headwater.bounds.reading.schema.declared_words import (
    declared_functions,
    disabled_index,
    dropped_indexes,
    inherited_from,
    plain_indexes,
    renamed_index,
    uncertain_types,
)
from headwater.bounds.reading.schema.domains import enum_size
from headwater.bounds.reading.schema.executed_comments import (
    changes_rows,
    exempts,
    holds_executed_comment,
    with_exemptions,
)
from headwater.bounds.reading.schema.kept import DUAL, KEEPS_NO_KEYS, as_kept
from headwater.bounds.reading.schema.own_words import with_own_words
from headwater.bounds.reading.schema.passed_over import passes_over
from headwater.bounds.reading.schema.plain_ddl import (
    altered,
    indexed,
    is_temporary,
    keys_on_expressions,
    table_of,
    unchecked,
    view_query,
)
from headwater.bounds.reading.schema.qualified import (
    declared_name,
    dropped_names,
    schema_of,
)
from headwater.bounds.reading.writes.followers import declared_followers, unread_followers
from headwater.bounds.reading.writes.triggers import declared_triggers
from headwater.errors import InputError
from headwater.model import Query, SqlText
from headwater.sql.ddl.query import name_in_comments
from headwater.sql.ddl.statements import Statements, read_statement, split_statements
from headwater.sql.parsing.lexer import Source
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.parser import normalised_tree
from headwater.sql.parsing.words import Words

__all__ = ["Inputs", "NamedTree", "declares_plain_view", "maxima_of", "named_trees", "read_files", "read_sql"]

_HAVING_DUAL = ("mysql", "oracle")
_NAME = re.compile(r":?([\w.$-]+)")
_PARAM = re.compile(r":?(\w+)\s*(?:<=|max(?:imum)?\b)\s*([\d_]+)", re.IGNORECASE)
_PARAM_LINE = re.compile(r"--[ \t]*params?:([^\r\n]*)", re.IGNORECASE)


def read_sql(text: str, path: str, dialect: str = "") -> Inputs:
    """The tables and queries of one file."""
    return read_files([(path, text)], dialect)


def read_files(files: Iterable[tuple[str, str]], dialect: str = "") -> Inputs:
    """The tables and queries of files that follow each other, as migrations do: each path with its text.

    What a later one takes away counts no more, and what one of them declares holds for all.
    """
    inputs = Inputs()
    statements = [statement for path, text in files for statement in _of_file(Source(path, text), dialect)]
    inputs.added_values = Counter(_altered_type(words) for words, _, _ in statements)
    inputs.uncertain_types = uncertain_types(words for words, _, _ in statements)
    inputs.functions = set(declared_functions(words for words, _, _ in statements))
    inputs.triggers = list(declared_triggers(words for words, _, _ in statements))
    inputs.plain_indexes = set(plain_indexes(words for words, _, _ in statements))
    for words, gap_start, own in statements:
        _read_statement(words, gap_start, inputs, own)
    for table in inputs.changed_before:
        inputs.forget(table)
    if dialect in _HAVING_DUAL and spelling(DUAL.name, inputs.tables) is None:
        inputs.tables[DUAL.name] = DUAL
    if dialect in KEEPS_NO_KEYS:
        for table in list(inputs.tables):
            inputs.forget(table)
    return inputs


def _of_file(source: Source, dialect: str) -> Iterator[tuple[Words, int, str]]:
    """The statements of a file, each with where the gap before it starts, and the dialect to read it in."""
    statements = list(_statements(source, dialect))
    names_in_quotes = not dialect and any(quotes_hold_names(words) for words, _ in statements)
    for words, gap_start in statements:
        yield words, gap_start, "postgres" if names_in_quotes and has_double_quotes(words) else dialect


def _read_statement(words: Words, gap_start: int, inputs: Inputs, dialect: str) -> None:
    name = _name(words, gap_start)
    inputs.parents |= set(inherited_from(words))
    if _altered_type(words) not in ("", *inputs.enums):
        problem = NotAnalysed("it changes a type that is not declared before it in the file")
        sql = words.rest_text()
        inputs.queries.append(NamedTree(f"line_{sql.place().line}", sql, None, sql.place(), problem))
    elif words.at("DROP", "INDEX"):
        names, table = dropped_indexes(words)
        for dropped in names:
            inputs.drop_index(dropped, table)
    elif words.at("DROP", "VIEW"):
        for dropped in dropped_names(words.rest()[2:]):
            inputs.drop_view(dropped)
    elif words.at("ALTER", "INDEX"):
        _alter_index(words, inputs)
    elif words.at("DROP", "TABLE"):
        for dropped in dropped_names(words.rest()[2:]):
            inputs.drop(dropped)
    elif not (passes_over(words, named=bool(name)) or _is_there_already(words, inputs)):
        _read(words, gap_start, name, inputs, dialect)


def _is_there_already(words: Words, inputs: Inputs) -> bool:
    """CREATE TABLE IF NOT EXISTS of a table that is declared: the first declaration stays."""
    if not words.at("CREATE", "TABLE", "IF", "NOT", "EXISTS"):
        return False
    name, dot, last = (words.peek(ahead).text for ahead in (5, 6, 7))
    table = exp.table_(last, db=name) if dot == "." else exp.table_(name)
    return declared_name(table, inputs.tables, inputs.schemas) is not None


def _altered_type(words: Words) -> str:
    """The type to which an ALTER TYPE ... ADD VALUE adds one, or ""."""
    adds = words.at("ALTER", "TYPE") and any(token.word == "ADD" for token in words.rest())
    name = words.peek(4 if words.peek(3).text == "." else 2)  # perhaps with its schema
    return name.text.lower() if adds else ""


def declares_plain_view(text: str, path: str) -> bool:
    """Does the file hold a CREATE VIEW, which stands for its SELECT wherever it is read?"""
    return any(
        words.at("CREATE", "VIEW") or words.at("CREATE", "OR", "REPLACE", "VIEW")
        for words, _ in split_statements(Source(path, text))
    )


def named_trees(queries: Iterable[Query]) -> Iterator[NamedTree]:
    for query in queries:
        tree = normalised_tree(query.sql)
        yield NamedTree(query.name, query.sql, tree, query.place, strings=double_quoted(query.sql))


def maxima_of(sql: SqlText) -> dict[str, int]:
    """The declared maxima of parameters, in the comments before a query and in it."""
    source = sql.source or sql.text
    start = source.rfind(";", 0, sql.offset) + 1 if sql.source else 0
    text = source[start : sql.offset + len(sql.text)] if sql.source else sql.text
    maxima: dict[str, int] = {}
    for line in _PARAM_LINE.findall(text):
        maxima |= {name: int(number.replace("_", "")) for name, number in _PARAM.findall(line)}
    return maxima


def _statements(source: Source, dialect: str) -> Iterator[tuple[Words, int]]:
    text = with_lettered_parameters(source.text, dialect == DOLLARS)
    try:
        for words, gap_start in split_statements(
            Source(source.path, text), dialect_of(dialect or "headwater")
        ):
            yield Words(source, words.rest()), gap_start
    except InputError as error:
        if error.code != "HW100" or dialect:
            raise
        hint = f"{error.hint}; or name the dialect of the file: --dialect postgres"
        raise InputError(error.code, error.message, place=error.place, hint=hint) from error


def _name(words: Words, gap_start: int) -> str:
    """The name in the comments before a statement, or ""."""
    token = name_in_comments(words.source, gap_start, words.peek().start)
    match = _NAME.match(token.text) if token is not None else None
    return match[1] if match is not None else ""


def _read(words: Words, gap_start: int, name: str, inputs: Inputs, dialect: str) -> None:
    """Headwater's own reading first; if that fails, or for another dialect, sqlglot's."""
    sql, ours, changed = words.rest_text(), _is_ours(words), _altered_table(words)
    if holds_executed_comment(sql):
        return _read_with_comments(words, sql, name, inputs, dialect)
    refusal: InputError | None = None
    if not dialect:
        try:
            statements = read_statement(words, gap_start)
        except InputError as error:
            refusal = error
        else:
            if not statements.named:  # a plain view is spread where it is used, by its tree
                return _add(statements, inputs)
    name = name or f"line_{sql.place().line}"
    try:
        tree, read_as = parsed(sql, dialect)
        refusal = None
        strings = double_quoted(sql) if read_as != dialect and read_as != "postgres" else ()
        _take(NamedTree(name, sql, tree, sql.place(), strings=strings), inputs, read_as)
    except NotAnalysed as problem:
        if refusal is not None and ours and refusal.code != "HW101":
            raise refusal from problem
        inputs.forget(
            changed, later=not words.at("ALTER", "TABLE", "IF", "EXISTS")
        )  # it may have taken a constraint away
        inputs.followers += unread_followers(words)
        inputs.queries.append(NamedTree(name, sql, None, sql.place(), problem))


def _read_with_comments(words: Words, sql: SqlText, name: str, inputs: Inputs, dialect: str) -> None:
    """A statement with comments that MySQL may run: only a table's declaration can be read all the same."""
    before = set(inputs.tables)
    try:
        tree, exempted = _declaration(sql, dialect or "mysql")
    except NotAnalysed as problem:
        inputs.forget(_altered_table(words))
        name = name or f"line_{sql.place().line}"
        inputs.queries.append(NamedTree(name, sql, None, sql.place(), problem))
        return
    _take(NamedTree(name, sql, tree, sql.place()), inputs, dialect or "mysql")
    for table in set(inputs.tables) - before:
        if changes_rows(sql.text):
            inputs.forget(table)
        elif not exempted:
            inputs.tables[table] = unchecked(inputs.tables[table])


def _declaration(sql: SqlText, dialect: str) -> tuple[exp.Expr, bool]:
    """The tree of a CREATE TABLE, and whether it knows which of its constraints are not enforced."""
    for text in (with_exemptions(sql.text), sql.text):
        try:
            tree, _ = parsed(replace(sql, text=text), dialect)
        except NotAnalysed:
            continue
        if isinstance(tree, exp.Create) and tree.kind == "TABLE":
            return tree, text != sql.text or not exempts(text)
    raise NotAnalysed("it holds a comment that MySQL may run (/*! ... */)", sql.place())


def _alter_index(words: Words, inputs: Inputs) -> None:
    """Another name, or no index any more; its other properties say nothing of rows."""
    renamed, disabled = renamed_index(words), disabled_index(words)
    if renamed is not None and renamed[0] in inputs.unique_indexes:
        inputs.unique_indexes[renamed[1]] = inputs.unique_indexes.pop(renamed[0])
    if disabled is not None:
        inputs.unique_indexes.pop(disabled[0], None)
        inputs.forget(disabled[1])


def _add(statements: Statements, inputs: Inputs) -> None:
    for table in statements.tables:
        inputs.declare(table)
    for view in statements.views:
        inputs.declare(view)
    inputs.queries += named_trees(statements.queries)


def _is_ours(words: Words) -> bool:
    """CREATE TABLE, QUERY or MATERIALIZED VIEW: if nobody can read it, Headwater's message is the best."""
    kind = words.peek(3 if words.at("CREATE", "OR", "REPLACE") else 1).word
    return words.at("CREATE") and kind in {"TABLE", "QUERY", "MATERIALIZED"}


def _take(statement: NamedTree, inputs: Inputs, dialect: str) -> None:
    """Add what a statement declares or asks; raises NotAnalysed for what is not understood."""
    tree, place = statement.tree, statement.place
    if isinstance(tree, exp.Create | exp.Alter):
        inputs.followers += declared_followers(tree)
    match tree:
        case exp.Create() if tree.kind == "TABLE":
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            table = table_of(tree, inputs.tables, inputs.enums, place)
            table = with_own_words(table, statement.sql.text, dialect_of(dialect), place)
            table = as_kept(table, tree, statement.sql.text, dialect)
            inputs.declare(table, schema_of(target))
            inputs.unique_indexes |= keys_on_expressions(tree, table.name)
        case exp.Create() if tree.kind == "TYPE":
            size, name = enum_size(tree), tree.this.name.lower()
            if size is not None and name not in inputs.uncertain_types:
                inputs.enums[name] = size + inputs.added_values[name]
        case exp.Create() if tree.kind == "INDEX":
            index = indexed(tree, inputs.tables, inputs.schemas, place)
            if index is not None:
                inputs.unique_indexes[tree.this.name.lower() or str(place)] = index
        case exp.Create() if tree.kind == "VIEW":
            inputs.add_view(
                _view_name(tree), in_view(view_query(tree, place), statement.sql), is_temporary(tree)
            )
        case exp.Alter():
            altered(tree, inputs.tables, inputs.schemas, place)
        case exp.Describe() if isinstance(tree.this, exp.Query):  # EXPLAIN SELECT
            inputs.queries.append(replace(statement, tree=tree.this))
        case exp.Query() | exp.Update() | exp.Delete() | exp.Insert() | exp.Merge():
            inputs.queries.append(statement)
        case _:
            raise NotAnalysed("this statement is not understood", place)


def _altered_table(words: Words) -> str:
    """The name after ALTER TABLE [IF EXISTS] [ONLY], without its schema; "" if it is another statement."""
    if not words.at("ALTER", "TABLE"):
        return ""
    names = [token.text for token in words.rest()[2:] if token.word not in ("IF", "EXISTS", "ONLY")]
    name = names[2] if len(names) > 2 and names[1] == "." else next(iter(names), "")
    return name.strip('"`[]')


def _view_name(tree: exp.Create) -> str:
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    schema = schema_of(target)
    return f"{schema}.{target.name}" if schema else target.name

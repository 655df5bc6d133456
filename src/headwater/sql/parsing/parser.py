"""The one place where SQL becomes trees.

Two dialects: Headwater's own (`dialect`), for everything in a project, and any other one that sqlglot reads,
for files that `headwater check` is pointed at.  A SELECT is parsed when its statement is read; the tree then
travels with its text (`SqlText.tree`), so nobody parses it again.  Nodes know their offsets in `sql.text` as
meta "start" and "end".

Whatever does not parse is an InputError HW113 at its place in the file.  Trees are shared: whoever changes
one works on a copy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from sqlglot import Dialect, exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError, UnsupportedError
from sqlglot.tokenizer_core import Token, TokenType

from headwater.errors import InputError
from headwater.model import SqlText
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.habits.other_systems import in_select
from headwater.sql.parsing.habits.typographic import refuse_typographic
from headwater.sql.parsing.known_functions import WrongCall, check_calls, with_known_functions

__all__ = [
    "NO_VARIABLES",
    "dialect_named",
    "in_dialect",
    "normalised_tree",
    "parse_select",
    "parse_statement",
    "refuse_templates",
    "select_tree",
]

NO_VARIABLES = "write the name or the value itself: ${NAME} is read in options and headwater.yml only"

_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\$\{.*?\}", re.DOTALL)
# sqlglot itself fails on some broken texts; to the person who wrote one it is all the same.
_FAILURES = (SqlglotError, ValueError, TypeError, AttributeError, IndexError, KeyError)
_STATEMENTS = (
    exp.Query, exp.Create, exp.Alter, exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Describe,
)  # fmt: skip
_NOTHING_BEFORE = {TokenType.COMMA, TokenType.R_PAREN, TokenType.FROM}


def parse_select(sql: SqlText, tokens: Sequence[Token] = ()) -> SqlText:
    """The same text with its tree; `tokens` are those of the text, if it has been cut before."""
    tree = _parse(sql, Headwater(), "SELECT", _refuse_stray_commas, tokens)
    if not isinstance(tree, exp.Query):
        raise InputError("HW113", "expected a SELECT", place=sql.place(length=len(sql.text)))
    _refuse_wrong_calls(sql, tree)
    return replace(sql, tree=tree)


def select_tree(sql: SqlText) -> exp.Query:
    """The tree of a SELECT: the one that travels with it, or, for a text made by hand, a new one."""
    tree = sql.tree or parse_select(sql).tree
    assert tree is not None
    return tree


def normalised_tree(sql: SqlText) -> exp.Query:
    """A copy of a SELECT's tree with sqlglot's nodes for the functions it knows, as in other dialects."""
    return with_known_functions(select_tree(sql))


def in_dialect(sql: SqlText, name: str) -> str:
    """A SELECT's text in another dialect that sqlglot writes; InputError where that has no such thing."""
    try:
        return normalised_tree(sql).sql(dialect=name, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError as error:
        raise InputError("HW113", f"{name} has no equivalent: {error}", place=sql.place()) from error


def parse_statement(sql: SqlText, dialect: Dialect) -> exp.Expr:
    """The tree of any statement in any dialect, with the functions that sqlglot knows."""
    tree = _parse(sql, dialect, "statement")
    if not isinstance(tree, _STATEMENTS):
        raise InputError("HW113", "this statement is not understood", place=sql.place())
    try:
        return with_known_functions(tree) if isinstance(dialect, Headwater) else tree
    except WrongCall as error:
        raise _wrong_call(sql, error) from error


def dialect_named(name: str) -> Dialect | None:
    """The dialect that sqlglot has under this name, ours under "headwater"; None if there is none."""
    try:
        return Dialect.get_or_raise(name)
    except ValueError:
        return None


def _parse(
    sql: SqlText,
    dialect: Dialect,
    noun: str,
    check: Callable[[SqlText, Sequence[Token]], None] = lambda sql, tokens: None,
    cut: Sequence[Token] = (),
) -> exp.Expr | None:
    """The tree of a text that holds one statement; `check` sees its tokens first."""
    try:
        tokens = list(cut) or dialect.tokenize(sql.text)
        refuse_typographic(sql.text, tokens, lambda start, end: sql.place(start, end - start))
        check(sql, tokens)
        trees = dialect.parser(error_message_context=len(sql.text) + 1).parse(tokens, sql.text)
    except ParseError as error:
        raise _misread(sql, error, noun) from error
    except RecursionError as error:
        raise InputError("HW113", f"this {noun} is nested too deeply", place=sql.place()) from error
    except _FAILURES as error:
        raise InputError("HW113", f"this {noun} cannot be parsed", place=sql.place()) from error
    if len(trees) != 1:
        raise InputError("HW113", f"expected one {noun}", place=sql.place(length=len(sql.text)))
    return trees[0]


def _refuse_stray_commas(sql: SqlText, tokens: Sequence[Token]) -> None:
    """sqlglot forgives a comma with nothing beside it; Spark does not."""
    for token, after in pairwise((*tokens, Token(TokenType.R_PAREN, ")"))):
        comma = (
            token
            if token.token_type is TokenType.COMMA and after.token_type in _NOTHING_BEFORE
            else after
            if token.token_type is TokenType.L_PAREN and after.token_type is TokenType.COMMA
            else None
        )
        if comma is not None:
            message = "something is missing beside this comma"
            hint = "write what belongs there, or take the comma out"
            raise InputError("HW113", message, place=sql.place(comma.start), hint=hint)


def _refuse_wrong_calls(sql: SqlText, tree: exp.Query) -> None:
    try:
        check_calls(tree)
    except WrongCall as error:
        raise _wrong_call(sql, error) from error
    except RecursionError as error:
        raise InputError("HW113", "this SELECT is nested too deeply", place=sql.place()) from error


def _wrong_call(sql: SqlText, error: WrongCall) -> InputError:
    start = int(error.call.meta.get("start", 0))
    return InputError("HW113", str(error), place=sql.place(start, len(error.call.name)))


def refuse_templates(sql: SqlText) -> None:
    """{{ ref('orders') }}, {% if %} and ${orders} mean something to what makes SQL of them, not to SQL."""
    if mark := _TEMPLATE.search(sql.text):
        hint = "declare the SQL that is made of it, for instance by dbt compile"
        raise InputError(
            "HW113", f"this is a template, not SQL: {mark[0]}", place=sql.place(mark.start(), len(mark[0])),
            hint=NO_VARIABLES if mark[0].startswith("$") else hint,
        )  # fmt: skip


def _misread(sql: SqlText, error: ParseError, noun: str) -> InputError:
    refuse_templates(sql)
    first = error.errors[0] if error.errors else {}
    start = len(str(first.get("start_context") or ""))
    length = len(str(first.get("highlight") or " "))
    message = f"this {noun} cannot be parsed: {_plain(first)}"
    hint = _hint(sql.text, start)
    return InputError("HW113", message, place=sql.place(start, length), hint=hint)


_CLAUSE_BEFORE = re.compile(r"\b(FRESHNESS|PENALTY|REFRESH\s+POLICY|RETAIN)\s*$", re.IGNORECASE)


def _hint(text: str, start: int) -> str:
    """What helps where a text stops being SQL; nothing if the place says it."""
    clause = _CLAUSE_BEFORE.search(text, 0, start)
    if clause is not None:
        return f"write {clause[1].upper()} between the view's name and AS"
    opened, closed = text[:start].count("("), text[:start].count(")")
    if text[start : start + 1] == ")" and closed >= opened:
        return "take this ) out, or open it before"
    if instead := in_select(text, start):
        return instead
    return (
        "close what is open: ( is not closed" if opened > closed and start >= len(text.rstrip()) - 1 else ""
    )


def _plain(first: dict[str, Any]) -> str:
    """sqlglot's description without its class names."""
    text = str(first.get("description") or "it is not SQL")
    text = re.sub(r" but got <Token .*", "", text, flags=re.DOTALL)
    text = re.sub(
        r"Required keyword: '(\w+)' missing for <class '[\w.]*\.(\w+)'>", r"a part of \2 is missing", text
    )
    if text.startswith("Invalid expression / Unexpected token"):
        text = f"unexpected {first.get('highlight') or 'end'}"
    return text[:1].lower() + text[1:]

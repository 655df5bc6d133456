"""The SELECT at the end of a statement: its text with its tree, and what a view's SELECT must not hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sqlglot import exp

from headwater.errors import InputError
from headwater.model import SqlText
from headwater.sql.parsing.lexer import Kind, Source, Token, lex
from headwater.sql.parsing.names import RESERVED_COLUMNS
from headwater.sql.parsing.parser import NO_VARIABLES, parse_select, refuse_templates, select_tree
from headwater.sql.parsing.words import Words

__all__ = ["read_select", "read_view_select"]

_STARTS = ("SELECT", "WITH", "(", "VALUES", "TABLE", "FROM")


def read_select(words: Words, owner: str) -> SqlText:
    """The rest of a statement, from the next token to the last, as written and parsed."""
    return parse_select(_text(words, owner), words.rest_tokens())


def _text(words: Words, owner: str) -> SqlText:
    rest = words.rest()
    if not rest:
        raise words.wrong("HW100", f"{owner} has no SELECT")
    if rest[0].word not in _STARTS:
        raise words.wrong("HW113", f"expected a SELECT, found {rest[0]}", choices=_STARTS)
    return words.rest_text()


def read_view_select(words: Words, owner: str) -> SqlText:
    """The same for a view, which has no parameters and leaves Headwater's own columns alone."""
    written = _text(words, owner)
    text = _in_backticks(written.text, words.rest())
    tokens = words.rest_tokens() if text == written.text else ()
    sql = parse_select(replace(written, text=text), tokens)
    query = select_tree(sql)
    _refuse_parameters(sql, query)
    _refuse_reserved_names(sql, query)
    return sql


def _in_backticks(text: str, tokens: Sequence[Token]) -> str:
    """Names after AS in double quotes, as in standard SQL: to Spark those are strings, and an error.

    Quotes are replaced one by one, so places in the text stay what they are.
    """
    if '"' not in text:
        return text
    characters, start = list(text), tokens[0].start
    for before, token in pairwise(tokens):
        first, last = token.start - start, token.end - 1 - start
        if before.word == "AS" and text[first] == '"' and "`" not in token.text:
            characters[first] = characters[last] = "`"
    return "".join(characters)


def _refuse_parameters(sql: SqlText, query: exp.Query) -> None:
    """A view has one content for everybody, so it cannot depend on a parameter."""
    if query.find(exp.Placeholder, exp.Parameter) is None:
        return
    refuse_templates(sql)
    tokens = (*lex(Source(sql.path, sql.text)), Token(Kind.END, "", len(sql.text), len(sql.text)))
    parameters = [(mark, name) for mark, name in pairwise(tokens) if _marks(mark, name)]
    if not parameters:
        raise _variable(sql)
    mark, name = parameters[0]
    span = mark.start, mark.end if mark.word == "?" else name.end
    raise InputError(
        "HW114",
        f"a view cannot have the parameter {sql.text[slice(*span)]}",
        place=sql.place(span[0], span[1] - span[0]),
        hint="make it a column of the view and declare a CREATE QUERY that filters on it",
    )


def _variable(sql: SqlText) -> InputError:
    """${x} and @x: what other tools fill in before they send the text."""
    at = re.search(r"[$@]", sql.text)
    place = sql.place(at.start() if at else 0, 1)
    return InputError("HW114", "a view cannot have variables", place=place, hint=NO_VARIABLES)


def _marks(mark: Token, name: Token) -> bool:
    """Does a parameter begin here, written :name or ?"""
    return mark.word == "?" or (mark.word == ":" and name.kind is Kind.WORD and name.start == mark.end)


def _refuse_reserved_names(sql: SqlText, query: exp.Query) -> None:
    """A view's rows carry a weight and a time under names of their own."""
    for column in query.selects:
        if column.alias_or_name.lower() in RESERVED_COLUMNS:
            identifier = column.args.get("alias") or column.find(exp.Identifier)
            meta = identifier.meta if isinstance(identifier, exp.Identifier) else {}
            start = int(meta.get("start", 0))
            place = sql.place(start, int(meta.get("end", start)) - start + 1)
            message = f'"{column.alias_or_name}" is one of Headwater\'s own columns'
            raise InputError("HW109", message, place=place, hint="choose another name, with AS")

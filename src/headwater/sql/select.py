"""The SELECT inside a statement: sqlglot parses it, and its errors are moved to their place in the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from headwater.errors import InputError
from headwater.model import SqlText
from headwater.sql.dialect import Headwater
from headwater.sql.lexer import Kind, Source, Token, lex
from headwater.sql.names import RESERVED_COLUMNS
from headwater.sql.words import Words

__all__ = ["parse_select", "refuse_parameters", "refuse_reserved_names", "select_text"]

_STARTS = ("SELECT", "WITH", "(")


def select_text(words: Words, owner: str) -> SqlText:
    """The rest of a statement as written, from the next token to the last."""
    rest = words.rest()
    if not rest:
        raise words.wrong("HW100", f"{owner} has no SELECT")
    if rest[0].word not in _STARTS:
        raise words.wrong("HW113", f"expected a SELECT, found {rest[0]}", known=_STARTS)
    _refuse_stray_commas(words, rest)
    source, start = words.source, rest[0].start
    return SqlText(source.text[start : rest[-1].end], source.path, source.text, start)


def _refuse_stray_commas(words: Words, tokens: Sequence[Token]) -> None:
    """sqlglot forgives a comma with nothing beside it; Spark does not."""
    for token, after in pairwise((*tokens, Token(Kind.SYMBOL, ")", 0, 0))):
        if (token.word == "," and after.word in {",", ")", "FROM"}) or (
            token.word == "(" and after.word == ","
        ):
            raise words.wrong(
                "HW113", "something is missing beside this comma", token if token.word == "," else after
            )


def parse_select(sql: SqlText) -> exp.Query:
    """The tree of a SELECT. Identifiers carry their offsets in `sql.text` as meta "start" and "end"."""
    try:
        trees = Headwater().parse(sql.text, error_message_context=len(sql.text) + 1)
    except ParseError as error:
        raise _misread(sql, error) from error
    except RecursionError as error:
        raise InputError("HW113", "this SELECT is nested too deeply", place=sql.place()) from error
    except (
        SqlglotError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        KeyError,
    ) as error:
        # sqlglot itself fails on some broken texts; to the person who wrote one it is all the same.
        raise InputError("HW113", "this SELECT cannot be parsed", place=sql.place()) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise InputError("HW113", "expected a SELECT", place=sql.place(length=len(sql.text)))
    return trees[0]


def refuse_parameters(sql: SqlText, query: exp.Query) -> None:
    """A view has one content for everybody, so it cannot depend on a parameter."""
    if query.find(exp.Placeholder, exp.Parameter) is None:
        return
    tokens = (*lex(Source(sql.path, sql.text)), Token(Kind.END, "", len(sql.text), len(sql.text)))
    found = [(mark, name) for mark, name in pairwise(tokens) if _marks(mark, name)]
    mark, name = found[0] if found else (tokens[0], tokens[-1])
    span = mark.start, mark.end if mark.word == "?" else name.end
    raise InputError(
        "HW114",
        f"a view cannot have the parameter {sql.text[slice(*span)]}",
        place=sql.place(span[0], span[1] - span[0]),
        hint="make it a column of the view and declare a CREATE QUERY that filters on it",
    )


def _marks(mark: Token, name: Token) -> bool:
    """Does a parameter begin here, written :name or ?"""
    return mark.word == "?" or (mark.word == ":" and name.kind is Kind.WORD and name.start == mark.end)


def refuse_reserved_names(sql: SqlText, query: exp.Query) -> None:
    """A view's rows carry a weight and a time under names of their own."""
    for column in query.selects:
        if column.alias_or_name.lower() in RESERVED_COLUMNS:
            identifier = column.args.get("alias") or column.find(exp.Identifier)
            meta = identifier.meta if isinstance(identifier, exp.Identifier) else {}
            start = int(meta.get("start", 0))
            place = sql.place(start, int(meta.get("end", start)) - start + 1)
            message = f'"{column.alias_or_name}" is a column of Headwater\'s own'
            raise InputError("HW109", message, place=place, hint="choose another name, with AS")


def _misread(sql: SqlText, error: ParseError) -> InputError:
    first = error.errors[0] if error.errors else {}
    start = len(str(first.get("start_context") or ""))
    highlight = str(first.get("highlight") or " ")
    return InputError(
        "HW113", f"this SELECT cannot be parsed: {_plain(first)}", place=sql.place(start, len(highlight))
    )


def _plain(first: dict[str, object]) -> str:
    """sqlglot's description without its class names."""
    text = str(first.get("description") or "it is not Spark SQL")
    text = re.sub(r" but got <Token .*", "", text, flags=re.DOTALL)
    text = re.sub(
        r"Required keyword: '(\w+)' missing for <class '[\w.]*\.(\w+)'>", r"a part of \2 is missing", text
    )
    if text.startswith("Invalid expression / Unexpected token"):
        text = f"unexpected {first.get('highlight') or 'end'}"
    return text[:1].lower() + text[1:]

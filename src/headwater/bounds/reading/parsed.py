"""From the text of one statement to its tree, in the dialect that is named or in whichever understands it."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import Dialect, exp

from headwater.bounds.reading.expressions.dialect_forms import in_common_form
from headwater.bounds.reading.expressions.dollars import with_lettered_parameters
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.schema.foreign_words import without_foreign_words
from headwater.bounds.reading.schema.kept import without_options
from headwater.bounds.reading.writes.replacing import marked_as_replacing, without_replace
from headwater.errors import InputError
from headwater.model import SqlText
from headwater.sql.parsing.parser import dialect_named, parse_statement

__all__ = ["DOLLARS", "dialect_of", "parsed"]

_GUESSES = ("headwater", "postgres", "mysql")  # without --dialect, whichever understands the statement
DOLLARS = "postgres"  # the dialect in which $1 may be taken for the start of a dollar-quoted string


def dialect_of(name: str) -> Dialect:
    dialect = dialect_named(name)
    if dialect is None:
        hint = "for example postgres, mysql, spark"
        raise InputError("HW409", f'there is no dialect "{name}"', hint=hint)
    return dialect


def parsed(sql: SqlText, dialect: str) -> tuple[exp.Expr, str]:
    """The statement's tree and the dialect that gave it; if none understands it, the reason of the first."""
    problem: NotAnalysed | None = None
    for name in (dialect,) if dialect else _GUESSES:
        try:
            text = without_options(with_lettered_parameters(sql.text, name == DOLLARS), name)
            text = without_replace(without_foreign_words(text, dialect_of(name), name))
            tree = parse_statement(replace(sql, text=text), dialect_of(name))
            return in_common_form(marked_as_replacing(tree, sql.text), name), name
        except InputError as error:
            problem = problem or NotAnalysed(error.message, error.place)
    raise problem or NotAnalysed("no dialect reads it", sql.place())

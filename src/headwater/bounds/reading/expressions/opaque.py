"""Expressions that are not taken apart, as functions of the columns and parameters in them; word search."""

from __future__ import annotations

import re
from typing import Protocol

from sqlglot import exp

from headwater.algebra.expressions.matching import words
from headwater.algebra.expressions.tree import Expr, Literal, Opaque, Parameter, call
from headwater.bounds.reading.expressions.functions import Stability, function_name, moment_of, stability_of
from headwater.bounds.reading.not_analysed import NotAnalysed

__all__ = ["Inner", "moment", "opaque", "word_search"]


class Inner(Protocol):
    """Converts a part of the node at hand; `note`: parts that are read without being converted."""

    def __call__(self, part: exp.Expr, /) -> Expr: ...

    def note(self, *parts: exp.Expr) -> None: ...


_LEAVES = (exp.Column, exp.Placeholder, exp.Parameter, exp.Subquery, exp.Select, exp.SetOperation)
_UNITS = frozenset({
    "century", "centurie", "d", "day", "dayofweek", "dayofyear", "dd", "decade", "dow", "doy", "epoch", "h",
    "hh", "hour", "isodow", "isoweek", "isoyear", "m", "mi", "micro", "microsecond", "millennium", "milli",
    "millisecond", "minute", "mm", "mon", "month", "nanosecond", "qq", "quarter", "s", "second", "u", "week",
    "wk", "ww", "y", "year", "yy", "yyyy",
})  # fmt: skip
_ONE_WORD = ("word", "token", "term", "tag", "keyword")  # how a parameter that holds one word is named


def word_search(node: exp.Expr, inner: Inner) -> Expr | None:
    """Word search, as various dialects write it: TOKEN(col) = :word, which an inverted index answers.

    TOKEN(col) = x looks for x as one word.  A search text (MATCH ... AGAINST, @@) may hold any number of
    words, so it is word search only if it is a constant of one word, or if its parameter's name says so.
    """

    def contains(column: exp.Expr, word: Expr) -> Expr:
        return call("eq", call("token", inner(column)), word)

    match node:
        case exp.MatchAgainst() if len(node.expressions) == 1:
            word = one_word(inner(_argument(node.this, inner)))
            return None if word is None else contains(_argument(node.expressions[0], inner), word)
        case exp.ArrayContains() if isinstance(node.this, exp.Split):
            return contains(node.this.this, inner(node.expression))
        case exp.Anonymous() if node.name.upper() in ("TOKEN", "TOKENS") and len(node.expressions) == 1:
            return call("token", inner(node.expressions[0]))
        case exp.Anonymous() if node.name.upper() == "CONTAINS_TOKEN" and len(node.expressions) == 2:
            return contains(node.expressions[0], inner(node.expressions[1]))
        case _:
            return None


def _argument(node: exp.Expr, inner: Inner) -> exp.Expr:
    """The text in to_tsvector('english', ...) or plainto_tsquery(...): the last, after the language."""
    if not (isinstance(node, exp.Anonymous) and node.expressions):
        return node
    inner.note(node, *(part for part in node.expressions if isinstance(part, exp.Literal)))
    argument: exp.Expr = node.expressions[-1]
    return argument


def moment(node: exp.Expr, inner: Inner) -> Expr:
    """now(3) and its like as a parameter, whose name holds the constants."""
    inner.note(node, *node.find_all(exp.Literal, exp.Var))
    return moment_of(node)


def one_word(text: Expr) -> Expr | None:
    """A search text that holds one word, checked when the query runs where only a name says so."""
    match text:
        case Literal(str() as value):
            return text if len(words(value)) == 1 else None
        case Parameter(name) if name.lower().endswith(_ONE_WORD):
            return call("one_word", text)
        case _:
            return None


def opaque(node: exp.Expr, inner: Inner) -> Expr:
    """A function of the columns, parameters and subqueries in it; NotAnalysed if it is not a known one."""
    copy = node.copy()
    leaves: list[exp.Expr] = []
    pending: list[exp.Expr] = [copy]
    volatile = False
    while pending:
        part = pending.pop()
        stability = stability_of(part)
        if part is not copy and (
            isinstance(part, _LEAVES) or _is_aggregate(part) or stability is Stability.MOMENT
        ):
            leaves.append(part)
            continue
        _refuse_unknown(part, stability)
        _refuse_open_unit(part)
        inner.note(part)
        volatile = volatile or stability is Stability.VOLATILE
        pending += list(part.iter_expressions(reverse=True))
    arguments = [
        moment(leaf, inner) if stability_of(leaf) is Stability.MOMENT else inner(leaf) for leaf in leaves
    ]
    for index, leaf in enumerate(leaves):
        leaf.replace(exp.Identifier(this=f"hw_{index}_arg", quoted=False))
    text = copy.sql().replace("{", "{{").replace("}", "}}")
    template = re.sub(r"hw_(\d+)_arg", r"{\1}", text)
    return Opaque(_opaque_name(node), tuple(arguments), template, volatile)


def _refuse_unknown(part: exp.Expr, stability: Stability) -> None:
    if stability is Stability.UNKNOWN:
        assert isinstance(part, exp.Func)
        raise NotAnalysed(
            f"the function {function_name(part)} is not known here: "
            "its value might differ for the same arguments, and then no index or view could hold it"
        )


def _refuse_open_unit(part: exp.Expr) -> None:
    """DATE_TRUNC(:unit, at): the parser takes whatever stands there for the name of a unit."""
    unit = part.args.get("unit")
    if isinstance(unit, exp.Var) and unit.name.lower().removesuffix("s") not in _UNITS:
        text = (
            f"the unit of time {unit.name.lower()} is not known here: a parameter or a column cannot be one"
        )
        raise NotAnalysed(text)


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)


def _opaque_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Cast):
        return f"cast_{node.to.sql().lower()}"
    return node.name.lower() if isinstance(node, exp.Anonymous) else node.key

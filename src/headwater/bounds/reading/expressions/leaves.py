"""The leaves of an expression: literals and parameters."""

from __future__ import annotations

import re

from sqlglot import exp

from headwater.algebra.expressions.build import NULL
from headwater.algebra.expressions.tree import Literal, Parameter
from headwater.bounds.reading.expressions.dollars import digits_of

__all__ = ["literal_of", "name_parts", "numbered_parameters", "parameter_of"]


def numbered_parameters(tree: exp.Expr) -> exp.Expr:
    """A copy of the tree in which every `?` and `%s` is a parameter of its own: ?1, ?2, ... as they are read.

    Marks do not know their places, so their order is read off the text that the tree is written back as.
    """
    copy = tree.copy()
    marks = [mark for mark in copy.find_all(exp.Placeholder) if not mark.this]
    for number, mark in enumerate(marks):
        mark.set("this", f"hw_mark_{number}")
    places = re.findall(r":hw_mark_(\d+)\b", copy.sql()) if marks else []
    for number, place in enumerate(places, 1):
        marks[int(place)].set("this", f"?{number}")
    return copy


def literal_of(node: exp.Expr) -> Literal:
    match node:
        case exp.Null():
            return NULL
        case exp.Boolean():
            return Literal(bool(node.this), str(bool(node.this)).upper())
        case _ if node.args.get("is_string"):
            return Literal(str(node.this), "'" + str(node.this).replace("'", "''") + "'")
        case _:
            text = str(node.this)
            return Literal(int(text) if re.fullmatch(r"\d+", text) else _number(text), text)


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def name_parts(node: exp.Expr) -> list[exp.Expr]:
    """The nodes that hold a parameter's name: the 1 of $1."""
    return [part for part in node.iter_expressions() if isinstance(part, exp.Var | exp.Literal)]


def parameter_of(node: exp.Expr) -> Parameter:
    """`:name`, `$1`, `@name`; marks without a name have got numbers."""
    name = node.this
    return Parameter(digits_of(str(name.name if isinstance(name, exp.Expr) else name)))

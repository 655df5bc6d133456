"""Turn calls by name into sqlglot's nodes for the functions it knows.

Headwater's dialect leaves every call as it was written, because a view must mean what Spark makes of its
text.  Bounds are proved for queries of any dialect, where `count(*)` must be the same node whoever wrote it.
Calls are replaced from the inside out, in a copy of the tree.

The same step finds calls with a wrong number of arguments, such as `lower()`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.parsers.spark import SparkParser

from headwater.sql.parsing.dialect import Headwater

__all__ = ["WrongCall", "check_calls", "with_known_functions"]

Tree = TypeVar("Tree", bound=exp.Expr)

# Aggregates that sqlglot's parser reads with a syntax of their own, by the nodes it makes of them.
_AGGREGATES: dict[str, type[exp.Func]] = {
    "MAX_BY": exp.ArgMax, "MIN_BY": exp.ArgMin, "PERCENTILE": exp.Quantile, "LISTAGG": exp.GroupConcat,
    "PERCENTILE_APPROX": exp.ApproxQuantile, "APPROX_PERCENTILE": exp.ApproxQuantile,
    "STRING_AGG": exp.GroupConcat,
}  # fmt: skip
_WITHOUT_PARENTHESES = {token_type.name: node for token_type, node in SparkParser.NO_PAREN_FUNCTIONS.items()}


class WrongCall(Exception):
    """A call with too few or too many arguments."""

    def __init__(self, call: exp.Anonymous, message: str) -> None:
        super().__init__(message)
        self.call = call


def with_known_functions(tree: Tree) -> Tree:
    """A copy of the tree in which calls of functions that sqlglot knows are its nodes for them."""
    copy = tree.copy()
    for node in reversed(list(copy.walk(bfs=True))):
        replacement = _replacement(node)
        if replacement is not None:
            replacement.meta.update(node.meta)
            node.replace(replacement)
    return copy


def check_calls(tree: exp.Expr) -> None:
    """Raise WrongCall where `with_known_functions` would, without copying more than the calls."""
    for node in tree.walk(bfs=True, prune=_is_call):
        if _is_call(node):
            with_known_functions(node)


def _is_call(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous)


def _replacement(node: exp.Expr) -> exp.Expr | None:
    match node:
        case exp.Anonymous():
            return _function(node)
        case exp.Column() if not node.table and not node.this.args.get("quoted"):
            without = _WITHOUT_PARENTHESES.get(node.name.upper())
            return without() if without is not None else None
        case _:
            return None


def _function(call: exp.Anonymous) -> exp.Expr | None:
    name = call.name.upper()
    if name == "ANY" and len(call.expressions) == 1:
        return exp.Any(this=call.expressions[0])
    if name in _AGGREGATES:
        return _AGGREGATES[name].from_arg_list(call.expressions)
    if name in SparkParser.FUNCTION_PARSERS or name not in SparkParser.FUNCTIONS:
        return None
    return _checked(call, _built(SparkParser.FUNCTIONS[name], call))


def _built(builder: Callable[..., exp.Expr], call: exp.Anonymous) -> exp.Expr:
    """What the builder makes of the arguments; some want to know the dialect as well."""
    try:
        try:
            return builder(call.expressions)
        except TypeError:
            return builder(call.expressions, dialect=Headwater())
    except (SqlglotError, ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        raise WrongCall(call, f"{call.name} cannot be called like this") from error


def _checked(call: exp.Anonymous, built: exp.Expr) -> exp.Expr:
    problems = built.error_messages(call.expressions)
    if problems:
        amount = "few" if "missing" in problems[0] else "many"
        raise WrongCall(call, f"{call.name} is called with too {amount} arguments")
    return built

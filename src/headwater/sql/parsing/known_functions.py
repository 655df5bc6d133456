"""Turn calls by name into sqlglot's nodes for the functions it knows.

Headwater's dialect leaves every call as it was written, because a view must mean what Spark makes of its
text.  Bounds are proved for queries of any dialect, where `count(*)` must be the same node whoever wrote it.
Calls are replaced from the inside out, in a copy of the tree.

The same step finds calls with a wrong number of arguments, such as `lower()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
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
_ONE_BY_ONE = exp.Func.from_arg_list.__func__  # type: ignore[attr-defined]  # a class method
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
    """Raise WrongCall where `with_known_functions` would, without copying more calls than must be built."""
    for node in tree.walk(bfs=True, prune=_is_judged_when_built):
        if not isinstance(node, exp.Anonymous):
            continue
        if _is_judged_when_built(node):
            with_known_functions(node)
        elif amount := _wrong_amount(node.name.upper(), len(node.expressions)):
            raise _called_with_too(amount, node)


def _is_judged_when_built(node: exp.Expr) -> bool:
    """Whether more than the number of arguments decides; then the calls among them are judged with it."""
    return isinstance(node, exp.Anonymous) and _is_built_by_hand(node.name.upper())


@cache
def _is_built_by_hand(name: str) -> bool:
    """Whether sqlglot makes a function from its arguments otherwise than one after the other."""
    return _is_known(name) and getattr(SparkParser.FUNCTIONS[name], "__func__", None) is not _ONE_BY_ONE


@cache
def _wrong_amount(name: str, arguments: int) -> str:
    """Whether that is too few or too many arguments for a function; of unknown ones, Spark will say."""
    if not _is_known(name):
        return ""
    given = [exp.Null() for _ in range(arguments)]
    return _amount(SparkParser.FUNCTIONS[name](given).error_messages(given))


def _is_known(name: str) -> bool:
    own = name in _AGGREGATES or name in SparkParser.FUNCTION_PARSERS
    return not own and name in SparkParser.FUNCTIONS


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
    if not _is_known(name):
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
    if amount := _amount(built.error_messages(call.expressions)):
        raise _called_with_too(amount, call)
    return built


def _amount(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    return "few" if "missing" in problems[0] else "many"


def _called_with_too(amount: str, call: exp.Anonymous) -> WrongCall:
    return WrongCall(call, f"{call.name} is called with too {amount} arguments")

"""Comparisons of texts with numbers: the text is cast, so an index on the text does not answer them.

    code = 7        '7', '07' and '7.0' are all equal to 7: TRY_CAST(code AS DOUBLE) = 7
    id = '7'        the constant is the number 7

Databases agree on that much, or refuse the comparison.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal

__all__ = ["TypeOf", "comparable", "comparable_list"]

TypeOf = Callable[[Column], str]  # the declared type of a column, or "" if it is not known

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "long", "decimal", "numeric", "double", "float", "real")
_TEXTS = ("string", "varchar", "char", "text")


def comparable(left: Expr, right: Expr, type_of: TypeOf) -> tuple[Expr, Expr]:
    """Both sides of a comparison as they are compared."""
    kinds = _kind(left, type_of), _kind(right, type_of)
    if kinds == ("text", "number"):
        return _as_number(left), right
    if kinds == ("number", "text"):
        return left, _as_number(right)
    return left, right


def comparable_list(term: Expr, values: list[Expr], type_of: TypeOf) -> tuple[Expr, list[Expr]]:
    """The term and the values of an IN, all of one kind if one of them is a number."""
    kinds = {_kind(value, type_of) for value in (term, *values)}
    if not {"text", "number"} <= kinds:
        return term, values
    return _as_number(term), [_as_number(value) for value in values]


def _kind(expr: Expr, type_of: TypeOf) -> str:
    match expr:
        case Literal(bool() | None):
            return ""
        case Literal(str()):
            return "text"
        case Literal():
            return "number"
        case Column():
            declared = type_of(expr).lower()
            number = "number" if declared.startswith(_NUMBERS) else ""
            return "text" if declared.startswith(_TEXTS) else number
        case _:
            return ""


def _as_number(expr: Expr) -> Expr:
    match expr:
        case Literal(str() as text) if (value := _number(text)) is not None:
            return Literal(value, str(value))
        case Literal(int() | float()):
            return expr
        case _:
            return Call("trycast", (expr,), "TRY_CAST({0} AS DOUBLE)")


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None

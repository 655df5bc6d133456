"""Comparisons that are not those of a column's key: texts with numbers or times, and other collations.

    code = 7                 '7', '07' and '7.0' are all equal to 7: TRY_CAST(code AS DOUBLE) = 7
    id = '7'                 the constant is the number 7
    code = TRUE              't', 'true' and '1' are all true
    code = :c COLLATE ci     'a' and 'A' are equal: code COLLATE ci = :c COLLATE ci

So an index or a key on the text does not answer them.  Databases agree on that much, or refuse the
comparison.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, Literal, Opaque

__all__ = ["TypeOf", "comparable", "comparable_list", "kind_of"]

TypeOf = Callable[[Column], str]  # the declared type of a column, or "" if it is not known

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "long", "decimal", "numeric", "double", "float", "real")
_TEXTS = ("string", "varchar", "char", "text")
_TIMES = ("date", "timestamp")
_OF_NUMBERS = {
    "neg", "mul", "div", "mod", "abs", "length", "count", "sum", "avg", "floor", "ceil", "round", "year",
    "month", "day", "hour", "minute", "second", "quarter",
}  # fmt: skip
_OF_TEXTS = {"concat", "lower", "upper", "substring"}
_OF_TIMES = {"datetrunc"}
_OF_ARGUMENT = {"min", "max", "coalesce", "nullif", "add", "sub"}  # a time and an interval are a time


def comparable(left: Expr, right: Expr, type_of: TypeOf) -> tuple[Expr, Expr]:
    """Both sides of a comparison as they are compared."""
    term, values = comparable_list(left, [right], type_of)
    return term, values[0]


def comparable_list(term: Expr, values: list[Expr], type_of: TypeOf) -> tuple[Expr, list[Expr]]:
    """The term and the values of an IN, all of one kind and of one collation."""
    collations = [side for side in (term, *values) if _is_collation(side)]
    if collations:
        term, *values = (_collated(side, collations[0]) for side in (term, *values))
        return term, values
    kinds = {kind_of(side, type_of) for side in (term, *values)} - {""}
    if "text" not in kinds or len(kinds) == 1:
        return term, values
    if "number" in kinds:
        return _as_number(term), [_as_number(value) for value in values]
    other = "BOOLEAN" if "boolean" in kinds else "TIMESTAMP"
    return _cast(term, other, type_of), [_cast(value, other, type_of) for value in values]


def _is_collation(expr: Expr) -> bool:
    return isinstance(expr, Opaque) and expr.name == "collate"


def _collated(expr: Expr, like: Expr) -> Expr:
    assert isinstance(like, Opaque)
    return expr if _is_collation(expr) else Opaque(like.name, (expr,), like.template)


def kind_of(expr: Expr, type_of: TypeOf) -> str:
    """number, text, time or boolean; "" if it is not known."""
    match expr:
        case Literal(None):
            return ""
        case Literal(bool()):
            return "boolean"
        case Literal(str()):
            return "text"
        case Literal():
            return "number"
        case Column():
            return _kind_of_type(type_of(expr).lower())
        case Call("trycast", _, template):
            return _kind_of_type(template.rpartition(" AS ")[2].lower())
        case Call() | AggregateCall():
            return _kind_of_call(expr.function, expr.arguments, type_of)
        case Opaque(name) if name.startswith("cast_"):
            return _kind_of_type(name.removeprefix("cast_"))
        case _:
            return ""


def _kind_of_type(declared: str) -> str:
    kinds = (("number", _NUMBERS), ("text", _TEXTS), ("time", _TIMES))
    return next((kind for kind, names in kinds if declared.startswith(names)), "")


def _kind_of_call(function: str, arguments: tuple[Expr, ...], type_of: TypeOf) -> str:
    if function in _OF_ARGUMENT:
        return next((kind for part in arguments if (kind := kind_of(part, type_of))), "")
    kinds = (("number", _OF_NUMBERS), ("text", _OF_TEXTS), ("time", _OF_TIMES))
    return next((kind for kind, names in kinds if function in names), "")


def _as_number(expr: Expr) -> Expr:
    match expr:
        case Literal(str() as text) if (value := _number(text)) is not None:
            return Literal(value, str(value))
        case Literal(int() | float()):
            return expr
        case _:
            return Call("trycast", (expr,), "TRY_CAST({0} AS DOUBLE)")


def _cast(expr: Expr, kind: str, type_of: TypeOf) -> Expr:
    """A text that is no constant, cast: a constant is one value whatever its type."""
    is_text = kind_of(expr, type_of) == "text" and not isinstance(expr, Literal)
    return Opaque(f"cast_{kind.lower()}", (expr,), f"TRY_CAST({{0}} AS {kind})") if is_text else expr


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None

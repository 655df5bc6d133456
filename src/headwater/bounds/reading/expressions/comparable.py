"""Comparisons that are not those of a column's key: texts with numbers or times, and other collations.

    code = 7                 '7', '07' and '7.0' are all equal to 7: TRY_CAST(code AS DOUBLE) = 7
    id = '7'                 the constant is the number 7
    code = TRUE              't', 'true' and '1' are all true
    code = :c COLLATE ci     'a' and 'A' are equal: code COLLATE ci = :c COLLATE ci
    title = 12               of bytes, in MySQL, likewise
    price = sqrt(:x)         a decimal is compared as a floating-point number, and many are the same

So an index or a key on the text does not answer them.  Databases agree on that much, or refuse the
comparison.  What may be a number for all that is known (IF(:a, 5, 6), :a | 3) is no text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Parameter,
    Subquery,
)
from headwater.bounds.query.block import Query, Select, query_of
from headwater.bounds.reading.not_analysed import NotAnalysed

__all__ = ["TypeOf", "comparable", "comparable_list", "comparable_query", "kind_of", "types_shown"]

TypeOf = Callable[[Column], str]  # the declared type of a column, or "" if it is not known

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "long", "decimal", "numeric", "double", "float", "real")
_TEXTS = ("string", "varchar", "char", "text", "bpchar", "name")
_BYTES = ("binary", "varbinary", "blob", "bytea")
_TIMES = ("date", "time")
_FLOATS = ("double", "float", "real")
_DECIMALS = ("decimal", "numeric")
_FLOATING = {"sqrt", "cbrt", "exp", "ln", "log", "pow", "power", "rand", "sin", "cos", "tan", "atan", "avg"}
_OF_NUMBERS = {
    "neg", "mul", "div", "mod", "abs", "length", "count", "sum", "avg", "floor", "ceil", "round", "year",
    "datediff", "month", "day", "hour", "minute", "second", "quarter",
}  # fmt: skip
_OF_TEXTS = {
    "concat", "concatws", "lower", "upper", "substring", "trim", "replace", "left", "right", "pad", "repeat",
    "reverse", "initcap", "md5", "sha", "sha2", "hex", "format", "timetostr", "tochar", "date_format",
    "split_part", "splitpart", "regexpreplace", "regexp_replace", "regexpextract", "regexp_substr",
    "substring_index", "substringindex", "chr", "jsonextractscalar", "jsonbextractscalar", "json_unquote",
    "translate", "unaccent", "quote_literal", "tobase64", "to_base64", "encode", "collate", "soundex",
    "unhex", "uuid_to_bin", "bin_to_uuid", "frombase64", "from_base64", "hexstring", "encrypt",
}  # fmt: skip
_OF_TRUTH = {
    "eq", "neq", "lt", "lte", "gt", "gte", "nulleq", "not", "and", "or", "in", "like", "is_null", "not_null",
}  # fmt: skip
_NOT_KNOWN = "not known"
_OF_TIMES = {"datetrunc", "dateadd", "todate"}
_OF_ARGUMENT = {"min", "max", "coalesce", "nullif", "add", "sub"}  # a time and an interval are a time


def comparable(left: Expr, right: Expr, type_of: TypeOf) -> tuple[Expr, Expr]:
    """Both sides of a comparison as they are compared."""
    term, values = comparable_list(left, [right], type_of)
    return term, values[0]


def comparable_list(term: Expr, values: list[Expr], type_of: TypeOf) -> tuple[Expr, list[Expr]]:
    """The term and the values of an IN, all of one kind and of one collation."""
    collations = [side for side in (term, *values) if _is_collation(side)]
    if collations and _is_of_columns(collations, (term, *values), type_of):
        term, *values = (_without_collation(side) for side in (term, *values))
    elif collations:
        term, *values = (_collated(side, collations[0]) for side in (term, *values))
        return term, values
    if len({name for side in (term, *values) if (name := _collation(side, type_of)) is not None}) > 1:
        mixed: list[Expr] = [Opaque("collate", (side,), "{0} COLLATE mixed") for side in (term, *values)]
        return mixed[0], mixed[1:]
    if _mixes_floats(kinds_of_numbers(term, *values, type_of=type_of)):
        return _as_number(term), [_as_number(value) for value in values]
    kinds = {kind_of(side, type_of) for side in (term, *values)} - {""}
    if "text" not in kinds or len(kinds) == 1:
        return term, values
    if "number" in kinds:
        sides = [_as_number_beside(side, (term, *values), type_of) for side in (term, *values)]
        return sides[0], sides[1:]
    if _NOT_KNOWN in kinds:
        return _cast(term, "VARIANT", type_of), [_cast(value, "VARIANT", type_of) for value in values]
    other = "BOOLEAN" if "boolean" in kinds else "TIMESTAMP"
    return _cast(term, other, type_of), [_cast(value, other, type_of) for value in values]


def comparable_query(term: Expr, query: Query, type_of: TypeOf) -> tuple[Expr, Query]:
    """The term and the query of an IN: both sides are cast if they are of different kinds."""
    if not isinstance(query, Select) or len(query.outputs) != 1:
        if "text" in {kind_of(term, type_of), *_kinds_shown(query, type_of)}:
            kinds = {kind_of(term, type_of), *_kinds_shown(query, type_of)} - {""}
            if len(kinds) > 1:
                raise NotAnalysed("it compares a text with what may be none, by IN")
        return term, query
    output = query.outputs[0]
    left, right = comparable(term, output.expr, type_of)
    return left, replace(query, outputs=(replace(output, expr=right),))


def types_shown(query: Query, type_of: TypeOf) -> tuple[str, ...]:
    """Types of a query's outputs, as far as comparisons are concerned."""
    return tuple(_TYPE_OF_KIND[kind] for kind in _kinds_shown(query, type_of))


def _kinds_shown(query: Query, type_of: TypeOf) -> tuple[str, ...]:
    """The kinds of a query's outputs; of a union where its branches agree."""
    if isinstance(query, Select):
        return tuple(kind_of(output.expr, type_of) for output in query.outputs)
    return tuple(
        _one_kind(set(kinds))
        for kinds in zip(*(_kinds_shown(branch, type_of) for branch in query.branches), strict=True)
    )


def _one_kind(kinds: set[str]) -> str:
    """The kind that several values have together: a parameter is of the kind of the others."""
    known = kinds - {""}
    return next(iter(known), "") if len(known) < 2 else _NOT_KNOWN


_TYPE_OF_KIND = {
    "number": "double", "text": "string", "time": "timestamp", "boolean": "boolean", "": "",
    _NOT_KNOWN: _NOT_KNOWN,
}  # fmt: skip


def kinds_of_numbers(*sides: Expr, type_of: TypeOf) -> set[str]:
    """Which of the sides are decimals, which floating-point numbers."""
    return {_number_kind(side, type_of) for side in sides}


def _mixes_floats(kinds: set[str]) -> bool:
    return {"decimal", "float"} <= kinds


def _number_kind(expr: Expr, type_of: TypeOf) -> str:
    """float if anything in it is, then decimal."""
    match expr:
        case Column():
            return _number_kind_of_type(type_of(expr).lower())
        case Call("trycast", _, template):
            return _number_kind_of_type(template.rpartition(" AS ")[2].lower())
        case Opaque(name) if name.startswith("cast_"):
            return _number_kind_of_type(name.removeprefix("cast_"))
        case Opaque(name) | AggregateCall(name) if name in _FLOATING:
            return "float"
        case Opaque() | AggregateCall() | Call():
            kinds = {_number_kind(argument, type_of) for argument in expr.arguments}
        case Subquery() if expr.kind == "scalar":
            kinds = {_number_kind(shown, type_of) for shown in _shown_by(query_of(expr))}
        case _:
            return ""
    return next((kind for kind in ("float", "decimal") if kind in kinds), "")


def _shown_by(query: Query) -> Iterator[Expr]:
    if isinstance(query, Select):
        yield from (output.expr for output in query.outputs)
    else:
        for branch in query.branches:
            yield from _shown_by(branch)


def _number_kind_of_type(declared: str) -> str:
    kinds = (("float", _FLOATS), ("decimal", _DECIMALS))
    return next((kind for kind, names in kinds if declared.startswith(names)), "")


def _is_collation(expr: Expr) -> bool:
    return isinstance(expr, Opaque) and expr.name == "collate"


def _collation(expr: Expr, type_of: TypeOf) -> str | None:
    """By which rule a column's texts are equal; None of what takes the rule of the other side."""
    declared = ""
    match expr:
        case Column():
            declared = type_of(expr).lower()
        case Opaque(name) if name.startswith("cast_"):
            declared = name.removeprefix("cast_")
    if declared.startswith("citext"):
        return "citext"
    return declared.partition(" collate ")[2] if declared.startswith(_TEXTS) else None


def _is_of_columns(collations: list[Expr], sides: tuple[Expr, ...], type_of: TypeOf) -> bool:
    """Is the collation that is written that of every column compared?"""
    names = {
        side.template.rpartition(" ")[2].strip('"`').lower()
        for side in collations
        if isinstance(side, Opaque)
    }
    declared = {_collation(_without_collation(side), type_of) for side in sides} - {None}
    return len(names) == 1 and declared == names


def _without_collation(expr: Expr) -> Expr:
    return expr.arguments[0] if isinstance(expr, Opaque) and _is_collation(expr) and expr.arguments else expr


def _collated(expr: Expr, like: Expr) -> Expr:
    assert isinstance(like, Opaque)
    return expr if _is_collation(expr) else Opaque(like.name, (expr,), like.template)


def kind_of(expr: Expr, type_of: TypeOf) -> str:
    """number, text, time or boolean; "" if it is of the other side's kind (a parameter, an unusual type)."""
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
        case Opaque(name):
            return "text" if name in _OF_TEXTS else _NOT_KNOWN
        case Parameter(name):
            return "time" if name.startswith(("$now", "$today")) else ""
        case Subquery(kind) if kind != "scalar":
            return "boolean"
        case Subquery():
            return _one_kind(set(_kinds_shown(query_of(expr), type_of)))


def _kind_of_type(declared: str) -> str:
    kinds = (
        ("number", _NUMBERS), ("text", _TEXTS + _BYTES), ("time", _TIMES), ("boolean", ("boolean",)),
        (_NOT_KNOWN, (_NOT_KNOWN,)),
    )  # fmt: skip
    return next((kind for kind, names in kinds if declared.startswith(names)), "")


def _kind_of_call(function: str, arguments: tuple[Expr, ...], type_of: TypeOf) -> str:
    if function in _OF_ARGUMENT:
        return next((kind for part in arguments if (kind := kind_of(part, type_of))), "")
    if function == "case":
        values = (*arguments[1::2], arguments[-1])
        return _one_kind({kind_of(value, type_of) for value in values})
    kinds = (("number", _OF_NUMBERS), ("text", _OF_TEXTS), ("time", _OF_TIMES), ("boolean", _OF_TRUTH))
    return next((kind for kind, names in kinds if function in names), _NOT_KNOWN)


def _as_number_beside(expr: Expr, sides: tuple[Expr, ...], type_of: TypeOf) -> Expr:
    """A number stays what it is if all texts beside it are constants: id = '7' is id = 7."""
    texts = [side for side in sides if kind_of(side, type_of) == "text"]
    constant = all(isinstance(_as_number(text), Literal) for text in texts)
    return expr if constant and kind_of(expr, type_of) == "number" else _as_number(expr)


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

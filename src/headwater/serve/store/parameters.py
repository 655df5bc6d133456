"""The parameters of a query: which types they have, and texts and Python values read as those types.

A parameter has the type of what it meets: the column it is compared with, BIGINT in a LIMIT.  One that meets
no column has no type, and its value is taken as it is.  `IN (:ids)` makes a list of `ids`.  A factor
(`price * :rate`) is a number of whichever type: a whole one if it is written so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from headwater.algebra.expressions.tree import Call, Column, Expr, Parameter, children, walk
from headwater.bounds.query.block import Base, Derived, Query, Select, query_of
from headwater.capture.intake.values import typed_column
from headwater.errors import InputError, did_you_mean
from headwater.model import Column as DeclaredColumn

__all__ = [
    "ANY",
    "Counts",
    "Parameters",
    "Types",
    "counts_of",
    "parameters_of",
    "refuse_counts",
    "typed_values",
]

ANY = ""  # a parameter that meets no column
NUMBER = "number"  # of whichever type
Types = Mapping[str, Mapping[str, str]]  # relation -> column -> type
Parameters = tuple[tuple[str, str, bool], ...]  # name, type, whether it is a list
Counts = tuple[tuple[str, int], ...]  # a parameter of LIMIT or OFFSET, and its maximum

_COMPARISONS = {"eq", "neq", "lt", "lte", "gt", "gte", "nulleq", "like", "in", "add", "sub"}
_ARITHMETIC = {"mul", "div", "mod", "neg"}
_PARTS_OF_TIMES = {"year", "quarter", "month", "day", "hour", "minute", "second"}
_PLAIN = (bool, int, float, str, bytes, bytearray, Decimal, date)  # a datetime is a date
_WHOLE = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}  # bits
_TEXT_FUNCTIONS = {"lower", "upper", "trim", "token", "one_word", "concat", "substring", "replace"}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def parameters_of(query: Query, types: Types) -> Parameters:
    """The parameters in the order of their names, without those that stand for the moment ($now)."""
    inferred: dict[str, str] = {}
    lists: set[str] = set()
    for block in _blocks(query):
        for cut in (block.limit, block.offset):
            if cut is not None:
                inferred.update((name, "bigint") for name in _names(cut))
        if isinstance(block, Select):
            sources = {source.alias: source for source in block.sources}
            for expr in block.expressions():
                for part in walk(expr):
                    _meet(part, sources, types, inferred, lists)
    names = sorted(name for name in query.params if not name.startswith("$"))
    return tuple((name, inferred.get(name, ANY), name in lists) for name in names)


def counts_of(query: Query, maxima: Mapping[str, int], most: int) -> Counts:
    """Parameters of LIMIT and OFFSET with the most that the bound allows for: declared, or assumed."""
    cuts = (cut for block in _blocks(query) for cut in (block.limit, block.offset) if cut is not None)
    names = dict.fromkeys(name for cut in cuts for name in _names(cut) if not name.startswith("$"))
    return tuple((name, maxima.get(name, most)) for name in names)


def refuse_counts(query: str, counts: Counts, values: Mapping[str, Any]) -> None:
    """A count that is none, or more than the bound was proved for, is an error."""
    for name, most in counts:
        value = values[name]
        if value is None or value < 0:
            raise _wrong(query, name, "bigint", "a LIMIT or OFFSET is a number from 0 on")
        if value > most:
            raise InputError(
                "HW433",
                f'the parameter "{name}" of the query "{query}": {value} is more than {most}',
                detail="The bound is proved for a LIMIT or OFFSET up to that.",
                hint=f"Declare a maximum before the query: -- param: {name} <= {value}",
            )


def _blocks(query: Query) -> Iterator[Query]:
    """The query and all that stand inside it."""
    yield query
    if not isinstance(query, Select):
        for branch in query.branches:
            yield from _blocks(branch)
        return
    for source in query.sources:
        if isinstance(source, Derived):
            yield from _blocks(source.query)
    for subquery in query.subqueries:
        yield from _blocks(query_of(subquery))


def _names(expr: Expr) -> list[str]:
    return [part.name for part in walk(expr) if isinstance(part, Parameter)]


def _meet(
    part: Expr, sources: Mapping[str, Base | Derived], types: Types, inferred: dict[str, str], lists: set[str]
) -> None:
    """Note the types of parameters that stand beside something typed in one call."""
    if not isinstance(part, Call):
        return
    for counted in _counted(part):
        inferred.setdefault(counted.name, NUMBER if part.function in _ARITHMETIC else "bigint")
    if part.function not in _COMPARISONS:
        return
    if part.function == "in" and len(part.arguments) == 2 and isinstance(part.arguments[1], Parameter):
        lists.add(part.arguments[1].name)
    kinds = [kind for argument in part.arguments if (kind := _type(argument, sources, types))]
    for argument in part.arguments:
        for name in _beside(argument):
            if kinds:
                inferred.setdefault(name, "string" if part.function == "like" else kinds[0])


def _counted(part: Call) -> list[Parameter]:
    """Parameters that are numbers whatever stands beside them: factors, and places in a text."""
    if part.function in _ARITHMETIC:
        numbers = part.arguments
    else:
        numbers = part.arguments[1:] if part.function in ("substring", "left", "right", "repeat") else ()
    return [argument for argument in numbers if isinstance(argument, Parameter)]


def _beside(expr: Expr) -> Iterator[str]:
    """Parameters that have the type of the whole: :p, :p + 5, :p || '%', ONE_WORD(:p)."""
    match expr:
        case Parameter(name):
            yield name
        case Call("add" | "sub" | "concat" | "one_word" | "lower" | "upper"):
            for child in children(expr):
                yield from _beside(child)
        case _:
            return


def _type(expr: Expr, sources: Mapping[str, Base | Derived], types: Types) -> str:
    match expr:
        case Column(name, alias) if isinstance(source := sources.get(alias), Base):
            return types.get(source.table, {}).get(name, ANY)
        case Column(name, alias) if isinstance(source := sources.get(alias), Derived):
            return _output_type(source.query, name, types)
        case Call(function) if function in _TEXT_FUNCTIONS:
            return "string"
        case Call("datetrunc"):
            return "timestamp"
        case Call(function) if function in _PARTS_OF_TIMES or function == "length":
            return "int"
        case Call("trycast", _, template):
            return template.rpartition(" AS ")[2].removesuffix(")").lower()
        case Call("add" | "sub" | "mod", arguments):
            return next((kind for part in arguments if (kind := _type(part, sources, types))), ANY)
        case _:
            return ANY


def _output_type(query: Query, name: str, types: Types) -> str:
    if not isinstance(query, Select):
        return _output_type(query.branches[0], name, types)
    sources = {source.alias: source for source in query.sources}
    outputs = (output for output in query.outputs if output.name == name)
    return next((_type(output.expr, sources, types) for output in outputs), ANY)


def typed_values(query: str, parameters: Parameters, given: Mapping[str, object]) -> dict[str, Any]:
    """The given values as the parameters' types; InputError for one that is missing, unknown or wrong."""
    known = {name for name, _, _ in parameters}
    for name in given:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise InputError(
                "HW432",
                f'the query "{query}" has no parameter "{name}"',
                detail=f"Its parameters: {listed}.",
                hint=did_you_mean(name, sorted(known)),
            )
    values: dict[str, Any] = {}
    for name, kind, is_list in parameters:
        if name not in given:
            raise InputError(
                "HW431",
                f'the query "{query}" needs a value for "{name}"',
                hint=f"Give {name}=..., of type {kind or 'any'}; for NULL, {name}:=null.",
            )
        values[name] = _typed(query, name, kind, is_list, given[name])
    return values


def _typed(query: str, name: str, kind: str, is_list: bool, value: object) -> Any:
    if is_list:
        items = list(value) if isinstance(value, list | tuple | set | frozenset) else [value]
        return [_scalar(query, name, kind, item) for item in items]
    if isinstance(value, list | tuple | set | frozenset):
        raise _wrong(query, name, kind, "a list, and it takes one value")
    return _scalar(query, name, kind, value)


def _scalar(query: str, name: str, kind: str, value: object) -> Any:
    """A value as a column of that type would take it; texts of a command line are read as numbers too."""
    if value is None or kind.startswith(("struct", "array", "map")):
        return value
    if not isinstance(value, _PLAIN) or (isinstance(value, Decimal) and value.is_snan()):
        raise _wrong(query, name, kind, f"a {type(value).__name__} is no value of SQL's")
    if kind == NUMBER:
        return _number(query, name, value)
    if not kind:
        return value
    value = _of_text(kind, value)
    if _is_typed(kind, value):
        return value
    array, reasons = typed_column(DeclaredColumn(name, kind), [value])
    if reasons:
        reason = reasons[0].partition(": ")[2]
        raise _wrong(query, name, kind, reason)
    return array[0].as_py()


def _number(query: str, name: str, value: object) -> int | float | Decimal:
    text = value.strip() if isinstance(value, str) else ""
    if _NUMBER.fullmatch(text):
        return int(text) if re.fullmatch(r"[+-]?\d{1,20}", text, re.ASCII) else float(text)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return value
    raise _wrong(query, name, "", f"{value!r:.40} is not a number")


def _is_typed(kind: str, value: object) -> bool:
    """Is it plainly a value of the type?  Most are, and to make a column of one takes long."""
    if type(value) is int:
        return kind in _WHOLE and -(1 << _WHOLE[kind]) <= value < 1 << _WHOLE[kind]
    if type(value) is str:
        return kind == "string" and value.isascii()
    return type(value) is bool and kind == "boolean"


def _of_text(kind: str, value: object) -> object:
    if not isinstance(value, str) or kind in ("string", "binary"):
        return value
    text = value.strip()
    if kind in _WHOLE and re.fullmatch(r"[+-]?\d{1,20}", text, re.ASCII):
        return int(text)
    if kind in ("double", "float") and _NUMBER.fullmatch(text):
        return float(text)
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return text


def _wrong(query: str, name: str, kind: str, reason: str) -> InputError:
    return InputError(
        "HW433",
        f'the parameter "{name}" of the query "{query}" cannot be {reason}'
        if reason.startswith("a list")
        else f'the parameter "{name}" of the query "{query}": {reason}',
        hint=f"It meets a column of type {kind.upper()}." if kind else "",
    )

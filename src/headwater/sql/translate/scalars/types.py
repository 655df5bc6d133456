"""Spark's types as strings: families, the common type of two, and the results of arithmetic.

Best effort: "" means unknown, and an unknown type is never an error.  What matters most is to know exact
numbers (integers and decimals), whose sums can be kept by adding, from floats, whose sums cannot.  Where a
type is given it is the one Spark 4 gives in ANSI mode; tests/spark compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from sqlglot import exp

from headwater.algebra.expressions.tree import Expr, Literal
from headwater.errors import InputError
from headwater.model import SqlText
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.parser import select_tree
from headwater.sql.translate.scalars.literals import text

__all__ = [
    "arithmetic",
    "common",
    "common_of",
    "decimal",
    "element",
    "family",
    "field_of",
    "fields",
    "has_interval",
    "of_literal",
    "schema_type",
    "spark_type",
]

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_INTERVAL = re.compile(r"(?:^|[<:,])\s*interval(?![\w:])")
_NAMES = {
    "timestamp_ltz": "timestamp", "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint",
    "real": "float", "decimal": "decimal(10,0)", "text": "string", "varchar": "string", "char": "string",
}  # fmt: skip


def spark_type(node: exp.Expr) -> str:
    """Spark's simple string for a type; field names keep their case."""
    written = re.sub(r"\s*([<>:,()])\s*", r"\1", text(node))
    whole = re.sub(r"[A-Z_]+(?![^<>(),:]*:)", lambda word: word[0].lower(), written)
    whole = re.sub(r"decimal\((\d+)\)", r"decimal(\1,0)", whole)
    whole = re.sub(r"decimal(?!\()", "decimal(10,0)", whole)
    return _NAMES.get(whole, whole)


@lru_cache(maxsize=500)
def schema_type(written: str) -> str:
    """The type that a schema stands for, 'a INT, b STRING' or 'array<int>'; "" where it cannot be read."""
    nested = re.match(r"\s*(array|map|struct)\s*<", written, re.IGNORECASE) is not None
    try:
        tree = select_tree(SqlText(f"SELECT CAST(x AS {written if nested else f'STRUCT<{written}>'})"))
    except InputError:
        return ""
    casts = list(tree.find_all(exp.Cast))
    return spark_type(casts[0].to) if len(casts) == 1 else ""


def family(spark_type: str) -> str:
    """number, string, boolean, date, timestamp, binary, interval, array, map, struct, void; "" if unknown."""
    base = re.split(r"[(<\s]", spark_type, maxsplit=1)[0]
    if base in _INTEGERS or base in ("float", "double", "decimal"):
        return "number"
    return "timestamp" if base == "timestamp_ntz" else base


def has_interval(spark_type: str) -> bool:
    """Is it an interval, or does it hold one?"""
    return _INTERVAL.search(spark_type) is not None


def decimal(spark_type: str) -> tuple[int, int] | None:
    """(precision, scale) of an exact number."""
    if spark_type in _DIGITS:
        return _DIGITS[spark_type], 0
    digits = _DECIMAL.fullmatch(spark_type)
    return (int(digits[1]), int(digits[2])) if digits else None


def of_literal(expr: Expr, spark_type: str) -> str:
    """A whole number written in the text counts with its own digits beside a decimal, as in Spark."""
    if isinstance(expr, Literal) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
        return f"decimal({len(str(abs(expr.value)))},0)"
    return spark_type


def _bounded(precision: int, scale: int) -> str:
    """Spark's rule for a result of more than 38 digits: give up digits after the point, down to six."""
    if precision <= 38:
        return f"decimal({precision},{scale})"
    whole = precision - scale
    return f"decimal(38,{max(38 - whole, min(scale, 6))})"


def arithmetic(operator: str, left: str, right: str) -> str:
    """The type of `left operator right` for two numbers (add, sub, mul, div, mod)."""
    if family(left) != "number" or family(right) != "number":
        return ""
    if left in _INTEGERS and right in _INTEGERS:
        return "double" if operator == "div" else max(left, right, key=_INTEGERS.index)
    left_digits, right_digits = decimal(left), decimal(right)
    if left_digits is None or right_digits is None:
        return "float" if left == right == "float" and operator != "div" else "double"
    (p1, s1), (p2, s2) = left_digits, right_digits
    match operator:
        case "add" | "sub":
            scale = max(s1, s2)
            return _bounded(max(p1 - s1, p2 - s2) + scale + 1, scale)
        case "mul":
            return _bounded(p1 + p2 + 1, s1 + s2)
        case "div":
            scale = max(6, s1 + p2 + 1)
            return _bounded(p1 - s1 + s2 + scale, scale)
        case _:
            return _bounded(min(p1 - s1, p2 - s2) + max(s1, s2), max(s1, s2))


def common(left: str, right: str) -> str:
    """The type that both can be turned into without loss; "" when not known."""
    if left == right or right == "void":
        return left
    if left == "void":
        return right
    if family(left) == family(right) == "number":
        return _common_number(left, right)
    return "timestamp" if {left, right} == {"date", "timestamp"} else ""


def _common_number(left: str, right: str) -> str:
    if left in _INTEGERS and right in _INTEGERS:
        return max(left, right, key=_INTEGERS.index)
    left_digits, right_digits = decimal(left), decimal(right)
    if left_digits is None or right_digits is None:
        return "double"
    (p1, s1), (p2, s2) = left_digits, right_digits
    scale = max(s1, s2)
    return _bounded(max(p1 - s1, p2 - s2) + scale, scale)


def common_of(types: Iterable[str]) -> str:
    """The type that all can be turned into; "" when not known."""
    shared = "void"
    for kind in types:
        if not kind:
            return ""
        shared = common(shared, kind)
        if not shared:
            return ""
    return shared


def _split(text: str) -> list[str]:
    """Split at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]] if text else []


def fields(spark_type: str) -> dict[str, str]:
    """The fields of a struct: name and type."""
    if not spark_type.startswith("struct<"):
        return {}
    pairs = (part.split(":", 1) for part in _split(spark_type[7:-1]))
    return {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}


def field_of(spark_type: str, name: str) -> tuple[str, str] | None:
    """A struct's field, by name without regard to case: its own spelling and type."""
    structure = fields(spark_type)
    own = spelling(name, structure)
    return (own, structure[own]) if own is not None else None


def element(spark_type: str) -> str:
    """The type of an array's elements or of a map's values."""
    if spark_type.startswith("array<"):
        return spark_type[6:-1]
    if spark_type.startswith("map<"):
        return _split(spark_type[4:-1])[-1].strip()
    return ""

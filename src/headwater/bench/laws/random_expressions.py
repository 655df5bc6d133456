"""Random scalar expressions over typed columns, for random plans.

Domains are tiny on purpose: a few small integers, three letters, NULL in every type.  So keys collide, joins
find matches, groups appear and vanish, and duplicates are common.

With `failing`, expressions divide and cast: they fail for a zero, for a text that is no number, for a 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from headwater.algebra.expressions.build import cast, divide, number, when
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call
from headwater.algebra.expressions.types import decimal_of

__all__ = ["TYPES", "Typed", "literal", "predicate", "scalar", "value"]

TYPES = ("int", "string", "decimal(10,2)", "double", "boolean", "timestamp")
Typed = Sequence[tuple[str, str]]  # (column, type)
_START = datetime(2024, 1, 1)
_POISON: dict[str, tuple[object, tuple[object, ...]]] = {
    "int": (0, (1, 2)),
    "string": ("a", ("1", "2", "12")),
    "double": (0.0, (0.1, -0.3, 2.5)),
}  # a value that expressions fail for, and others


def value(random: Random, spark_type: str, poison: float | None = None) -> object:
    """A value of a type; NULL once in six.  `poison`: how often one that expressions fail for."""
    if random.random() < 1 / 6:
        return None
    if poison is not None and spark_type in _POISON:
        poisonous, others = _POISON[spark_type]
        return poisonous if random.random() < poison else random.choice(others)
    decimal = decimal_of(spark_type)
    if decimal is not None:
        return Decimal(random.randint(-300, 300)).scaleb(-decimal[1])
    match spark_type:
        case "string":
            return random.choice(("a", "b", "ab"))
        case "double":
            return random.choice((0.1, 0.2, -0.3, 1e9, 2.5, 0.0))
        case "boolean":
            return random.random() < 0.5
        case "timestamp":
            return _START + timedelta(seconds=random.randint(0, 12))
        case "window":
            start = _START + timedelta(seconds=random.randint(0, 3) * 2)
            return (start, start + timedelta(seconds=4))
        case _:
            return random.randint(0, 3)


def literal(random: Random, spark_type: str) -> Literal:
    drawn = value(random, spark_type)
    match drawn:
        case None | tuple():  # a struct has no literal
            return Literal(None, "NULL")
        case str():
            return Literal(drawn, f"'{drawn}'")
        case datetime():
            return Literal(drawn, f"TIMESTAMP '{drawn}'")
        case Decimal():
            return Literal(drawn, f"{drawn}BD")
        case float():
            return Literal(drawn, f"{drawn!r}D")
        case _:
            return Literal(drawn, str(drawn).upper())


def predicate(random: Random, columns: Typed, depth: int = 2, failing: float = 0.0) -> Expr:
    """A boolean expression over the columns; how often one that can fail."""
    if failing and random.random() < failing:
        compared, kind = _failing_scalar(random, columns)
        return call(random.choice(("gt", "lte", "neq")), compared, literal(random, kind))
    if depth and random.random() < 0.3:
        if random.random() < 0.3:
            return call("not", predicate(random, columns, depth - 1))
        function = random.choice(("and", "or"))
        return call(function, predicate(random, columns, depth - 1), predicate(random, columns, depth - 1))
    name, kind = random.choice(columns)
    column = Column(name)
    if kind == "window":
        return call("not", call("is_null", column))
    match random.randrange(6):
        case 0:
            return call("is_null", column)
        case 1:
            items = tuple(literal(random, kind) for _ in range(2))
            return Call("in", (column, *items), "({0} IN ({1}, {2}))")
        case 2:
            bounds = (literal(random, kind), literal(random, kind))
            return Call("between", (column, *bounds), "({0} BETWEEN {1} AND {2})")
        case 3 if kind == "string":
            return Call("like", (column, Literal("a%", "'a%'")), "({0} LIKE {1})")
        case _:
            comparison = random.choice(("eq", "neq", "lt", "lte", "gt", "gte", "nulleq"))
            return call(comparison, column, _same_type(random, columns, kind))


def _same_type(random: Random, columns: Typed, kind: str) -> Expr:
    others = [name for name, other in columns if other == kind]
    return Column(random.choice(others)) if random.random() < 0.5 else literal(random, kind)


def scalar(random: Random, columns: Typed, failing: float = 0.0) -> tuple[Expr, str]:
    """An expression over the columns, with its type; how often one that can fail."""
    if failing and random.random() < failing:
        return _failing_scalar(random, columns)
    name, kind = random.choice(columns)
    column = Column(name)
    roll = random.randrange(7)
    if kind == "int" and roll < 3:
        function = random.choice(("add", "sub", "mul"))
        return Call(
            "mod", (call(function, column, _same_type(random, columns, kind)), Literal(7, "7")), "({0} % {1})"
        ), kind
    if kind == "string" and roll < 2:
        return call(random.choice(("upper", "lower")), column), kind
    if kind == "timestamp" and roll < 2:
        return call("second", column), "int"
    if roll == 3 and kind != "window":
        return when(predicate(random, columns, 1), column), kind
    if roll == 4 and kind != "window":
        return call("coalesce", column, literal(random, kind)), kind
    if roll == 5 and kind == "int":
        return cast(column, "decimal(10,2)"), "decimal(10,2)"
    return column, kind


def _failing_scalar(random: Random, columns: Typed) -> tuple[Expr, str]:
    """One that fails for some values, perhaps protected from them."""
    name, kind = random.choice([pair for pair in columns if pair[1] in _POISON] or [("", "")])
    column = Column(name)
    match kind, random.randrange(4):
        case "int", 0:
            return divide(number(100), column), "double"
        case "int", 1:
            return call("mod", number(7), column), "int"
        case "int", 2:
            return when(call("neq", column, number(0)), divide(number(6), column)), "double"
        case "int", _:
            return Call("int_div", (number(6), column), "({0} DIV {1})"), "int"
        case "string", 0:
            return Call("try_cast", (column,), "try_cast({0} AS INT)"), "int"
        case "string", _:
            return cast(column, "int"), "int"
        case "double", _:
            return divide(Literal(1.0, "1.0D"), column), "double"
        case _:
            return divide(number(1), number(random.choice((0, 1, 2)))), "double"

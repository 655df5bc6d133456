"""Random scalar expressions over typed columns, for random plans.

Domains are tiny on purpose: a few small integers, three letters, NULL in every type.  So keys collide,
joins find partners, groups appear and vanish, and duplicates are common.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from headwater.algebra.build import cast, when
from headwater.algebra.expressions import Call, Column, Expr, Literal, call
from headwater.algebra.types import decimal_of

__all__ = ["TYPES", "Typed", "literal", "predicate", "scalar", "value"]

TYPES = ("int", "string", "decimal(10,2)", "double", "boolean", "timestamp")
Typed = Sequence[tuple[str, str]]  # (column, type)
_START = datetime(2024, 1, 1)


def value(random: Random, spark_type: str) -> object:
    """A value of a type; NULL once in six."""
    if random.random() < 1 / 6:
        return None
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
    chosen = value(random, spark_type)
    match chosen:
        case None | tuple():  # a struct has no literal
            return Literal(None, "NULL")
        case str():
            return Literal(chosen, f"'{chosen}'")
        case datetime():
            return Literal(chosen, f"TIMESTAMP '{chosen}'")
        case Decimal():
            return Literal(chosen, f"{chosen}BD")
        case float():
            return Literal(chosen, f"{chosen!r}D")
        case _:
            return Literal(chosen, str(chosen).upper())


def predicate(random: Random, columns: Typed, depth: int = 2) -> Expr:
    """A boolean expression over the columns."""
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


def scalar(random: Random, columns: Typed) -> tuple[Expr, str]:
    """An expression over the columns, with its type."""
    name, kind = random.choice(columns)
    column = Column(name)
    choice = random.randrange(7)
    if kind == "int" and choice < 3:
        function = random.choice(("add", "sub", "mul"))
        return Call(
            "mod", (call(function, column, _same_type(random, columns, kind)), Literal(7, "7")), "({0} % {1})"
        ), kind
    if kind == "string" and choice < 2:
        return call(random.choice(("upper", "lower")), column), kind
    if kind == "timestamp" and choice < 2:
        return call("second", column), "int"
    if choice == 3 and kind != "window":
        return when(predicate(random, columns, 1), column), kind
    if choice == 4 and kind != "window":
        return call("coalesce", column, literal(random, kind)), kind
    if choice == 5 and kind == "int":
        return cast(column, "decimal(10,2)"), "decimal(10,2)"
    return column, kind

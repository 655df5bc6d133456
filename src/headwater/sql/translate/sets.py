"""UNION ALL, UNION, INTERSECT and EXCEPT.

INTERSECT and EXCEPT treat NULLs as equal, which joins do not; groups do.  So rows of both sides are put
together with a mark, grouped by all columns, and a group stays if it has rows on the right sides:

    a INTERSECT b    left > 0 and right > 0          a EXCEPT b    left > 0 and right = 0

With ALL a row comes out several times: as often as on the side with fewer, or as often as there are more on
the left.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call
from headwater.algebra.plans.nodes import Aggregate, AggregateCall, Explode, Filter, Plan, Project, Union
from headwater.sql.translate.env import Env
from headwater.sql.translate.modifiers import modified
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.scalars.clashes import check_distinct, check_union
from headwater.sql.translate.scalars.operators import cast_to
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import common_of
from headwater.sql.translate.select import distinct

__all__ = ["translate_set"]

_ONE, _NULL = Literal(1, "1"), Literal(None, "CAST(NULL AS INT)")


def translate_set(node: exp.Expr, env: Env) -> Rows:
    """The rows of a set operation."""
    inner = replace(env, predicate=False)
    match node:
        case exp.Union():
            queries = _branches(node)
        case _:
            queries = [node.this, node.expression]
    sides = [env.query(query, inner) for query in queries]
    if any(side.correlated for side in sides):
        env.notes.obstacle(node, "a set operation that names the query around it has no delta rule")
    sides = _aligned(sides, node, env)
    if any(side.open for side in sides):
        env.notes.obstacle(node, "a set operation on columns that are not known has no delta rule")
        return sides[0]
    return modified(node, _operate(node, sides, env), env)


def _operate(node: exp.Expr, sides: list[Rows], env: Env) -> Rows:
    if isinstance(node, exp.Union):
        rows = _union(sides, env)
        return distinct(rows, node, env) if node.args.get("distinct") and not env.predicate else rows
    return _marked(sides, node, env, isinstance(node, exp.Intersect), copies=not node.args.get("distinct"))


def _branches(node: exp.Expr) -> list[exp.Expr]:
    """a UNION ALL b UNION ALL c as [a, b, c]; a DISTINCT above makes one below needless."""
    branches: list[exp.Expr] = []
    for side in (node.this, node.expression):
        bare = side
        same = isinstance(bare, exp.Union) and not bare.args.get("by_name")
        plain = (
            same
            and not node.args.get("by_name")
            and not any(bare.args.get(clause) for clause in ("order", "limit", "offset", "with_"))
        )
        if plain and (node.args.get("distinct") or not bare.args.get("distinct")):
            branches += _branches(bare)
        else:
            branches.append(side)
    return branches


def _aligned(sides: list[Rows], node: exp.Expr, env: Env) -> list[Rows]:
    """All sides with the columns of the first, in number and type."""
    first = sides[0].visible
    if node.args.get("by_name"):
        env.notes.fail(
            "HW113", node.expression, f"Spark has no {node.key.upper()} BY NAME",
            hint="list the columns in the same order on both sides",
        )  # fmt: skip
    for side in sides[1:]:
        if len(side.visible) != len(first) and not any(side.open for side in sides):
            env.notes.fail(
                "HW307",
                node.expression,
                f"{node.key.upper()} of {len(first)} columns with {len(side.visible)}",
                hint="all parts must have the same number of columns",
            )
    types = _types(sides, node, env)
    return [_cast(side, types) for side in sides]


def _types(sides: list[Rows], node: exp.Expr, env: Env) -> list[str]:
    types: list[str] = []
    for columns in zip(*(side.visible for side in sides), strict=False):
        for other in columns[1:]:
            check_union(env.notes, node, columns[0].name, columns[0].value.type, other.value.type)
        types.append(common_of(column.value.type for column in columns))
    return types


def _cast(rows: Rows, types: list[str]) -> Rows:
    fields = tuple(
        replace(
            field,
            value=cast_to(field.value, kind)
            if kind not in ("", "void") and field.value.type
            else field.value,
        )
        for field, kind in zip(rows.visible, types, strict=False)
    )
    return replace(rows, fields=fields)


def _union(sides: list[Rows], env: Env) -> Rows:
    names = env.column_names([field.name for field in sides[0].visible])
    inputs = tuple(_under(side, names) for side in sides)
    return Rows(Union(inputs), _fields(sides, names))


def _under(rows: Rows, names: list[str], *marks: tuple[str, Expr]) -> Plan:
    items = tuple((name, field.value.expr) for name, field in zip(names, rows.visible, strict=True))
    return Project(rows.plan, (*items, *marks))


def _fields(sides: list[Rows], names: list[str]) -> tuple[Field, ...]:
    """The columns, named as on the first side; nullable if they are on any side."""
    fields = []
    positions = zip(*(side.visible for side in sides), strict=True)
    for name, columns in zip(names, positions, strict=True):
        kinds = {column.value.type for column in columns}
        kind = kinds.pop() if len(kinds) == 1 else ""
        value = Typed(Column(name), kind, any(column.value.nullable for column in columns))
        fields.append(replace(columns[0], qualifier="", value=value))
    return tuple(fields)


def _marked(sides: list[Rows], node: exp.Expr, env: Env, keep_common: bool, copies: bool) -> Rows:
    check_distinct(env.notes, node, ((field.name, field.value.type) for field in sides[0].visible))
    names = env.column_names([*(field.name for field in sides[0].visible), "in_left", "in_right"])
    columns, (left, right) = names[:-2], names[-2:]
    both = Union((
        _under(sides[0], columns, (left, _ONE), (right, _NULL)),
        _under(sides[1], columns, (left, _NULL), (right, _ONE)),
    ))  # fmt: skip
    counts = tuple(
        AggregateCall(mark, "count", (Column(mark),), "count({0})", type="int") for mark in (left, right)
    )
    groups = Aggregate(both, tuple((column, Column(column)) for column in columns), counts)
    if copies:
        return Rows(_copies(groups, columns, left, right, keep_common, env), _fields(sides, columns))
    zero = Literal(0, "0")
    on_right = call("gt" if keep_common else "eq", Column(right), zero)
    plan = Filter(groups, call("and", call("gt", Column(left), zero), on_right))
    return Rows(plan, _fields(sides, columns))


def _copies(groups: Plan, columns: list[str], left: str, right: str, keep_common: bool, env: Env) -> Plan:
    """Each group as often as its counts say."""
    counts = (Column(left), Column(right))
    number = call("least", *counts) if keep_common else call("sub", *counts)
    times = Call("cast", (number,), "CAST({0} AS INT)")
    generator = call("explode", call("array_repeat", _ONE, call("greatest", times, Literal(0, "0"))))
    (copy,) = env.column_names(["copy"], groups)
    return Project(Explode(groups, (copy,), generator), tuple((column, Column(column)) for column in columns))

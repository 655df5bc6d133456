"""UNION ALL, UNION, INTERSECT and EXCEPT.

INTERSECT and EXCEPT treat NULLs as equal, which joins do not; groups do.  So rows of both sides are put
together with a mark, grouped by all columns, and a group stays if it has rows on the right sides:

    a INTERSECT b    left > 0 and right > 0          a EXCEPT b    left > 0 and right = 0
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions import Column, Expr, Literal, call
from headwater.algebra.nodes import Aggregate, AggregateCall, Filter, Plan, Project, Union
from headwater.sql.translate.clashes import check_union
from headwater.sql.translate.env import Env
from headwater.sql.translate.modifiers import check_modifiers
from headwater.sql.translate.operators import cast_to
from headwater.sql.translate.scope import Field, Rows, Typed
from headwater.sql.translate.select import distinct
from headwater.sql.translate.types import common_of

__all__ = ["translate_set"]

_ONE, _NULL = Literal(1, "1"), Literal(None, "CAST(NULL AS INT)")


def translate_set(node: exp.Expr, env: Env) -> Rows:
    """The rows of a set operation."""
    inner = replace(env, predicate=False)
    match node:
        case exp.Union():
            sides = [env.query(one, inner) for one in _branches(node)]
        case _:
            sides = [env.query(one, inner) for one in (node.this, node.expression)]
    if any(one.correlated for one in sides):
        env.notes.obstacle(node, "a set operation that names the query around it has no delta rule")
    sides = _aligned(sides, node, env)
    if any(one.open for one in sides):
        env.notes.obstacle(node, "a set operation on columns that are not known has no delta rule")
        return sides[0]
    result = _operate(node, sides, env)
    check_modifiers(node, result, result, env)
    return result


def _operate(node: exp.Expr, sides: list[Rows], env: Env) -> Rows:
    if isinstance(node, exp.Union):
        rows = _union(sides, env)
        return distinct(rows, node, env) if node.args.get("distinct") and not env.predicate else rows
    if not node.args.get("distinct"):
        env.notes.obstacle(node, f"{node.key.upper()} ALL has no delta rule")
    return _marked(sides, env, keep_common=isinstance(node, exp.Intersect))


def _branches(node: exp.Expr) -> list[exp.Expr]:
    """a UNION ALL b UNION ALL c as [a, b, c]; a DISTINCT above makes one below needless."""
    found: list[exp.Expr] = []
    for side in (node.this, node.expression):
        bare = side
        same = isinstance(bare, exp.Union) and not bare.args.get("by_name") and not node.args.get("by_name")
        plain = same and not any(bare.args.get(one) for one in ("order", "limit", "offset", "with_"))
        if plain and (node.args.get("distinct") or not bare.args.get("distinct")):
            found += _branches(bare)
        else:
            found.append(side)
    return found


def _visible(rows: Rows) -> list[Field]:
    return [one for one in rows.fields if not one.hidden]


def _aligned(sides: list[Rows], node: exp.Expr, env: Env) -> list[Rows]:
    """All sides with the columns of the first, in number, order (BY NAME) and type."""
    first = _visible(sides[0])
    if node.args.get("by_name"):
        sides = [sides[0], *(_by_name(one, first, node, env) for one in sides[1:])]
    for one in sides[1:]:
        if len(_visible(one)) != len(first) and not any(side.open for side in sides):
            env.notes.fail(
                "HW307",
                node.expression,
                f"{node.key.upper()} of {len(first)} columns with {len(_visible(one))} columns",
                hint="all parts must have the same number of columns",
            )
    types = _types(sides, node, env)
    return [_cast(one, types) for one in sides]


def _by_name(rows: Rows, first: list[Field], node: exp.Expr, env: Env) -> Rows:
    named = {one.name.lower(): one for one in _visible(rows)}
    missing = [one.name for one in first if one.name.lower() not in named]
    if missing or len(named) != len(first):
        env.notes.fail(
            "HW307", node.expression, f"UNION BY NAME: no column {', '.join(missing) or 'to match'}"
        )
    return replace(rows, fields=tuple(named[one.name.lower()] for one in first))


def _types(sides: list[Rows], node: exp.Expr, env: Env) -> list[str]:
    types: list[str] = []
    for columns in zip(*(_visible(one) for one in sides), strict=False):
        for other in columns[1:]:
            check_union(env.notes, node, columns[0].name, columns[0].value.type, other.value.type)
        types.append(common_of(one.value.type for one in columns))
    return types


def _cast(rows: Rows, types: list[str]) -> Rows:
    fields = tuple(
        replace(
            one, value=cast_to(one.value, kind) if kind not in ("", "void") and one.value.type else one.value
        )
        for one, kind in zip(_visible(rows), types, strict=False)
    )
    return replace(rows, fields=fields)


def _union(sides: list[Rows], env: Env) -> Rows:
    names = env.column_names([one.name for one in _visible(sides[0])])
    inputs = tuple(_under(one, names) for one in sides)
    return Rows(Union(inputs), _fields(sides, names))


def _under(rows: Rows, names: list[str], *marks: tuple[str, Expr]) -> Plan:
    items = tuple((name, one.value.expr) for name, one in zip(names, _visible(rows), strict=True))
    return Project(rows.plan, (*items, *marks))


def _fields(sides: list[Rows], names: list[str]) -> tuple[Field, ...]:
    """Named as in the first side; NULL if any side may be."""
    fields = []
    for name, columns in zip(names, zip(*(_visible(one) for one in sides), strict=True), strict=True):
        kinds = {one.value.type for one in columns}
        kind = kinds.pop() if len(kinds) == 1 else ""
        value = Typed(Column(name), kind, any(one.value.nullable for one in columns))
        fields.append(replace(columns[0], qualifier="", value=value))
    return tuple(fields)


def _marked(sides: list[Rows], env: Env, keep_common: bool) -> Rows:
    names = env.column_names([*(one.name for one in _visible(sides[0])), "in_left", "in_right"])
    columns, (left, right) = names[:-2], names[-2:]
    both = Union((
        _under(sides[0], columns, (left, _ONE), (right, _NULL)),
        _under(sides[1], columns, (left, _NULL), (right, _ONE)),
    ))  # fmt: skip
    counts = tuple(
        AggregateCall(one, "count", (Column(one),), "count({0})", type="int") for one in (left, right)
    )
    groups = Aggregate(both, tuple((one, Column(one)) for one in columns), counts)
    zero = Literal(0, "0")
    on_right = call("gt" if keep_common else "eq", Column(right), zero)
    plan = Filter(groups, call("and", call("gt", Column(left), zero), on_right))
    return Rows(plan, _fields(sides, columns))

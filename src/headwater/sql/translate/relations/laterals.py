"""What is made of each row: LATERAL VIEW explode(x), LATERAL (SELECT ...), VALUES beside a relation.

A generator is an Explode.  A subquery after LATERAL is joined by the conditions in which it names the rows
before it; one that always has a row (an aggregate without GROUP BY) keeps those rows.  VALUES are a few
constant rows that are made of each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions.build import TRUE, number, when
from headwater.algebra.expressions.tree import (
    Call,
    Column,
    Expr,
    Literal,
    columns_of,
    conjunction,
    equal,
    rename,
    slots,
)
from headwater.algebra.plans.nodes import Explode, JoinKind, OuterJoin, Plan, Project
from headwater.sql.translate.env import Env
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.passes.pushing import combine, push_filter
from headwater.sql.translate.relations.conjuncts import split_and
from headwater.sql.translate.relations.correlation import bind_outer, pulled
from headwater.sql.translate.relations.joins import outer_of
from headwater.sql.translate.relations.lateral_generators import is_generator, lines_of, with_generator
from headwater.sql.translate.relations.scope import Field, Rows, requalify
from headwater.sql.translate.scalars.operators import cast_to
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import common_of, element, family, fields

__all__ = ["explode_rows", "lateral_join", "lateral_view", "stack", "values_join"]


def explode_rows(
    rows: Rows, node: exp.Expr, names: list[str], outer: bool, env: Env
) -> tuple[Rows, tuple[Typed, ...]] | None:
    """The rows with what a generator makes of each, and its columns.

    None if their number is not known, or if it is made of what the query around names.
    """
    function = node.name.lower()
    outer = outer or function.endswith("_outer")
    function = function.removesuffix("_outer")
    values = env.expressions(rows, "LATERAL VIEW").several(node.expressions)
    names = names or _own_names(function, values)
    if not names or any(not columns_of(value.expr) <= set(rows.plan.columns) for value in values):
        return None
    generator = Call(function, tuple(value.expr for value in values), f"{function}({slots(len(values))})")
    prefix = env.notes.alias("made")
    columns = tuple(f"{prefix}.{name}" for name in names)
    types = _types(function, values, len(names))
    plan = Explode(rows.plan, columns, generator, outer)
    made = tuple(Typed(Column(column), kind) for column, kind in zip(columns, types, strict=True))
    return replace(rows, plan=plan, single=False), made


def _own_names(function: str, values: tuple[Typed, ...]) -> list[str]:
    """The names that Spark gives the columns of a generator; none where they are not known."""
    kind = values[0].type if values else ""
    is_map = family(kind) == "map"
    match function:
        case "explode":
            return ["key", "value"] if is_map else ["col"]
        case "posexplode":
            return ["pos", "key", "value"] if is_map else ["pos", "col"]
        case "json_tuple":
            return [f"c{place}" for place in range(len(values) - 1)]
        case "stack" if isinstance(values[0].expr, Literal) and isinstance(values[0].expr.value, int):
            return [f"col{place}" for place in range(-(-(len(values) - 1) // max(values[0].expr.value, 1)))]
        case "inline":
            return list(fields(element(kind)))
        case _:
            return []


def _types(function: str, values: tuple[Typed, ...], width: int) -> list[str]:
    kind = values[0].type if values else ""
    if function == "json_tuple":
        return ["string"] * width
    if function == "inline":
        types = list(fields(element(kind)).values())
        return types if len(types) == width else [""] * width
    if function == "explode" and width == 1:
        return [element(kind)]
    if function == "posexplode" and width == 2:
        return ["int", element(kind)]
    if function == "stack":
        cells = values[1:]
        return [common_of(cell.type for cell in cells[place::width]) for place in range(width)]
    return [""] * width


def lateral_view(rows: Rows, node: exp.Expr, env: Env, outer: bool = False) -> Rows | None:
    """LATERAL VIEW [OUTER] explode(x) t AS c."""
    alias = node.args.get("alias")
    names = [column.name for column in (alias.args.get("columns") or ())] if alias is not None else []
    if not is_generator(node.this):
        return None
    exploded = explode_rows(rows, node.this, names, outer or bool(node.args.get("outer")), env)
    if exploded is None:
        return None
    wide, made = exploded
    shown = names or [value.expr.name.rsplit(".", 1)[-1] for value in made if isinstance(value.expr, Column)]
    fields = tuple(Field(node.alias, name, value) for name, value in zip(shown, made, strict=True))
    return replace(wide, fields=(*rows.fields, *fields))


def lateral_join(rows: Rows, join: exp.Expr, env: Env) -> Rows | None:
    """t JOIN LATERAL (SELECT ...) or LATERAL explode(...), inner or left; None for what has no delta rule."""
    join = with_generator(join)
    node = join.this
    side = str(join.args.get("side") or "")
    if side not in ("", "LEFT"):
        return None
    if not isinstance(node.this, exp.Subquery):
        return _generated(rows, join, env, side)
    lines, names = lines_of(node.this) or ([], [])
    if len(lines) > 1 and all(names := _names(node) or names) and (not side or _always(join)):
        return _on(_stacked(rows, node, lines, names, env), join, env)
    inner = env.query(node.this.this, env.below(node.alias or "lateral", env.scope(rows)))
    inner = bind_outer(inner, rows.plan, env.notes.alias)
    inner = requalify(inner, node.alias, _names(node))
    if inner.open or not _fits(rows, inner):
        return None
    if inner.single:
        return _single(rows, inner, join, env)
    return _left(rows, inner, join, env) if side == "LEFT" else _inner(rows, inner, join, env)


def _generated(rows: Rows, join: exp.Expr, env: Env, side: str) -> Rows | None:
    """t JOIN LATERAL explode(x) AS u(y); a left join keeps the rows of which nothing is made."""
    if side == "LEFT":
        return lateral_view(rows, join.this, env, outer=True) if _always(join) else None
    wide = lateral_view(rows, join.this, env)
    return None if wide is None else _on(wide, join, env)


def _always(join: exp.Expr) -> bool:
    """LEFT JOIN ... ON true."""
    on = join.args.get("on")
    return on is None or (isinstance(on, exp.Boolean) and bool(on.this))


def _names(node: exp.Expr) -> list[str] | None:
    alias = node.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return [column.name for column in columns] if columns else None


def _fits(rows: Rows, inner: Rows) -> bool:
    known = set(rows.plan.columns) | set(inner.plan.columns)
    return all(columns_of(condition) <= known for condition in inner.correlated)


def _single(rows: Rows, inner: Rows, join: exp.Expr, env: Env) -> Rows | None:
    """One row for each row, always."""
    pairs = pulled(inner)
    if pairs is None:
        return None
    if not pairs:
        return _beside(rows, combine(rows.plan, inner.plan), inner.fields, join, env)
    empty: dict[str, Expr] = dict(inner.empty)
    fields = tuple(
        replace(field, value=replace(field.value, expr=rename(field.value.expr, empty), nullable=True))
        for field in inner.fields
    )
    keys = tuple((outer, own) for own, outer in pairs)
    plan = OuterJoin(rows.plan, inner.plan, JoinKind.LEFT, keys)
    return _beside(rows, plan, fields, join, env)


def _beside(rows: Rows, plan: Plan, fields: tuple[Field, ...], join: exp.Expr, env: Env) -> Rows:
    """Rows that all have one beside them; where a left join's condition does not hold, that is NULL."""
    wide = replace(rows, plan=plan, fields=rows.fields + fields)
    if str(join.args.get("side") or "") != "LEFT":
        return _on(wide, join, env)
    gathered = Gathered()
    reader = env.expressions(wide, "ON", gathered=gathered)
    on = conjunction(tuple(reader.condition(part).expr for part in split_and(join.args.get("on"))))
    if on is None or on == TRUE:
        return wide
    shown = (
        replace(field, value=replace(field.value, expr=when(on, field.value.expr), nullable=True))
        for field in fields
    )
    return replace(wide, plan=gathered.join(plan), fields=(*rows.fields, *shown))


def _left(rows: Rows, inner: Rows, join: exp.Expr, env: Env) -> Rows:
    """Where nothing matches, a mark is NULL; so is then every field, even one that names the rows before."""
    mark = f"{env.notes.alias('lateral')}.there"
    columns = tuple((name, Column(name)) for name in inner.plan.columns)
    marked = Project(inner.plan, (*columns, (mark, TRUE)))
    reader = env.expressions(Rows(combine(rows.plan, marked), rows.fields + inner.fields), "ON")
    on = [reader.condition(part).expr for part in split_and(join.args.get("on"))]
    plan = outer_of(rows.plan, marked, [*inner.correlated, *on], JoinKind.LEFT)
    fields = (replace(field, value=_where(mark, field.value, inner.plan)) for field in inner.fields)
    return replace(rows, plan=plan, fields=(*rows.fields, *fields))


def _where(mark: str, value: Typed, plan: Plan) -> Typed:
    if isinstance(value.expr, Column) and value.expr.name in plan.columns:
        return replace(value, nullable=True)
    return replace(value, expr=when(Column(mark), value.expr), nullable=True)


def _inner(rows: Rows, inner: Rows, join: exp.Expr, env: Env) -> Rows:
    plan = combine(rows.plan, inner.plan)
    for condition in inner.correlated:
        plan = push_filter(plan, condition)
    return _on(replace(rows, plan=plan, fields=rows.fields + inner.fields), join, env)


def _on(rows: Rows, join: exp.Expr, env: Env) -> Rows:
    """The rows for which the join's condition holds."""
    gathered = Gathered()
    reader = env.expressions(rows, "ON", gathered=gathered)
    conditions = [reader.condition(part).expr for part in split_and(join.args.get("on"))]
    plan = gathered.join(rows.plan)
    for name in join.args.get("using") or ():
        named = [field.value.expr for field in rows.fields if field.name.lower() == name.name.lower()]
        conditions += [equal(named[0], other) for other in named[1:]]
    for condition in conditions:
        plan = push_filter(plan, condition)
    return replace(rows, plan=plan)


def values_join(rows: Rows, join: exp.Expr, env: Env) -> Rows | None:
    """t JOIN VALUES (1, 'a'), (2, 'b') AS v(a, b) ON ...: each row with each of the constant rows."""
    node = join.this
    lines = [line.expressions if isinstance(line, exp.Tuple) else [line] for line in node.expressions]
    if join.args.get("side") or join.args.get("using") or join.args.get("method"):
        return None
    if str(join.args.get("kind") or "") not in ("", "INNER", "CROSS"):
        return None
    if not lines or len({len(line) for line in lines}) != 1 or not lines[0]:
        return None
    names = _names(node) or [f"col{place + 1}" for place in range(len(lines[0]))]
    beside = _stacked(replace(rows, fields=()), node, lines, names, env)
    return _on(replace(beside, fields=(*rows.fields, *beside.fields)), join, env)


def _stacked(rows: Rows, node: exp.Expr, lines: list[list[exp.Expr]], names: list[str], env: Env) -> Rows:
    """Each row with each of these lines of values beside it."""
    if len({len(line) for line in lines} | {len(names)}) > 1:
        env.notes.fail("HW307", node, "the parts of this LATERAL have different numbers of columns")
    values = env.expressions(rows, "LATERAL").several([cell for line in lines for cell in line])
    generator, types = stack(values, len(names))
    prefix = env.notes.alias(node.alias or "values")
    columns = tuple(f"{prefix}.{name}" for name in names)
    fields = tuple(
        Field(node.alias, name, Typed(Column(column), kind))
        for name, column, kind in zip(names, columns, types, strict=True)
    )
    return replace(
        rows,
        plan=Explode(rows.plan, columns, generator),
        fields=(*rows.fields, *fields),
        single=False,
    )


def stack(values: Sequence[Typed], width: int) -> tuple[Expr, list[str]]:
    """Lines of values as a generator, and the types of their columns, which Spark wants to be equal."""
    types = [common_of(value.type for value in values[place::width]) for place in range(width)]
    cells = [_as(value, types[at % width]) for at, value in enumerate(values)]
    arguments = (number(len(values) // width), *cells)
    return Call("stack", arguments, f"stack({slots(len(arguments))})"), types


def _as(value: Typed, kind: str) -> Expr:
    unknown = {kind, value.type} & {"", "void"}
    return value.expr if unknown or value.type == kind else cast_to(value, kind).expr

"""Relations without a table: a SELECT without FROM, VALUES, range(1, 10), explode(...) in FROM.

All of them are made of one row that is always there.  An aggregate without GROUP BY has such a row, even over
nothing; so that is what it is, and no rule need know of it:

    SELECT explode(sequence(1, 3)) AS n        Explode of Aggregate [] [count(1)] of Filter [FALSE] of Scan r

The relation r is the first that the view reads; nothing of it is looked at.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions.build import FALSE
from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, Literal
from headwater.algebra.plans.nodes import Aggregate, Explode, Filter, Plan, Scan
from headwater.algebra.plans.walks import rewrite_up
from headwater.sql.translate.env import Env
from headwater.sql.translate.relations.lateral_generators import is_generator
from headwater.sql.translate.relations.laterals import explode_rows, stack
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["constant_rows", "one_row", "over_relation", "table_function"]

_NOTHING = ""  # the relation below one row, until it is known which the view reads


def one_row(env: Env) -> Rows:
    """One row without columns."""
    name = env.notes.alias("one")
    count = AggregateCall(f"{name}.rows", "count", (), "count(1)")
    return Rows(Aggregate(Filter(Scan(_NOTHING, name, ()), FALSE), (), (count,)), ())


def over_relation(plan: Plan, relation: str) -> Plan:
    """The plan whose constant relations stand over this one."""

    def step(node: Plan) -> Plan:
        nothing = isinstance(node, Scan) and node.relation == _NOTHING
        return Scan(relation, node.alias, ()) if isinstance(node, Scan) and nothing else node

    return rewrite_up(plan, step)


def constant_rows(node: exp.Expr, env: Env) -> Rows:
    """VALUES (1, 'a'), (2, 'b') AS v(a, b)."""
    lines = [line.expressions if isinstance(line, exp.Tuple) else [line] for line in node.expressions]
    if not all(lines) or not lines:
        env.notes.fail("HW113", node, "these VALUES have no columns")
    if len({len(line) for line in lines}) != 1:
        env.notes.fail("HW307", node, "the rows of VALUES have different numbers of columns")
    start = one_row(env)
    values = env.expressions(start, "VALUES").several([cell for line in lines for cell in line])
    return _made(start, node, env, *stack(values, len(lines[0])))


def table_function(node: exp.Expr, env: Env) -> Rows | None:
    """range(...), explode(...) and their like in FROM; None for others."""
    call = node.this
    if is_generator(call):
        exploded = explode_rows(one_row(env), call, _names(node), False, env)
        if exploded is None:
            return None
        rows, made = exploded
        names = _names(node) or [_last(value.expr) for value in made]
        fields = tuple(Field(node.alias, name, value) for name, value in zip(names, made, strict=False))
        return Rows(rows.plan, fields)
    return _range(node, env) if call.name.lower() == "range" else None


def _range(node: exp.Expr, env: Env) -> Rows | None:
    """range(n), range(a, b), range(a, b, step) of whole numbers: b is not in it."""
    start = one_row(env)
    values = [value.expr for value in env.expressions(start, "FROM").several(node.this.expressions)]
    numbers = [value.value for value in values if isinstance(value, Literal) and type(value.value) is int]
    if len(numbers) != len(values) or len(numbers) not in (1, 2, 3):
        return None
    low, high, step = (0, *numbers, 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    last = high - 1 if step > 0 else high + 1
    empty = step == 0 or (last - low) * step < 0
    ends = "array()" if empty else f"sequence({low}L, {last}L, {step}L)"
    made = Call("sequence", (), "CAST(array() AS ARRAY<BIGINT>)" if empty else ends)
    return _made(start, node, env, Call("explode", (made,), "explode({0})"), ["bigint"], ["id"])


def _made(
    start: Rows, node: exp.Expr, env: Env, generator: Expr, types: list[str], names: list[str] | None = None
) -> Rows:
    given = _names(node) or names or [f"col{place + 1}" for place in range(len(types))]
    if len(given) != len(types):
        env.notes.fail("HW325", node, f"{len(types)} columns have {len(given)} names")
    prefix = env.notes.alias(node.alias or "values")
    columns = tuple(f"{prefix}.{name}" for name in given)
    fields = tuple(
        Field(node.alias, name, Typed(Column(column), kind))
        for name, column, kind in zip(given, columns, types, strict=True)
    )
    return Rows(Explode(start.plan, columns, generator), fields)


def _names(node: exp.Expr) -> list[str]:
    alias = node.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return [column.name for column in columns or ()]


def _last(expr: Expr) -> str:
    return expr.name.rsplit(".", 1)[-1] if isinstance(expr, Column) else ""

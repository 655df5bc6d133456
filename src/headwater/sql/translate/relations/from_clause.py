"""FROM: relations, subqueries and common table expressions, and the joins between them."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import Plan, Scan
from headwater.sql.translate.env import Env
from headwater.sql.translate.relations.constants import constant_rows, one_row, table_function
from headwater.sql.translate.relations.joins import join, settle_constants
from headwater.sql.translate.relations.laterals import lateral_join, lateral_view, values_join
from headwater.sql.translate.relations.pivots import pivoted
from headwater.sql.translate.relations.scope import Field, Rows, requalify
from headwater.sql.translate.scalars.spark_functions import TABLE_FUNCTIONS
from headwater.sql.translate.scalars.typed import Typed

__all__ = ["from_clause"]


def from_clause(node: exp.Expr, env: Env) -> Rows:
    """The rows that a SELECT starts from."""
    start = node.args.get("from_")
    if start is None:
        return one_row(env)
    rows = _values_first(start.this, node, env) or _joined(
        from_item(start.this, env), node.args.get("joins") or (), env
    )
    rows = replace(rows, single=False, empty=())
    for lateral in node.args.get("laterals") or ():
        rows = _lateral_view(rows, lateral, env)
    _sample(node.args.get("sample"), env)
    return rows


def _values_first(first: exp.Expr, node: exp.Expr, env: Env) -> Rows | None:
    """FROM VALUES ... JOIN t: the same as t JOIN VALUES ..., if it is an inner join."""
    joins = node.args.get("joins") or []
    starred = any(part.find(exp.Star) is not None for part in node.expressions)
    if not isinstance(first, exp.Values) or not joins or starred:
        return None
    if not isinstance(joins[0].this, exp.Table) or joins[0].args.get("side"):
        return None
    turned = joins[0].copy()
    turned.set("this", first.copy())
    rows = values_join(from_item(joins[0].this, env), turned, env)
    return None if rows is None else _joined(rows, joins[1:], env)


def _joined(rows: Rows, joins: list[exp.Expr] | tuple[()], env: Env) -> Rows:
    for node in joins:
        beside = _beside(rows, node, env)
        rows = join(rows, from_item(node.this, env), node, env) if beside is None else beside
    return rows


def _beside(rows: Rows, node: exp.Expr, env: Env) -> Rows | None:
    """What is made of the rows before it: LATERAL, VALUES."""
    match node.this:
        case exp.Lateral():
            return lateral_join(rows, node, env)
        case exp.Values():
            return values_join(rows, node, env)
        case _:
            return None


def from_item(node: exp.Expr, env: Env) -> Rows:
    """One item of FROM, with the alias it is given."""
    match node:
        case exp.Table():
            rows = _table(node, env)
        case exp.Subquery():
            rows = _subquery(node, env)
        case exp.Lateral():
            rows = _unknown_rows(node, "a LATERAL subquery has no delta rule", env)
        case exp.Values():
            rows = constant_rows(node, env)
        case exp.Unnest():
            env.notes.fail("HW323", node, "Spark has no UNNEST", hint="write LATERAL explode(...) AS t(x)")
        case _:
            rows = _unknown_rows(node, "this kind of table has no delta rule", env)
    if node.args.get("pivots"):
        rows = _pivoted(rows, node.args["pivots"], env)
    _sample(node.args.get("sample"), env)
    return rows


def _pivoted(rows: Rows, nodes: list[exp.Expr], env: Env) -> Rows:
    for node in nodes:
        made = pivoted(rows, node, env)
        if made is None:
            env.notes.obstacle(node, "this form of PIVOT or UNPIVOT has no delta rule")
            return replace(rows, open=True)
        rows = requalify(made, node.alias) if node.alias else made
    return rows


def _table(node: exp.Table, env: Env) -> Rows:
    if isinstance(node.this, exp.Anonymous):
        return _joined(_function(node, env), node.args.get("joins") or (), env)
    if node.args.get("version"):
        env.notes.fail(
            "HW320", node, "a view always reads its relations as of its own time, not AS OF another"
        )
    name = ".".join(part.name for part in node.parts)
    alias = node.alias or node.parts[-1].name
    cte = env.ctes.get(name.lower())
    if cte is not None:
        inner = env.query(cte.query, replace(cte.env, prefix=alias, parent=None, predicate=False))
        if inner.open and cte.names:  # recursive: only its names are known
            named = tuple(Field("", name, Typed(Column(f"?.{name}"))) for name in cte.names)
            inner = Rows(inner.plan, named)
        if cte.names and len(cte.names) != len(inner.visible):
            _wrong_names(node, name, len(inner.visible), len(cte.names), env)
        rows = settle_constants(requalify(inner, alias, cte.names or None), env, alias)
    else:
        rows = _relation(node, name, alias, env)
    return _joined(_renamed(rows, node, env), node.args.get("joins") or (), env)


_INSTEAD = {
    "generate_series": "write explode(sequence(1, 3)) AS t(n)",
    "flatten": "write LATERAL explode(x) AS t(a)",
}


def _known_function(node: exp.Expr, env: Env) -> str:
    """The name of a function in FROM; refused if Spark has none of that name."""
    name = str(node.this.name.lower())
    if name not in TABLE_FUNCTIONS:
        hint = _INSTEAD.get(name, "")
        env.notes.fail("HW323", node, f'Spark has no table function "{name}"', hint=hint)
    return name


def _function(node: exp.Table, env: Env) -> Rows:
    name = _known_function(node, env)
    made = table_function(node, env)
    return made or _unknown_rows(node, f"the table function {name} has no delta rule", env)


def _relation(node: exp.Table, name: str, alias: str, env: Env) -> Rows:
    relation = env.notes.relation(name)
    if relation is None:
        env.notes.unknown("HW301", node, "unknown relation", name, [*env.notes.relations, *env.ctes])
    env.notes.reads.setdefault(relation)
    unique = env.notes.alias(alias)
    env.notes.scans[unique] = env.notes.place(node)
    columns = env.notes.relations[relation]
    scan = Scan(relation, unique, tuple(column.name for column in columns))
    fields = tuple(
        Field(alias, column.name, Typed(Column(f"{unique}.{column.name}"), column.type, column.nullable))
        for column in columns
    )
    return Rows(scan, fields)


def _subquery(node: exp.Subquery, env: Env) -> Rows:
    """(SELECT ...) AS s, or a join in brackets."""
    if isinstance(node.this, exp.Table | exp.Subquery) and not node.args.get("with_"):
        rows = from_item(node.this, env)
        if node.alias:
            rows = requalify(rows, node.alias)
    else:
        inner = requalify(env.query(node.this, env.below(node.alias or "subquery", env.parent)), node.alias)
        rows = settle_constants(inner, env, node.alias or "subquery")
        if inner.correlated and (inner.single or rows is not inner):
            env.notes.obstacle(node, "this query in FROM that names the query around has no delta rule")
    return _joined(_renamed(rows, node, env), node.args.get("joins") or (), env)


def _renamed(rows: Rows, node: exp.Expr, env: Env) -> Rows:
    """t AS x (a, b): other names for the columns, as many as there are."""
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias) or not alias.args.get("columns") or rows.open:
        return rows
    names = [column.name for column in alias.args["columns"]]
    if len(names) != len(rows.visible):
        _wrong_names(node, alias.name, len(rows.visible), len(names), env)
    return requalify(rows, alias.name, names)


def _wrong_names(node: exp.Expr, name: str, columns: int, names: int, env: Env) -> NoReturn:
    env.notes.fail("HW325", node, f'"{name}" has {columns} columns, and {names} names are given for them')


def _unknown_rows(node: exp.Expr, reason: str, env: Env) -> Rows:
    """Rows without a delta rule: their columns are those of the alias, or unknown."""
    if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Anonymous):
        _known_function(node, env)
    env.notes.obstacle(node, reason)
    if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
        _reads(node, env)
    alias = node.args.get("alias")
    columns = alias.args.get("columns") or () if isinstance(alias, exp.TableAlias) else ()
    fields = tuple(Field(node.alias, column.name, Typed(Column(f"?.{column.name}"))) for column in columns)
    return Rows(_nothing(env), fields, open=not columns)


def _reads(node: exp.Expr, env: Env) -> None:
    """Note the relations that an untranslated part reads."""
    for table in node.find_all(exp.Table):
        relation = env.notes.relation(".".join(part.name for part in table.parts))
        if relation is not None and table.name.lower() not in env.ctes:
            env.notes.reads.setdefault(relation)


def _lateral_view(rows: Rows, node: exp.Expr, env: Env) -> Rows:
    """LATERAL VIEW explode(x) t AS c."""
    made = lateral_view(rows, node, env)
    if made is not None:
        return made
    for argument in node.this.expressions:
        env.expressions(rows, "LATERAL VIEW").translate(argument)
    more = _unknown_rows(node, "this LATERAL VIEW has no delta rule", env)
    return Rows(rows.plan, rows.fields + more.fields, rows.open or more.open)


def _sample(node: exp.Expr | None, env: Env) -> None:
    if node is None:
        return
    if node.args.get("seed") is None:
        env.notes.fail(
            "HW320",
            node,
            "TABLESAMPLE cannot be used in a view: it is random",
            hint="filter on a hash: WHERE hash(id) % 10 = 0",
        )
    env.notes.obstacle(node, "TABLESAMPLE has no delta rule")


def _nothing(env: Env) -> Plan:
    """A placeholder plan; an obstacle has been noted already."""
    return Scan("", env.notes.alias("nothing"), ())

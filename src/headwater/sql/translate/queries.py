"""Any query: WITH, SELECT, set operations, brackets."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.plans.check import lacks_columns
from headwater.algebra.plans.nodes import Scan
from headwater.sql.translate.env import Cte, Env
from headwater.sql.translate.modifiers import modified
from headwater.sql.translate.relations.constants import constant_rows
from headwater.sql.translate.relations.scope import Rows
from headwater.sql.translate.select import translate_select
from headwater.sql.translate.sets import translate_set

__all__ = ["translate_query"]


_OUTSIDE = "a subquery that computes with columns of the query around it has no delta rule here"


def translate_query(node: exp.Expr, env: Env) -> Rows:
    """The rows of a query; one that computes with columns of the query around it may have no plan."""
    rows = _translated(node, env)
    if env.parent is not None and not env.notes.obstacles and lacks_columns(rows.plan):
        env.notes.obstacle(node, _OUTSIDE)
    return rows


def _translated(node: exp.Expr, env: Env) -> Rows:
    env = _with(node, env)
    match node:
        case exp.Select():
            return translate_select(node, env)
        case exp.SetOperation():
            return translate_set(node, env)
        case exp.Subquery() | exp.Paren():
            return modified(node, translate_query(node.this, env), env)
        case exp.Values() if node.expressions:
            return constant_rows(node, env)
        case _:
            env.notes.obstacle(node, "this kind of query has no delta rule")
            return Rows(Scan("", env.notes.alias("nothing"), ()), (), open=True)


def _with(node: exp.Expr, env: Env) -> Env:
    """WITH a AS (...), b AS (...): b sees a."""
    clause = node.args.get("with_")
    if clause is None:
        return env
    if _is_recursive(clause):
        return _recursive(clause, env)
    used = {table.name.lower() for table in node.find_all(exp.Table)}
    defined: set[str] = set()
    for definition in clause.expressions:
        if definition.alias.lower() in defined:
            message = f'WITH defines "{definition.alias}" twice'
            env.notes.fail("HW113", definition.args["alias"], message, hint="give one of them another name")
        defined.add(definition.alias.lower())
        cte = Cte(definition.this, _names(definition), replace(env, predicate=False))
        if definition.alias.lower() not in used:
            _look_at(definition, env)
        env = replace(env, ctes={**env.ctes, definition.alias.lower(): cte})
    return env


def _is_recursive(clause: exp.Expr) -> bool:
    """Does a query of WITH RECURSIVE read itself?  The word alone changes nothing."""
    return bool(clause.args.get("recursive")) and any(
        table.name.lower() == definition.alias.lower()
        for definition in clause.expressions
        for table in definition.this.find_all(exp.Table)
    )


def _names(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    return tuple(column.name for column in alias.args.get("columns") or ()) if alias is not None else ()


def _look_at(node: exp.Expr, env: Env) -> None:
    """Check a WITH definition that nothing reads; obstacles in it do not count."""
    obstacles = list(env.notes.obstacles)
    env.query(node.this, replace(env, prefix=node.alias, parent=None))
    env.notes.obstacles[:] = obstacles


def _recursive(clause: exp.Expr, env: Env) -> Env:
    """A recursive query has the columns that its first part has; where that says *, names are not checked."""
    env.notes.obstacle(clause, "WITH RECURSIVE has no delta rule")
    own = {definition.alias.lower() for definition in clause.expressions}
    for definition in clause.expressions:
        reads = {table.name.lower() for table in definition.this.find_all(exp.Table)}
        query = definition.this.unnest() if isinstance(definition.this, exp.Subquery) else definition.this
        if definition.alias.lower() in reads and not isinstance(query, exp.Union):
            env.notes.fail(
                "HW113", definition.args["alias"], f'"{definition.alias}" reads itself, but is no UNION ALL',
                hint="a recursive query is one that begins, UNION ALL, and one that goes on",
            )  # fmt: skip
    for union in clause.find_all(exp.Union):
        recursive = any(table.name.lower() in own for table in union.find_all(exp.Table))
        if recursive and union.args.get("distinct"):
            message = "Spark has only UNION ALL in WITH RECURSIVE"
            env.notes.fail("HW113", union, message, hint="write UNION ALL")
    for table in clause.find_all(exp.Table):
        relation = env.notes.relation(table.name)
        if table.name.lower() not in own and relation is not None:
            env.notes.reads.setdefault(relation)
    values = exp.Values()
    ctes = {
        definition.alias.lower(): Cte(values, _own_names(definition), env)
        for definition in clause.expressions
    }
    return replace(env, ctes={**env.ctes, **ctes})


def _own_names(definition: exp.Expr) -> tuple[str, ...]:
    names = _names(definition) or tuple(definition.this.named_selects)
    return () if any(name in ("", "*") for name in names) else names

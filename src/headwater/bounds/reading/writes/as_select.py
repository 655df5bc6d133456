"""A write as the SELECT of what it reads.

    UPDATE t SET a = :a WHERE id = :id          SELECT * FROM t WHERE id = :id
    UPDATE t SET n = (SELECT ...) FROM u ...    SELECT *, (SELECT ...) FROM t, u ...
    DELETE FROM t USING u WHERE ...             SELECT * FROM t, u WHERE ...
    INSERT INTO t SELECT ...                    SELECT ...
    INSERT INTO t VALUES (1, (SELECT ...))      SELECT (SELECT ...)

What goes or changes with the rows that are written is read too (`followers`).

What a write may hold beside that is listed (`_READ`, `_HARMLESS`); with anything else it is not analysed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.writes.followers import Follower, rows_that_follow
from headwater.bounds.reading.writes.targets import Target, sources_of, targets_of
from headwater.model import Table

__all__ = ["as_select"]

_READ = {
    "with_",
    "this",
    "expression",
    "expressions",
    "from_",
    "using",
    "where",
    "returning",
    "order",
    "limit",
}
_HARMLESS = {"hint", "options", "ignore", "alternative", "default", "conflict", "stored", "exists", "tables"}


def as_select(
    tree: exp.Expr, tables: Mapping[str, Table] | None = None, followers: Iterable[Follower] = ()
) -> exp.Expr:
    """What a statement reads; a SELECT is what it is."""
    match tree:
        case exp.Insert():
            _refuse_unknown(tree)
            _refuse_followers(tree, tables or {}, followers)
            return _with_definitions(_inserted(tree), tree)
        case exp.Update() | exp.Delete() if isinstance(tree.this, exp.Table):
            _refuse_unknown(tree)
            rows = _rows_written(tree)
            for target in targets_of(tree):
                rows = rows.select(*rows_that_follow(target, tables or {}, followers), copy=False)
            return _with_definitions(rows, tree)
        case _:
            return tree


def _refuse_followers(tree: exp.Insert, tables: Mapping[str, Table], followers: Iterable[Follower]) -> None:
    """An INSERT that may delete the row that is there, or change its key, does so with all that follow."""
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    changes: list[Target] = [Target(target.name, "")] if tree.args.get("alternative") == "REPLACE" else []
    conflict = tree.args.get("conflict")
    if conflict is not None:
        columns = {node.this.name.lower() for node in conflict.expressions if isinstance(node, exp.EQ)}
        changes.append(Target(target.name, "", frozenset(columns)))
    if any(list(rows_that_follow(change, tables, followers)) for change in changes):
        raise NotAnalysed(f"other rows follow the row of {target.name} that it replaces or changes")


def _refuse_unknown(tree: exp.Expr) -> None:
    given = {key for key, value in tree.args.items() if value}
    unknown = given - _READ - _HARMLESS
    if unknown:
        raise NotAnalysed(
            f"{tree.key.upper()} has a clause that is not understood: {min(unknown).strip('_')}"
        )
    for key in sorted(given & _HARMLESS):
        part = tree.args[key]
        if isinstance(part, exp.Expr) and part.find(exp.Query) is not None:
            raise NotAnalysed(f"{tree.key.upper()} has a subquery in {key.upper()}")


def _inserted(tree: exp.Insert) -> exp.Query:
    if isinstance(tree.expression, exp.Query):
        if any(_subqueries([tree.args.get("returning")])):
            raise NotAnalysed("INSERT returns values of a subquery")
        return tree.expression
    if not isinstance(tree.expression, exp.Values) and not tree.args.get("default"):
        raise NotAnalysed("INSERT is not understood, unless it is of VALUES or of a SELECT")
    values = [*_subqueries([tree.args.get("expression")]), *_subqueries([tree.args.get("returning")])]
    return exp.select(*(values or [exp.Literal.number(1)]))


def _rows_written(tree: exp.Update | exp.Delete) -> exp.Select:
    """The SELECT of the rows that an UPDATE or DELETE finds, and of the values that it computes of them."""
    first, *others = sources_of(tree)
    select = exp.select("*").from_(first.copy())
    select = select.select(*_subqueries([*tree.expressions, tree.args.get("returning")]))
    for source in others:
        select = select.join(source.copy(), join_type="cross")
    where = tree.args.get("where")
    select = select.where(where.this.copy()) if where is not None else select
    top = _top(tree)
    if top is not None:
        select = select.limit(top)
    for clause in ("order", "limit"):  # MySQL's
        if tree.args.get(clause) is not None:
            select.set(clause, tree.args[clause].copy())
    return select


def _top(tree: exp.Update | exp.Delete) -> exp.Expr | None:
    """The number of SQL Server's DELETE TOP (10) FROM, which the parser takes for a table's alias."""
    for table in tree.args.get("tables") or []:
        names = table.args["alias"].columns if isinstance(table.args.get("alias"), exp.TableAlias) else []
        if table.name.upper() == "TOP" and len(names) == 1 and names[0].name.isdigit():
            return exp.Literal.number(names[0].name)
    return None


def _subqueries(parts: Iterable[exp.Expr | None]) -> list[exp.Expr]:
    """The outermost subqueries in some parts of a statement."""
    found: list[exp.Expr] = []
    for part in parts:
        queries = part.find_all(exp.Query) if part is not None else ()
        found += [_bracketed(query) for query in queries if query.find_ancestor(exp.Query) is None]
    return found


def _bracketed(query: exp.Expr) -> exp.Expr:
    whole = query.copy()
    return whole if isinstance(whole, exp.Subquery) else exp.Subquery(this=whole)


def _with_definitions(select: exp.Query, statement: exp.Expr) -> exp.Query:
    """The SELECT under the WITH of the statement around it."""
    definitions = statement.args.get("with_")
    if definitions is None:
        return select
    if select.args.get("with_") is not None:
        raise NotAnalysed("it has a WITH inside another one")
    select = select.copy()
    select.set("with_", definitions.copy())
    return select

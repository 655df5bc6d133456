"""The tables that a write changes, by the names that the statement gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

__all__ = ["Target", "sources_of", "targets_of"]


@dataclass(frozen=True, slots=True)
class Target:
    """`columns`: those that are given other values; None if rows go."""

    name: str
    alias: str
    columns: frozenset[str] | None = None


def sources_of(tree: exp.Update | exp.Delete) -> list[exp.Expr]:
    """The table with the others of UPDATE ... FROM and DELETE ... USING; those of a JOIN hang on them.

    SQL Server names the table by the alias that FROM gives it: UPDATE p SET ... FROM posts p.
    """
    clause = tree.args.get("from_")
    others: list[exp.Expr] = [] if clause is None else [clause.this]
    others += tree.args.get("using") or []
    is_there = any(source.alias_or_name.lower() == tree.this.name.lower() for source in others)
    return others if is_there else [tree.this, *others]


def targets_of(tree: exp.Expr) -> list[Target]:
    """What an UPDATE or DELETE changes; MySQL's may name several tables of a join."""
    if isinstance(tree, exp.Delete):
        named = {table.name.lower() for table in tree.args.get("tables") or []}
        sources = list(_tables(tree))
        chosen = [source for source in sources if source.alias_or_name.lower() in named]
        return [Target(source.name, source.alias_or_name) for source in chosen or sources[:1]]
    return list(_updated(tree)) if isinstance(tree, exp.Update) else []


def _updated(tree: exp.Update) -> Iterator[Target]:
    """A column without its table's name may be of any of the tables."""
    assigned = [column for node in tree.expressions for column in _assigned(node)]
    sources = list(_tables(tree))
    is_joined = bool(tree.this.args.get("joins"))
    for source in sources if is_joined else sources[:1]:
        names = {source.name.lower(), source.alias_or_name.lower(), ""}
        columns = {
            column.name.lower() for column in assigned if not is_joined or column.table.lower() in names
        }
        yield Target(source.name, source.alias_or_name, frozenset(columns))


def _assigned(node: exp.Expr) -> list[exp.Column]:
    left = node.this if isinstance(node, exp.EQ) else None
    parts = left.expressions if isinstance(left, exp.Tuple) else [left]
    return [part for part in parts if isinstance(part, exp.Column)]


def _tables(tree: exp.Update | exp.Delete) -> Iterator[exp.Table]:
    """The tables of the write and of its joins, that which it names first."""
    sources = sources_of(tree)
    sources.sort(key=lambda source: source.alias_or_name.lower() != tree.this.name.lower())
    for source in sources:
        joined = [join.this for join in source.args.get("joins") or []]
        yield from (table for table in (source, *joined) if isinstance(table, exp.Table))

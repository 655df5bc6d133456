"""Which relations a SELECT reads, and where it names them.

A name in FROM or JOIN is a relation unless a WITH above it defines it.  Inside a WITH only the earlier
definitions are visible, so `WITH orders AS (SELECT * FROM orders) ...` reads the real orders once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from sqlglot import exp

__all__ = ["Reading", "relations_read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A relation's name as written, with its offset in the SELECT's text."""

    name: str
    start: int
    length: int
    qualifier: str = ""  # of schema.name: "schema"


def relations_read(query: exp.Expr) -> tuple[Reading, ...]:
    """Every mention of a relation, in the order of the text."""
    return tuple(sorted(_readings(query), key=lambda reading: reading.start))


def _readings(query: exp.Expr) -> Iterator[Reading]:
    for table in query.find_all(exp.Table):
        # A table function (range(10), explode(...)) is not a relation.
        if isinstance(table.this, exp.Identifier) and not _defined_above(table):
            start = int(table.this.meta.get("start", 0))
            end = int(table.this.meta.get("end", start))
            qualifier = ".".join(part for part in (table.catalog, table.db) if part)
            yield Reading(table.name, start, end - start + 1, qualifier)


def _defined_above(table: exp.Table) -> bool:
    return not table.db and any(
        definition.alias.lower() == table.name.lower() for definition in _visible_definitions(table)
    )


def _visible_definitions(node: exp.Expr) -> Iterator[exp.CTE]:
    """The WITH definitions that a node can see, from the inside out."""
    came_from: exp.Expr = node
    definition: exp.CTE | None = None  # the innermost one we stand in
    while (parent := came_from.parent) is not None:
        if isinstance(parent, exp.CTE):
            definition = parent
        elif isinstance(parent, exp.With):
            yield from _earlier(parent, definition)
        elif not isinstance(came_from, exp.With):
            yield from _definitions(parent)
        came_from = parent


def _definitions(node: exp.Expr) -> Iterable[exp.CTE]:
    clause = node.args.get("with_")
    return clause.expressions if isinstance(clause, exp.With) else ()


def _earlier(clause: exp.With, definition: exp.CTE | None) -> Iterable[exp.CTE]:
    if clause.args.get("recursive"):
        return clause.expressions
    return takewhile(lambda other: other is not definition, clause.expressions)

"""MIN and MAX that a grouped view keeps: read again, from an index, after every change of the group.

    SELECT room, MAX(at) FROM messages WHERE member = :m GROUP BY room ORDER BY MAX(at) DESC LIMIT 20

A new message may be the newest; when the newest is deleted, the next one must be found.  Both are one read
at the end of an index (member, room, at), which holds the group in order.  So the newest value of each group
is a view, in the order of these values.  It takes a group of one table, and groups without NULLs: a group is
looked up by its values.
"""

from __future__ import annotations

from headwater.algebra.expressions.tree import (
    AggregateCall,
    Column,
    Expr,
    Parameter,
    Subquery,
    call,
    transform,
)
from headwater.bounds.query.block import Base, Output, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.views.attributes import Attributes

__all__ = ["can_be_read_again", "not_null_keys", "read_again"]


def can_be_read_again(
    sources: tuple[Base, ...], key: tuple[Expr, ...], attributes: Attributes, catalog: Catalog
) -> bool:
    """May the view hold extremes?  Its groups are values of columns of one table, never NULL."""
    if len(sources) != 1 or not all(isinstance(part, Column) for part in key):
        return False
    stated = (part for part in key if call("not_null", part) in attributes.where)
    compared = (*attributes.equal, *attributes.listed, *stated)
    return all(part in compared or not _nullable(part, sources[0], catalog) for part in key)


def _nullable(part: Expr, source: Base, catalog: Catalog) -> bool:
    return not isinstance(part, Column) or catalog.nullable(source.table, part.name)


def not_null_keys(source: Base, key: tuple[Expr, ...], catalog: Catalog) -> tuple[Expr, ...]:
    """Conditions that leave out groups of NULL: they are compared with parameters, so nobody reads them."""
    return tuple(call("not_null", part) for part in key if _nullable(part, source, catalog))


def read_again(state: AggregateCall, source: Base, definition: Select, key: tuple[Expr, ...]) -> Expr:
    """The extreme of the changed row's group, as a subquery over the table as it is after the change."""
    alias = f"{source.alias}_group"

    def renamed(expr: Expr) -> Expr:
        return transform(expr, lambda part: Column(part.name, alias) if isinstance(part, Column) else part)

    group = [call("eq", renamed(part), Parameter(part.name)) for part in key if isinstance(part, Column)]
    block = Select(
        sources=(Base(alias, source.table, source.place),),
        where=(*map(renamed, definition.where), *group),
        outputs=(Output("value", renamed(state)),),
        group=(),
    )
    return Subquery("scalar", block, None, ())

"""A view as a stored table: its columns and key, limits that follow from dependencies, and references.

The references are those by which sources left out of the view are fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater.model import Cardinality, Column, ForeignKey, Table
from headwater.scale.attributes import Attributes
from headwater.scale.block import Base, Select
from headwater.scale.catalog import Catalog
from headwater.scale.classes import Classes
from headwater.scale.dependencies import atoms, closure, dependencies
from headwater.scale.expr import (
    Aggregate,
    Col,
    Expr,
    Lit,
    call,
)

__all__ = ["stored_table", "view_mapping"]


def view_mapping(
    definition: Select, columns: Mapping[Expr, str], found: Attributes, name: str, catalog: Catalog
) -> dict[Expr, Expr]:
    """Every column of the view's sources, and every expression it stores, as a column of the view."""
    mapping: dict[Expr, Expr] = {expr: Col(name, column) for expr, column in columns.items()}
    for source in definition.sources:
        if isinstance(source, Base):
            for column in catalog[source.table].column_names:
                col = Col(source.alias, column)
                for member in found.classes.of_member(col):
                    if member in columns:
                        mapping.setdefault(col, Col(name, columns[member]))
                    elif isinstance(member, Lit):
                        mapping.setdefault(col, member)
    return mapping


def stored_table(
    block: Select,
    definition: Select,
    key: tuple[Expr, ...],
    columns: Mapping[Expr, str],
    found: Attributes,
    catalog: Catalog,
    name: str,
    mapping: Mapping[Expr, Expr],
    grouped: bool,
) -> Table:
    """The view as a stored table: its key, and what dependencies say about rows under the parameters."""
    made = tuple(_column(expr, column, definition, found, catalog) for expr, column in columns.items())
    limits = []
    rules = dependencies(definition, catalog, key)
    goal = _row_identity(definition, key, catalog, grouped)
    for lead in dict.fromkeys((found.equal, (*found.equal, *found.listed))):
        bound = closure(atoms(lead), goal, rules)
        if bound is not None and lead and all(one in columns for one in lead):
            limits.append(Cardinality(tuple(columns[one] for one in lead), bound[0]))
    return Table(
        name=name,
        columns=made,
        key=tuple(columns[one] for one in key),
        cardinalities=tuple(limits),
        foreign_keys=tuple(_references(block, definition, name, mapping, catalog)),
    )


def _row_identity(
    definition: Select, key: tuple[Expr, ...], catalog: Catalog, grouped: bool
) -> frozenset[Col]:
    if grouped:
        return atoms(key)
    return frozenset(
        Col(one.alias, column)
        for one in definition.sources
        if isinstance(one, Base)
        for column in catalog[one.table].key
    )


def _column(expr: Expr, name: str, definition: Select, found: Attributes, catalog: Catalog) -> Column:
    if not isinstance(expr, Col):
        counted = isinstance(expr, Aggregate) and expr.function == "count"
        return Column(name, "bigint" if counted else "double", nullable=not counted)
    source = definition.source(expr.alias)
    known = catalog.column(source.table, expr.name) if isinstance(source, Base) else None
    certain = len(found.classes.of_member(expr)) > 1 or call("not_null", expr) in definition.where
    if known is None:
        return Column(name, "string")
    return Column(name, known.type, known.nullable and not certain, known.temporal)


def _references(
    block: Select, definition: Select, name: str, mapping: Mapping[Expr, Expr], catalog: Catalog
) -> Iterable[ForeignKey]:
    """Sources left out of the view are found by the view's columns, as promised."""
    inside = set(definition.aliases)
    classes = Classes.of(block.where)
    for source in block.sources:
        if source.alias in inside or not isinstance(source, Base):
            continue
        for key in catalog.keys(source.table):
            own = [_view_column(classes, Col(source.alias, part), mapping, name) for part in key]
            if all(one is not None for one in own):
                yield ForeignKey(tuple(one for one in own if one is not None), source.table, key)


def _view_column(classes: Classes, col: Col, mapping: Mapping[Expr, Expr], name: str) -> str | None:
    for member in classes.of_member(col):
        found = mapping.get(member)
        if isinstance(found, Col) and found.alias == name:
            return found.name
    return None

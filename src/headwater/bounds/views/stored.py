"""A view as a stored table: its columns and key, limits that follow from dependencies, and references.

The references are those by which sources left out of the view are fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from headwater import model
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr, Literal, call
from headwater.bounds.query.block import Base, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.dependencies import atoms, closure, dependencies
from headwater.bounds.views.attributes import Attributes
from headwater.bounds.views.partial_states import is_extreme
from headwater.model import Cardinality, ForeignKey, Table

__all__ = ["stored_table", "view_mapping"]


def view_mapping(
    definition: Select, columns: Mapping[Expr, str], attributes: Attributes, name: str, catalog: Catalog
) -> dict[Expr, Expr]:
    """Every column of the view's sources, and every expression it stores, as a column of the view."""
    mapping: dict[Expr, Expr] = {expr: Column(column, name) for expr, column in columns.items()}
    for source in definition.sources:
        if isinstance(source, Base):
            for column in catalog[source.table].column_names:
                col = Column(column, source.alias)
                for member in attributes.classes.of_member(col):
                    if member in columns:
                        mapping.setdefault(col, Column(columns[member], name))
                    elif isinstance(member, Literal):
                        mapping.setdefault(col, member)
    return mapping


def stored_table(
    block: Select,
    definition: Select,
    key: tuple[Expr, ...],
    columns: Mapping[Expr, str],
    attributes: Attributes,
    catalog: Catalog,
    name: str,
    mapping: Mapping[Expr, Expr],
    grouped: bool,
) -> Table:
    """The view as a stored table: its key, and what dependencies say about rows under the parameters."""
    typed = tuple(_column(expr, name, definition, attributes, catalog) for expr, name in columns.items())
    limits = []
    goal = _row_identity(definition, key, catalog, grouped)
    for leads in dict.fromkeys((attributes.equal, (*attributes.equal, *attributes.listed))):
        bound = closure(atoms(leads), goal, dependencies(definition, catalog, key, present=leads))
        if bound is not None and leads and all(lead in columns for lead in leads):
            limits.append(Cardinality(tuple(columns[lead] for lead in leads), bound[0]))
    return Table(
        name=name,
        columns=typed,
        key=tuple(columns[part] for part in key),
        cardinalities=tuple(limits),
        foreign_keys=tuple(_references(block, definition, name, mapping, catalog)),
    )


def _row_identity(
    definition: Select, key: tuple[Expr, ...], catalog: Catalog, grouped: bool
) -> frozenset[Column]:
    if grouped:
        return atoms(key)
    return frozenset(
        Column(column, source.alias)
        for source in definition.sources
        if isinstance(source, Base)
        for column in catalog[source.table].key
    )


def _column(
    expr: Expr, name: str, definition: Select, attributes: Attributes, catalog: Catalog
) -> model.Column:
    if is_extreme(expr) and isinstance(expr, AggregateCall):
        value = _column(expr.arguments[0], name, definition, attributes, catalog)
        return replace(value, nullable=True)
    if not isinstance(expr, Column):
        counted = isinstance(expr, AggregateCall) and expr.function == "count"
        return model.Column(name, "bigint" if counted else "double", nullable=not counted)
    source = definition.source(expr.alias)
    declared = catalog.column(source.table, expr.name) if isinstance(source, Base) else None
    certain = len(attributes.classes.of_member(expr)) > 1 or call("not_null", expr) in definition.where
    if declared is None:
        return model.Column(name, "string")
    return model.Column(name, declared.type, declared.nullable and not certain, declared.temporal)


def _references(
    block: Select, definition: Select, name: str, mapping: Mapping[Expr, Expr], catalog: Catalog
) -> Iterable[ForeignKey]:
    """Sources left out of the view are fetched by the view's columns, each by a whole key."""
    inside = set(definition.aliases)
    classes = Classes.of(block.where)
    for source in block.sources:
        if source.alias in inside or not isinstance(source, Base):
            continue
        for key in catalog.keys(source.table):
            own = [_view_column(classes, Column(part, source.alias), mapping, name) for part in key]
            columns = tuple(column for column in own if column is not None)
            if len(columns) == len(own):
                yield ForeignKey(columns, source.table, key)


def _view_column(classes: Classes, col: Column, mapping: Mapping[Expr, Expr], name: str) -> str | None:
    for member in classes.of_member(col):
        stored = mapping.get(member)
        if isinstance(stored, Column) and stored.alias == name:
            return stored.name
    return None

"""Check the statements of a whole project together: names, foreign keys, sites, what views read.

The result is the same statements with every reference in its declared spelling and the views in dependency
order (a view after the views it reads, else as declared).  Cost: one walk over each SELECT.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from headwater.errors import InputError, Place, did_you_mean
from headwater.model import ForeignKey, Query, SqlText, Table, View
from headwater.sql.ddl.joins.window import windowed
from headwater.sql.ddl.named_view import dissolve
from headwater.sql.ddl.overload import check_every_change, resolve_weights
from headwater.sql.ddl.retain import check_not_referenced
from headwater.sql.ddl.retain_rows import retained
from headwater.sql.ddl.statements import Statements, refuse_twins
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.parser import select_tree
from headwater.sql.parsing.references import KeyReference, SiteReference
from headwater.sql.parsing.relations import relations_read
from headwater.sql.parsing.types import family

__all__ = ["relations_named", "resolve"]


def resolve(statements: Statements, declared_sites: Iterable[str] = ()) -> Statements:
    """Check everything that needs more than one statement; raise an InputError at the first fault."""
    refuse_twins(statements)
    _reads(statements, dissolve(statements.named, statements.named))
    known_sites = tuple(dict.fromkeys(("default", *declared_sites)))
    sites = _sites(statements, known_sites)
    statements = replace(
        statements,
        tables=tuple(replace(table, site=sites[table.site]) for table in _keyed(statements)),
        views=_placed(dissolve(statements.views, statements.named), sites),
        explained=_placed(dissolve(statements.explained, statements.named), sites),
        queries=dissolve(statements.queries, statements.named),
        named=(),
    )
    _reads(statements, (*statements.queries, *statements.explained))
    reads = _reads(statements, statements.views)
    order = _dependency_order([view.name for view in statements.views], reads)
    tables = {table.name: table for table in statements.tables}
    by_name = {view.name: retained(windowed(view, tables)) for view in statements.views}
    check_every_change(statements.tables, [by_name[name] for name in order], reads)
    return replace(
        statements,
        views=tuple(by_name[name] for name in order),
        explained=tuple(retained(windowed(view, tables)) for view in statements.explained),
    )


def _placed(views: Iterable[View], sites: Mapping[str, str]) -> tuple[View, ...]:
    return tuple(replace(view, site=sites[view.site]) for view in views)


def _sites(statements: Statements, sites: tuple[str, ...]) -> dict[str, str]:
    """Map each site's name as the statements write it to its spelling in headwater.yml."""
    spelt = {"default": "default"}
    for reference in statements.references:
        if isinstance(reference, SiteReference):
            site = spelling(reference.site, sites)
            if site is None:
                hint = did_you_mean(reference.site, sites) or "declare it under sites: in headwater.yml"
                message = f'there is no site "{reference.site}"'
                raise InputError("HW123", message, place=reference.place, hint=hint)
            spelt[reference.site] = site
    return spelt


def _keyed(statements: Statements) -> Iterable[Table]:
    """The tables with their foreign keys resolved."""
    tables = {table.name: table for table in statements.tables}
    keys: dict[str, list[ForeignKey]] = {name: [] for name in tables}
    for reference in statements.references:
        if isinstance(reference, KeyReference):
            keys[reference.owner].append(_foreign_key(reference, tables))
    resolved = [replace(table, foreign_keys=tuple(keys[table.name])) for table in statements.tables]
    check_not_referenced(resolved)
    return resolve_weights(resolved)


def _foreign_key(reference: KeyReference, tables: Mapping[str, Table]) -> ForeignKey:
    owner = tables[reference.owner]
    key = owner.foreign_keys[reference.number]
    name = spelling(key.table, tables)
    if name is None:
        hint = did_you_mean(key.table, tables)
        raise InputError("HW122", f'there is no table "{key.table}"', place=reference.place, hint=hint)
    target = tables[name]
    referenced = tuple(
        _referenced(target, column, place)
        for column, place in zip(key.referenced, reference.column_places, strict=True)
    )
    resolved = ForeignKey(key.columns, name, referenced or target.key)
    _check_target(owner, resolved, target, reference.place)
    return resolved


def _referenced(target: Table, column: str, place: Place) -> str:
    name = spelling(column, target.column_names)
    if name is None:
        message = f'the table "{target.name}" has no column "{column}"'
        raise InputError("HW122", message, place=place, hint=did_you_mean(column, target.column_names))
    return name


def _check_target(owner: Table, key: ForeignKey, target: Table, place: Place) -> None:
    """A foreign key references a key: as many columns, of comparable types, that are unique together."""
    unique = {frozenset(target.key), *(frozenset(columns) for columns in target.unique)}
    if not key.referenced or frozenset(key.referenced) not in unique:
        columns = f" ({', '.join(key.referenced)})" if key.referenced else ""
        raise InputError(
            "HW122",
            f'"{target.name}"{columns} is not a key',
            place=place,
            detail="A foreign key references a PRIMARY KEY or UNIQUE columns.",
            hint=f'declare PRIMARY KEY or UNIQUE{columns} on "{target.name}"',
        )
    if len(key.columns) != len(key.referenced):
        message = (
            f"{len(key.columns)} columns cannot reference the {len(key.referenced)} of {target.name}'s key"
        )
        raise InputError("HW122", message, place=place)
    for left, right in zip(key.columns, key.referenced, strict=True):
        own, other = owner.column(left), target.column(right)
        if own is not None and other is not None and family(own.type) != family(other.type):
            message = f"{owner.name}.{left} is {own.type}, but {target.name}.{right} is {other.type}"
            raise InputError("HW122", message, place=place)


Reads = dict[str, dict[str, Place]]  # who reads which relation, and where first


def _reads(statements: Statements, readers: tuple[View | Query, ...]) -> Reads:
    relations = [*(table.name for table in statements.tables), *(view.name for view in statements.views)]
    queries = [query.name for query in statements.queries]
    return {reader.name: relations_named(reader.sql, relations, queries) for reader in readers}


def relations_named(sql: SqlText, relations: list[str], queries: list[str]) -> dict[str, Place]:
    """The tables and views that a SELECT reads, as declared, and where it first names each."""
    places: dict[str, Place] = {}
    for reading in relations_read(select_tree(sql)):
        place = sql.place(reading.start, reading.length)
        name = spelling(reading.name, relations)
        if reading.qualifier:
            message = f'there is no schema "{reading.qualifier}"'
            hint = (
                "a project is one namespace without system tables: `headwater status DIR` lists what there is"
                if name is None
                else f'a project is one namespace: write "{name}" alone'
            )
            raise InputError("HW120", message, place=place, hint=hint)
        if name is None:
            raise _unknown(reading.name, relations, queries, place)
        places.setdefault(name, place)
    return places


def _unknown(name: str, relations: list[str], queries: list[str], place: Place) -> InputError:
    if spelling(name, queries) is not None:
        hint = "declare it as CREATE MATERIALIZED VIEW to read it elsewhere"
        return InputError("HW120", f'"{name}" is a query and cannot be read', place=place, hint=hint)
    hint = did_you_mean(name, relations) or "declare it with CREATE TABLE or CREATE MATERIALIZED VIEW"
    return InputError("HW120", f'there is no table or view "{name}"', place=place, hint=hint)


def _dependency_order(views: list[str], reads: Reads) -> list[str]:
    """Views after those they read; among free choices, in the order of declaration."""
    sorter = TopologicalSorter({view: [name for name in reads[view] if name in reads] for view in views})
    try:
        sorter.prepare()
    except CycleError as error:
        raise _cycle(error.args[1][::-1], views, reads) from None
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=views.index)
        order += ready
        sorter.done(*ready)
    return order


def _cycle(path: list[str], views: list[str], reads: Reads) -> InputError:
    """Start at the view declared first, so that the message does not depend on the search order."""
    ring = path[:-1]
    start = ring.index(min(ring, key=views.index))
    ring = ring[start:] + ring[:start]
    message = f'the view "{ring[0]}" reads itself'
    detail = " reads ".join([*ring, ring[0]]) + "." if len(ring) > 1 else ""
    place = reads[ring[0]][ring[1 % len(ring)]]
    hint = (
        "Let one of them read the tables instead." if len(ring) > 1 else "Let it read tables or other views."
    )
    return InputError("HW121", message, place=place, detail=detail, hint=hint)

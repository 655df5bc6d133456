"""A view that could answer a query, and the query over it (phase 1).

The view's columns are its key (Algorithm 3) and what else the query shows; a grouped view has its groups as
key and partial states as the rest.  Sources that a foreign key promises, and of which only outputs are
needed, stay out of the view and are fetched by key when it is read: so a change of an author's name touches
no row of a view of items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from headwater.model import Cardinality, Column, ForeignKey, Table
from headwater.scale.aggregates import partial_states, read_state
from headwater.scale.attributes import Attributes, attributes_of, choose_key
from headwater.scale.block import Base, LeftJoin, Output, Select
from headwater.scale.catalog import Catalog
from headwater.scale.classes import Classes
from headwater.scale.dependencies import atoms, closure, dependencies
from headwater.scale.expr import (
    Aggregate,
    Col,
    Expr,
    Fn,
    Lit,
    SubQuery,
    aliases_of,
    call,
    cols_of,
    sql_of,
    walk,
)
from headwater.scale.promise import promise
from headwater.scale.refused import Refused
from headwater.scale.settings import Settings

__all__ = ["Candidate", "build_view", "core_choices", "map_expr"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A view's definition (a block over base tables), its stored form, and the query over it."""

    name: str
    definition: Select
    table: Table
    key: tuple[Expr, ...]
    rewritten: Select
    grouped: bool
    assumes: frozenset[str]
    attributes: Attributes
    mapping: Mapping[Expr, Expr]  # columns and states of the view's sources, as columns of the view


def core_choices(block: Select, settings: Settings) -> list[frozenset[str]]:
    """Sets of sources to build the view of: without what can be fetched by key, then all."""
    everything = frozenset(block.aliases) - {join.alias for join in block.left_joins}
    core = frozenset(block.aliases)
    needed = _needed(block)
    classes = Classes.of(block.where)
    for _ in block.aliases:
        for alias in sorted(core):
            rest = core - {alias}
            lonely = replace(
                block,
                sources=tuple(one for one in block.sources if one.alias in core),
                left_joins=tuple(one for one in block.left_joins if one.alias in core),
            )
            if rest and alias not in needed and promise(lonely, classes, settings, rest) is not None:
                core = rest
                break
    choices = [core & everything] if core & everything == core else []
    if everything not in choices and not block.left_joins:
        choices.append(everything)
    return choices


def _needed(block: Select) -> set[str]:
    """Sources that decide which rows there are, or in which order; equalities between sources do not."""
    found = {alias for one in block.order for alias in aliases_of(one.expr)}
    exprs = [*(one.expr for one in block.outputs), *block.having, *(one.expr for one in block.order)]
    for expr in exprs:
        for part in walk(expr):
            if isinstance(part, Aggregate):
                found |= {alias for one in part.arguments for alias in aliases_of(one)}
    return found


def build_view(block: Select, core: frozenset[str], settings: Settings, name: str) -> Candidate:
    """The view over the sources in `core`; Refused if the query has no such view."""
    _refuse_shapes(block, core)
    found = attributes_of(block, core)
    sources = tuple(one for one in block.sources if one.alias in core and isinstance(one, Base))
    classes = Classes.of(block.where)
    pledge = promise(block, classes, settings, core)
    if pledge is None:
        raise Refused("its sources cannot be told apart into a view and rows fetched by key")
    not_null = tuple(call("not_null", one) for one in pledge.not_null if one.alias in core)
    found = replace(found, where=tuple(dict.fromkeys((*found.where, *not_null))))
    if block.group is not None:
        return _grouped(block, sources, found, settings, name, pledge.assumes)
    return _plain(block, sources, found, settings, name, pledge.assumes)


def _refuse_shapes(block: Select, core: frozenset[str]) -> None:
    if not all(isinstance(one, Base) for one in block.sources):
        raise Refused("a view is built of tables, and this query reads a subquery that cuts or groups")
    if block.windowed:
        raise Refused("window functions cannot be kept incrementally")
    if any(isinstance(part, SubQuery) for one in block.expressions() for part in walk(one)):
        raise Refused("a subquery in a condition has no delta query")
    if any(join.alias in core for join in block.left_joins):
        raise Refused(
            "a left join that is not by the whole key of its optional side has no simple delta query"
        )


def _plain(
    block: Select,
    sources: tuple[Base, ...],
    found: Attributes,
    settings: Settings,
    name: str,
    assumes: frozenset[str],
) -> Candidate:
    for one in sources:
        if not settings.catalog[one.table].key:
            raise Refused(f"{one.table} has no primary key, so rows of a view of it cannot be told apart")
    if block.distinct:
        raise Refused("DISTINCT over a view would need a count for each of its rows")
    order = tuple(one.expr for one in block.order if aliases_of(one.expr) <= {s.alias for s in sources})
    parts = (*found.equal, *found.listed, *found.ranged, *order)
    key = choose_key(parts, sources, found.classes, settings.catalog)
    shown = _shown(block, sources, found, key)
    columns = _named((*key, *shown))
    definition = Select(sources, found.where, tuple(Output(n, e) for e, n in columns.items()))
    return _candidate(block, definition, key, columns, found, settings, name, assumes, grouped=False)


def _shown(
    block: Select, sources: tuple[Base, ...], found: Attributes, key: tuple[Expr, ...]
) -> tuple[Expr, ...]:
    """Columns that a reader needs beside the key."""
    inside = {one.alias for one in sources}
    needed: list[Col] = []
    exprs: list[Expr] = [one.expr for one in block.outputs] + [one.expr for one in block.order]
    exprs += [*found.reading, *(one for one in block.where if not aliases_of(one) <= inside)]
    exprs += [on for join in block.left_joins for on in join.on]
    for expr in exprs:
        needed += sorted((one for one in cols_of(expr) if one.alias in inside), key=repr)
    held = set(key)
    return tuple(
        one
        for one in dict.fromkeys(needed)
        if not held & set(found.classes.of_member(one)) and not _fixed(found, one)
    )


def _fixed(found: Attributes, one: Expr) -> bool:
    """Equal to a literal: the reader knows it."""
    return any(isinstance(member, Lit) for member in found.classes.of_member(one))


def _named(exprs: Iterable[Expr]) -> dict[Expr, str]:
    """A name for each column: the bare one if it is free, else with its alias in front."""
    exprs = list(exprs)
    bare = [one.name.lower() for one in exprs if isinstance(one, Col)]
    names: dict[Expr, str] = {}
    for one in exprs:
        if isinstance(one, Col):
            wanted = one.name if bare.count(one.name.lower()) == 1 else f"{one.alias}{one.name}"
        else:
            wanted = _slug(one)
        unique, number = wanted, 2
        while unique.lower() in {name.lower() for name in names.values()}:
            unique, number = f"{wanted}_{number}", number + 1
        names[one] = unique
    return names


def _slug(expr: Expr) -> str:
    match expr:
        case Fn("sub", (Col(_, column), Fn("mod", (Col(_, same), _)))) if column == same:
            return "epoch"
        case Fn(name, arguments):
            return "_".join([name, *(_slug(one) for one in arguments)])[:40]
        case Col(_, name):
            return name
        case Aggregate(function, arguments):
            return "_".join(["cnt" if function == "count" else function, *(_slug(one) for one in arguments)])
        case _:
            return "x"


def _grouped(
    block: Select,
    sources: tuple[Base, ...],
    found: Attributes,
    settings: Settings,
    name: str,
    assumes: frozenset[str],
) -> Candidate:
    inside = frozenset(one.alias for one in sources)
    assert block.group is not None
    _refuse_multiplying(block, inside, settings.catalog)
    tied = _ties(block, inside)
    groups = [one for one in block.group if aliases_of(one) <= inside]
    parts = tuple(dict.fromkeys((*found.equal, *found.listed, *groups, *tied)))
    key = _unify(parts, found)
    if not key:
        raise Refused(
            "one counter for the whole table is one hot row: every change of the table would update it"
        )
    open_ = [one for one in found.reading if not (isinstance(one, Fn) and one.name == "in")]
    if found.ranged or open_:
        text = sql_of(open_[0])
        raise Refused(
            f"an aggregate over rows where {text} would have to be kept for every value of the parameter"
        )
    states = partial_states(_aggregates(block))
    columns = _named((*key, *states))
    definition = Select(sources, found.where, tuple(Output(n, e) for e, n in columns.items()), group=key)
    if not _same_groups(block, key, found, settings.catalog):
        raise Refused("its groups are not determined by the groups of the view")
    return _candidate(block, definition, key, columns, found, settings, name, assumes, grouped=True)


def _refuse_multiplying(block: Select, inside: frozenset[str], catalog: Catalog) -> None:
    """A source fetched beside groups must not multiply their rows."""
    for join in block.left_joins:
        source = block.source(join.alias)
        held = {col.name for on in join.on for col in cols_of(on) if col.alias == join.alias}
        equal = all(isinstance(on, Fn) and on.name == "eq" for on in join.on)
        if not isinstance(source, Base) or not equal or not catalog.is_unique(source.table, held):
            raise Refused("a left join that is not by a key multiplies the rows of a group")


def _ties(block: Select, inside: frozenset[str]) -> tuple[Expr, ...]:
    """Columns of the view by which other sources are fetched."""
    conditions = [one for one in block.where if aliases_of(one) & inside and not aliases_of(one) <= inside]
    conditions += [on for join in block.left_joins for on in join.on]
    cols = [col for one in conditions for col in sorted(cols_of(one), key=repr) if col.alias in inside]
    return tuple(dict.fromkeys(cols))


def _unify(parts: tuple[Expr, ...], found: Attributes) -> tuple[Expr, ...]:
    kept: list[Expr] = []
    for part in parts:
        members = found.classes.of_member(part)
        if not any(one in kept for one in (part, *members)) and not _fixed(found, part):
            kept.append(part)
    return tuple(kept)


def _aggregates(block: Select) -> tuple[Aggregate, ...]:
    exprs = [*(one.expr for one in block.outputs), *block.having, *(one.expr for one in block.order)]
    return tuple(dict.fromkeys(part for one in exprs for part in walk(one) if isinstance(part, Aggregate)))


def _same_groups(block: Select, key: tuple[Expr, ...], found: Attributes, catalog: Catalog) -> bool:
    """One group of the query is one group of the view, once the parameters are fixed."""
    known = (*(block.group or ()), *found.equal, *found.listed, *key)
    rules = dependencies(block, catalog, known)
    asked, held = atoms(block.group or ()), atoms(key)
    fixed = atoms((*found.equal, *found.listed))
    there = closure(asked | fixed, held, rules)
    back = closure(held, asked, rules)
    return there is not None and there[0] == 1 and back is not None and back[0] == 1


def _candidate(
    block: Select,
    definition: Select,
    key: tuple[Expr, ...],
    columns: dict[Expr, str],
    found: Attributes,
    settings: Settings,
    name: str,
    assumes: frozenset[str],
    grouped: bool,
) -> Candidate:
    catalog = settings.catalog
    mapping = _mapping(definition, columns, found, name, catalog)
    table = _table(block, definition, key, columns, found, catalog, name, mapping, grouped)
    rewritten = _rewrite(block, definition, columns, found, name, mapping, grouped)
    return Candidate(name, definition, table, key, rewritten, grouped, assumes, found, mapping)


def _mapping(
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


def map_expr(expr: Expr, mapping: Mapping[Expr, Expr]) -> Expr:
    """Replace the largest parts that the view stores."""
    if expr in mapping:
        return mapping[expr]
    match expr:
        case Fn(name, arguments, template, volatile):
            return Fn(name, tuple(map_expr(one, mapping) for one in arguments), template, volatile)
        case Aggregate(function, arguments, template, distinct):
            return Aggregate(function, tuple(map_expr(one, mapping) for one in arguments), template, distinct)
        case _:
            return expr


def _table(
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


def _rewrite(
    block: Select,
    definition: Select,
    columns: Mapping[Expr, str],
    found: Attributes,
    name: str,
    mapping: dict[Expr, Expr],
    grouped: bool,
) -> Select:
    """The query with the view in place of its sources."""
    inside = frozenset(definition.aliases)
    fetched = tuple(one for one in block.sources if one.alias not in inside)
    where: list[Expr] = [
        call("eq", Col(name, columns[member]), value)
        for group in found.classes.groups
        for member in group
        if member in columns
        for value in group
        if not aliases_of(value) and not isinstance(value, Lit)
    ]
    where += [one for one in block.where if not aliases_of(one)]
    where += [map_expr(one, mapping) for one in found.reading]
    where += [map_expr(one, mapping) for one in block.where if not aliases_of(one) <= inside]
    joins = tuple(
        LeftJoin(one.alias, tuple(map_expr(on, mapping) for on in one.on)) for one in block.left_joins
    )
    plain = replace(
        block,
        sources=(Base(name, name), *fetched),
        where=tuple(dict.fromkeys(where)),
        left_joins=joins,
    )
    if not grouped:
        return _mapped(plain, mapping)
    again = block.group == () or bool(found.listed)
    states: dict[Expr, Expr] = {one: read_state(one, mapping, again) for one in _aggregates(block)}
    whole: dict[Expr, Expr] = {**mapping, **states}
    if again:
        return replace(
            _mapped(plain, whole), group=tuple(map_expr(one, mapping) for one in block.group or ())
        )
    moved = replace(
        plain, where=(*plain.where, *(map_expr(one, whole) for one in block.having)), group=None, having=()
    )
    return _mapped(moved, whole)


def _mapped(block: Select, mapping: Mapping[Expr, Expr]) -> Select:
    return replace(
        block,
        outputs=tuple(Output(one.name, map_expr(one.expr, mapping)) for one in block.outputs),
        order=tuple(replace(one, expr=map_expr(one.expr, mapping)) for one in block.order),
        having=tuple(map_expr(one, mapping) for one in block.having),
    )

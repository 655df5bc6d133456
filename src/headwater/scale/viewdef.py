"""A view that could answer a query, and the query over it (phase 1).

The view's columns are its key (Algorithm 3) and what else the query shows; a grouped view has its groups as
key and partial states as the rest.  Sources that a foreign key promises, and of which only outputs are
needed, stay out of the view and are fetched by key when it is read: so a change of an author's name touches
no row of a view of items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from headwater.model import Table
from headwater.scale.aggregates import partial_states
from headwater.scale.attributes import Attributes, attributes_of, choose_key
from headwater.scale.block import Base, Output, Select
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
from headwater.scale.rewrite import aggregates_of, rewrite
from headwater.scale.settings import Settings
from headwater.scale.stored import stored_table, view_mapping

__all__ = ["Candidate", "build_view", "core_choices"]


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
    states = partial_states(aggregates_of(block))
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
    mapping = view_mapping(definition, columns, found, name, catalog)
    table = stored_table(block, definition, key, columns, found, catalog, name, mapping, grouped)
    rewritten = rewrite(block, definition, columns, found, name, mapping, grouped)
    return Candidate(name, definition, table, key, rewritten, grouped, assumes, found, mapping)

"""A view that could answer a query, and the query over it (phase 1).

The view's columns are its key (Algorithm 3) and what else the query shows; a grouped view has its groups as
key and partial states as the rest.  Sources that a foreign key makes sure of, and of which only outputs are
needed, stay out of the view and are fetched by key when it is read: so a change of an author's name touches
no row of a view of items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from headwater.algebra.expressions.facts import aliases_of, columns_in, in_order, is_storable, is_volatile
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import (
    Call,
    Column,
    Expr,
    Literal,
    Subquery,
    call,
    walk,
)
from headwater.bounds.query.block import Base, Output, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.dependencies import atoms, closure, dependencies
from headwater.bounds.query.lossless import Lossless, lossless
from headwater.bounds.query.settings import Settings
from headwater.bounds.query.stored_exprs import require_storable
from headwater.bounds.query.windows import is_epoch
from headwater.bounds.views.attributes import Attributes, attributes_of, choose_key
from headwater.bounds.views.column_names import column_names
from headwater.bounds.views.extremes import can_be_read_again, not_null_keys
from headwater.bounds.views.partial_states import is_extreme, partial_states
from headwater.bounds.views.refused import Refused
from headwater.bounds.views.rewrite import rewrite
from headwater.bounds.views.stored import stored_table, view_mapping
from headwater.model import Table

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

    def __post_init__(self) -> None:
        require_storable(self.definition.expressions(), f"the view {self.name}")


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
                sources=tuple(source for source in block.sources if source.alias in core),
                left_joins=tuple(join for join in block.left_joins if join.alias in core),
            )
            if rest and alias not in needed and lossless(lonely, classes, settings, rest) is not None:
                core = rest
                break
    choices = [core & everything] if core & everything == core else []
    if everything not in choices and not block.left_joins:
        choices.append(everything)
    return choices


def _needed(block: Select) -> set[str]:
    """Sources that decide which rows there are, or in which order; equalities between sources do not."""
    exprs = [item.expr for item in block.order]
    exprs += [argument for aggregate in block.aggregates for argument in aggregate.arguments]
    return {alias for expr in exprs for alias in aliases_of(expr)}


def build_view(
    block: Select, core: frozenset[str], settings: Settings, name: str, partial: bool = False
) -> Candidate:
    """The view over the sources in `core`; Refused if the query has no such view.

    `partial`: the sources left out may drop rows of the view, so that nothing is said about their matches.
    """
    _refuse_shapes(block, core)
    attributes = attributes_of(block, core)
    sources = tuple(source for source in block.sources if source.alias in core and isinstance(source, Base))
    classes = Classes.of(block.where)
    sure = Lossless() if partial else lossless(block, classes, settings, core)
    if sure is None:
        raise Refused("its sources cannot be told apart into a view and rows fetched by key")
    not_null = tuple(call("not_null", column) for column in sure.not_null if column.alias in core)
    attributes = replace(attributes, where=tuple(dict.fromkeys((*attributes.where, *not_null))))
    if block.group is not None:
        return _grouped(block, sources, attributes, settings, name, sure.assumes)
    return _plain(block, sources, attributes, settings, name, sure.assumes, partial)


def _refuse_shapes(block: Select, core: frozenset[str]) -> None:
    if not all(isinstance(source, Base) for source in block.sources):
        raise Refused("a view is built of tables, and this query reads a subquery that cuts or groups")
    if block.windowed:
        raise Refused("window functions cannot be kept incrementally")
    if any(isinstance(part, Subquery) for expr in block.expressions() for part in walk(expr)):
        raise Refused("a subquery in a condition has no delta query")
    volatile = next((expr for expr in block.expressions() if is_volatile(expr)), None)
    if volatile is not None:
        raise Refused(f"{sql_of(volatile)} has another value for every row and call: no view can hold it")
    if any(join.alias in core for join in block.left_joins):
        raise Refused(
            "a left join that is not by the whole key of its optional side has no simple delta query"
        )


def _plain(
    block: Select,
    sources: tuple[Base, ...],
    attributes: Attributes,
    settings: Settings,
    name: str,
    assumes: frozenset[str],
    partial: bool,
) -> Candidate:
    for source in sources:
        if not settings.catalog[source.table].key:
            raise Refused(f"{source.table} has no primary key, so rows of a view of it cannot be told apart")
    if block.distinct:
        raise Refused("DISTINCT over a view would need a count for each of its rows")
    inside = frozenset(source.alias for source in sources)
    items = (item.expr for item in block.order)
    order = tuple(takewhile(is_storable, (expr for expr in items if aliases_of(expr) <= inside)))
    ties = _ties(block, inside) if partial else ()
    parts = (*attributes.equal, *ties, *attributes.listed, *attributes.ranged, *order)
    key = choose_key(parts, sources, attributes.classes, settings.catalog)
    shown = _shown(block, sources, attributes, key)
    columns = column_names((*key, *shown))
    definition = Select(sources, attributes.where, tuple(Output(n, e) for e, n in columns.items()))
    view = _candidate(block, definition, key, columns, attributes, settings, name, assumes, grouped=False)
    return replace(view, table=replace(view.table, foreign_keys=())) if partial else view


def _shown(
    block: Select, sources: tuple[Base, ...], attributes: Attributes, key: tuple[Expr, ...]
) -> tuple[Expr, ...]:
    """Columns that a reader needs beside the key."""
    inside = {source.alias for source in sources}
    needed: list[Column] = []
    exprs: list[Expr] = [output.expr for output in block.outputs] + [item.expr for item in block.order]
    exprs += [
        *attributes.reading,
        *(condition for condition in block.where if not aliases_of(condition) <= inside),
    ]
    exprs += [on for join in block.left_joins for on in join.on]
    for expr in exprs:
        needed += in_order(column for column in columns_in(expr) if column.alias in inside)
    held = set(key)
    return tuple(
        column
        for column in dict.fromkeys(needed)
        if not held & set(attributes.classes.of_member(column)) and not _fixed(attributes, column)
    )


def _fixed(attributes: Attributes, expr: Expr) -> bool:
    """Is it equal to a literal, so that a reader need not be given it?"""
    return any(isinstance(member, Literal) for member in attributes.classes.of_member(expr))


def _grouped(
    block: Select,
    sources: tuple[Base, ...],
    attributes: Attributes,
    settings: Settings,
    name: str,
    assumes: frozenset[str],
) -> Candidate:
    inside = frozenset(source.alias for source in sources)
    assert block.group is not None
    _refuse_multiplying(block, inside, settings.catalog)
    tied = _ties(block, inside)
    groups = [member for member in block.group if aliases_of(member) <= inside]
    parts = tuple(dict.fromkeys((*attributes.equal, *attributes.listed, *groups, *tied)))
    key = _unify(parts, attributes)
    if not key:
        raise Refused(
            "one counter for the whole table is one hot row: every change of the table would update it"
        )
    if all(map(is_epoch, key)):
        raise Refused("one counter for each epoch is one hot row: every new row of the table would update it")
    open_ = [
        condition
        for condition in attributes.reading
        if not (isinstance(condition, Call) and condition.function == "in")
    ]
    if attributes.ranged or open_:
        text = sql_of(open_[0])
        raise Refused(
            f"an aggregate over rows where {text} would have to be kept for every value of the parameter"
        )
    extremes = can_be_read_again(sources, key, attributes, settings.catalog)
    states = partial_states(block.aggregates, extremes)
    differing = next((expr for expr in (*key, *states) if not is_storable(expr)), None)
    if differing is not None:
        raise Refused(f"{sql_of(differing)} would have to be kept for every value of the parameter")
    columns = column_names((*key, *states))
    where = attributes.where
    if any(map(is_extreme, states)):
        where = tuple(dict.fromkeys((*where, *not_null_keys(sources[0], key, settings.catalog))))
    definition = Select(sources, where, tuple(Output(n, e) for e, n in columns.items()), group=key)
    if not _same_groups(block, key, attributes, settings.catalog):
        raise Refused("its groups are not determined by the groups of the view")
    return _candidate(block, definition, key, columns, attributes, settings, name, assumes, grouped=True)


def _refuse_multiplying(block: Select, inside: frozenset[str], catalog: Catalog) -> None:
    """A source fetched beside groups must not multiply their rows."""
    for join in block.left_joins:
        source = block.source(join.alias)
        held = {col.name for on in join.on for col in columns_in(on) if col.alias == join.alias}
        equal = all(isinstance(on, Call) and on.function == "eq" for on in join.on)
        if not isinstance(source, Base) or not equal or not catalog.is_unique(source.table, held):
            raise Refused("a left join that is not by a key multiplies the rows of a group")


def _ties(block: Select, inside: frozenset[str]) -> tuple[Expr, ...]:
    """Columns of the view by which other sources are fetched."""
    conditions = [
        condition
        for condition in block.where
        if aliases_of(condition) & inside and not aliases_of(condition) <= inside
    ]
    conditions += [on for join in block.left_joins for on in join.on]
    cols = [col for condition in conditions for col in in_order(columns_in(condition)) if col.alias in inside]
    return tuple(dict.fromkeys(cols))


def _unify(parts: tuple[Expr, ...], attributes: Attributes) -> tuple[Expr, ...]:
    kept: list[Expr] = []
    for part in parts:
        members = attributes.classes.of_member(part)
        if not any(member in kept for member in (part, *members)) and not _fixed(attributes, part):
            kept.append(part)
    return tuple(kept)


def _same_groups(block: Select, key: tuple[Expr, ...], attributes: Attributes, catalog: Catalog) -> bool:
    """One group of the query is one group of the view, once the parameters are fixed."""
    attributes_shown = (*(block.group or ()), *attributes.equal, *attributes.listed, *key)
    rules = dependencies(block, catalog, attributes_shown)
    asked, held = atoms(block.group or ()), atoms(key)
    fixed = atoms((*attributes.equal, *attributes.listed))
    there = closure(asked | fixed, held, rules)
    back = closure(held, asked, rules)
    return there is not None and there[0] == 1 and back is not None and back[0] == 1


def _candidate(
    block: Select,
    definition: Select,
    key: tuple[Expr, ...],
    columns: dict[Expr, str],
    attributes: Attributes,
    settings: Settings,
    name: str,
    assumes: frozenset[str],
    grouped: bool,
) -> Candidate:
    catalog = settings.catalog
    mapping = view_mapping(definition, columns, attributes, name, catalog)
    table = stored_table(block, definition, key, columns, attributes, catalog, name, mapping, grouped)
    rewritten = rewrite(block, definition, columns, attributes, name, mapping, grouped)
    return Candidate(name, definition, table, key, rewritten, grouped, assumes, attributes, mapping)

"""Phase 4: queries that only a hot spot would answer, as staging and a periodic parallel refresh (SI-3).

An index led by a TEMPORAL column takes every insert at its end, on one machine.  Instead the rows are staged
hash-partitioned by primary key, sorted by time within each partition: inserts spread over all machines.  The
query becomes a view refreshed every minute, each partition reading only as much as the query's own cut or
window allows, or, if it has a parameter that is not an equality, a read of all partitions in parallel.

The other case is the ranking of a windowed aggregate: counters by epoch are kept incrementally, and the
ranking is taken anew at every refresh, because it changes as time goes by and not only as data does.

What is bounded is the serial work of one partition; the total grows with the number of partitions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.scale.aggregates import read_state
from headwater.scale.attributes import attributes_of
from headwater.scale.block import Base, Derived, Output, Query, Select
from headwater.scale.choose import ChosenView, keep_view
from headwater.scale.classes import Classes, equality
from headwater.scale.expr import Aggregate, Col, Expr, aliases_of, cols_of, params_of, sql_of, walk
from headwater.scale.optimize import plan_query, prune
from headwater.scale.plan import Index
from headwater.scale.promise import promise
from headwater.scale.refused import Refused
from headwater.scale.search import Found
from headwater.scale.settings import Settings, count_bound
from headwater.scale.text import select_sql
from headwater.scale.viewdef import Candidate, build_view, map_expr
from headwater.scale.windows import by_epochs, windows_of

__all__ = ["Periodic", "Staging", "hot_index", "ranked_window", "stage"]

PERIOD = "1 MINUTE"


@dataclass(frozen=True, slots=True)
class Staging:
    """Rows of `table` by hash of the key, then by the temporal column."""

    name: str
    table: str
    sql: str
    key: tuple[str, ...]
    writes: int = 1


@dataclass(frozen=True, slots=True)
class Periodic:
    """An SI-3 answer: what is staged or counted, the refreshed view, and how it is read."""

    stagings: tuple[Staging, ...]
    counters: tuple[ChosenView, ...]
    name: str
    sql: str
    key: tuple[str, ...]
    rewritten: str
    operations: int  # of a read
    rows: int
    serial: int  # rows that one partition reads for a refresh (or a parallel read)
    serial_text: str
    refreshed: bool
    assumes: frozenset[str] = frozenset()
    indexes: frozenset[Index] = frozenset()


def hot_index(found: Found, settings: Settings) -> Index | None:
    """An index of the plan that is led by a column that grows with time."""
    for index in sorted(found.indexes, key=repr):
        lead = index.parts[0].expr if index.parts else None
        if isinstance(lead, Col) and settings.is_hot(index.table, lead.name):
            return index
    return None


def stage(query: Query, settings: Settings, name: str) -> Periodic | None:
    """A query whose bounded plan needs hot indexes, with each of them replaced by a staging view."""
    if not settings.temporal and not any(
        c.temporal for t in settings.catalog.tables.values() for c in t.columns
    ):
        return None
    query = prune(query) if isinstance(query, Select) else query
    found = plan_query(query, replace(settings, hot=True))
    hot = [one for one in sorted(found.indexes, key=repr) if _is_hot(one, settings)] if found else []
    if found is None or not hot:
        return None
    stagings = tuple(_staging(index, settings, name, number) for number, index in enumerate(hot))
    replaced = {one.table: one.name for one in stagings}
    equal = _equal_values(query)
    asked = query.params - _cut_params(query)
    keep = tuple(one for one in found.indexes if one not in hot)
    serial = found.bound.read
    if asked <= {one for value, _ in equal for one in params_of(value)}:
        names = _lead_names(query, equal) if isinstance(query, Select) else {}
        sql, key = _refreshed(query, replaced, equal)
        return Periodic(
            stagings, (), name, sql, key, _read(query, name, equal, names), 1, found.bound.rows, serial,
            f"each partition reads at most {serial} rows for a refresh", True, found.assumes, frozenset(keep),
        )  # fmt: skip
    text = _over(query, replaced)
    return Periodic(
        stagings, (), name, text, (), text, found.bound.operations, found.bound.rows, serial,
        f"each partition reads at most {serial} rows for a read; the partitions work in parallel", False,
        found.assumes, frozenset(keep),
    )  # fmt: skip


def _is_hot(index: Index, settings: Settings) -> bool:
    lead = index.parts[0].expr if index.parts else None
    return isinstance(lead, Col) and settings.is_hot(index.table, lead.name)


def _staging(index: Index, settings: Settings, name: str, number: int) -> Staging:
    """CREATE VIEW s SELECT HASH(key), time, the rest that is needed."""
    table = settings.catalog[index.table]
    parts = [sql_of(part.expr) for part in index.parts]
    held = [*parts, *(one for one in index.include if one not in parts)]
    key = f"HASH({', '.join(table.key or table.column_names)})"
    label = f"{name}_staging" if number == 0 else f"{name}_staging_{number + 1}"
    return Staging(label, index.table, f"SELECT {', '.join([key, *held])} FROM {index.table}", (key, *parts))


def _cut_params(query: Query) -> set[str]:
    cuts = [query.limit, query.offset]
    if isinstance(query, Select):
        for source in query.sources:
            if isinstance(source, Derived):
                cuts += [source.query.limit, source.query.offset]
    return {name for one in cuts if one is not None for name in params_of(one)}


Equal = tuple[tuple[Expr, Expr], ...]  # (value of parameters, the attribute it must equal)


def _equal_values(query: Query) -> Equal:
    """Values of parameters that attributes must equal: a refreshed view can be keyed by those attributes."""
    if not isinstance(query, Select):
        return ()
    found = []
    for group in Classes.of(query.where).groups:
        column = next((one for one in group if aliases_of(one)), None)
        values = [one for one in group if not aliases_of(one) and params_of(one)]
        if column is not None:
            found += [(value, column) for value in values]
    return tuple(found)


def _over(query: Query, replaced: dict[str, str]) -> str:
    return select_sql(_swap(query, replaced))


def _swap(query: Query, replaced: dict[str, str]) -> Query:
    """Staging views in place of their tables."""
    if not isinstance(query, Select):
        return replace(query, branches=tuple(_swap(one, replaced) for one in query.branches))
    sources = tuple(
        replace(one, table=replaced.get(one.table, one.table))
        if isinstance(one, Base)
        else replace(one, query=_swap(one.query, replaced))
        for one in query.sources
    )
    return replace(query, sources=sources)


def _refreshed(query: Query, replaced: dict[str, str], equal: Equal) -> tuple[str, tuple[str, ...]]:
    """The query over the staging views, for all values of its equality parameters at once."""
    swapped = _swap(query, replaced)
    if not isinstance(swapped, Select) or not equal:
        return select_sql(swapped), tuple(query.columns)
    return _for_all(swapped, equal, _lead_names(swapped, equal))


def _lead_names(block: Select, equal: Equal) -> dict[Expr, str]:
    """A name for each attribute that a parameter equals, different from the outputs' names."""
    taken = {one.name.lower() for one in block.outputs if all(one.expr != column for _, column in equal)}
    names: dict[Expr, str] = {}
    for _, column in equal:
        wanted = column.name if isinstance(column, Col) else "epoch"
        if wanted.lower() in taken and isinstance(column, Col):
            wanted = f"{column.alias}{column.name}"
        names[column] = wanted
    return names


def _for_all(block: Select, equal: Equal, names: dict[Expr, str]) -> tuple[str, tuple[str, ...]]:
    """Parameters become key columns; a LIMIT becomes a rank within them."""
    leads = tuple(names)
    values = {value for value, _ in equal}
    where = tuple(one for one in block.where if not set(equality(one) or ()) & values)
    shown = {one.expr for one in block.outputs}
    extra = tuple(Output(names[one], one) for one in leads if one not in shown)
    scores = tuple(
        Output(f"score_{number + 1}", one.expr)
        for number, one in enumerate(block.order)
        if one.expr not in shown
    )
    group = None if block.group is None else tuple(dict.fromkeys((*leads, *block.group)))
    outputs = (*extra, *block.outputs, *scores)
    text = select_sql(replace(block, where=where, outputs=outputs, group=group, order=(), limit=None))
    if block.limit is not None:
        by = ", ".join(map(sql_of, leads))
        order = ", ".join(sql_of(one.expr) + (" DESC" if one.descending else "") for one in block.order) or by
        rank = f"ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY {order}) AS place"
        text = text.replace("SELECT ", f"SELECT {rank}, ", 1)
        text = f"SELECT * FROM ({text}) WHERE place <= {sql_of(block.limit)}"
    return text, (*names.values(), *(("place",) if block.limit is not None else ()))


def _read(query: Query, name: str, equal: Equal, names: dict[Expr, str]) -> str:
    where = " AND ".join(f"{names[column]} = {sql_of(value)}" for value, column in equal)
    text = f"SELECT {', '.join(query.columns)} FROM {name}" + (f" WHERE {where}" if where else "")
    if equal and query.limit is not None:
        text += f" ORDER BY place LIMIT {sql_of(query.limit)}"
    return text


def ranked_window(query: Query, settings: Settings, name: str) -> Periodic:
    """GROUP BY over a time window, ranked by an aggregate: counters by epoch and a periodic top-k."""
    if not isinstance(query, Select) or not windows_of(query) or not query.group:
        raise Refused("it is not a windowed aggregate")
    most = count_bound(query.limit, settings)
    if most is None:
        raise Refused("its result has no bound: no LIMIT on the groups of a window")
    block, notes = by_epochs(query, first=True)
    core, counted, assumes = _counted(block, settings)
    view = build_view(counted, core, settings, f"{name}_counts")
    kept, below, _ = keep_view(view, settings)
    equal = _equal_values(block)
    known = {one for value, _ in equal for one in params_of(value)} | _cut_params(query)
    if query.params - known or attributes_of(block, frozenset(block.aliases)).reading:
        raise Refused("a parameter other than an equality cannot be a key of the refreshed view")
    ranking = _ranking(block, core, view)
    names = _lead_names(block, equal)
    over = tuple((value, map_expr(column, view.mapping)) for value, column in equal)
    sql, key = _for_all(ranking, over, {map_expr(column, view.mapping): one for column, one in names.items()})
    return Periodic(
        (), (*below, kept), name, sql, key, _read(query, name, equal, names), 1, most, most,
        "each partition ranks its share of one window's counters",
        True, assumes | frozenset(notes) | view.assumes, frozenset(_delta_indexes(kept)),
    )  # fmt: skip


def _ranking(block: Select, core: frozenset[str], view: Candidate) -> Select:
    """The query over the counters, with the other sources fetched by key."""
    states: dict[Expr, Expr] = {one: read_state(one, view.mapping, True) for one in _aggregates(block)}
    whole: dict[Expr, Expr] = {**view.mapping, **states}
    stays = [one for one in block.where if not aliases_of(one) <= core]
    return replace(
        block,
        sources=(Base(view.name, view.name), *(one for one in block.sources if one.alias not in core)),
        where=tuple(map_expr(one, view.mapping) for one in stays),
        outputs=tuple(Output(one.name, map_expr(one.expr, whole)) for one in block.outputs),
        group=tuple(map_expr(one, view.mapping) for one in block.group or ()),
        having=tuple(map_expr(one, whole) for one in block.having),
        order=tuple(replace(one, expr=map_expr(one.expr, whole)) for one in block.order),
    )


def _delta_indexes(view: ChosenView) -> set[Index]:
    return {index for one in view.maintenance for index in one.found.indexes}


def _counted(block: Select, settings: Settings) -> tuple[frozenset[str], Select, frozenset[str]]:
    """The sources that must be counted together; others are fetched by key at a refresh.

    A source is left out if nothing but keys ties it to the rest: conditions on it and groups of its columns
    are applied when the counters are ranked.
    """
    needed = {alias for one in _aggregate_arguments(block) for alias in aliases_of(one)}
    needed |= {alias for one in windows_of(block) for alias in aliases_of(one.column)}
    core = frozenset(block.aliases)
    assumes: frozenset[str] = frozenset()
    for _ in block.aliases:
        for alias in sorted(core - needed):
            rest = core - {alias}
            bare = _bare(block, core, alias)
            found = promise(bare, Classes.of(bare.where), settings, rest) if rest else None
            if found is not None and not _epoch_on(block, alias):
                core, assumes = rest, assumes | found.assumes
                break
    where = tuple(one for one in block.where if aliases_of(one) <= core or _is_tie(one))
    ties = [
        c
        for one in where
        if not aliases_of(one) <= core
        for c in sorted(cols_of(one), key=repr)
        if c.alias in core
    ]
    groups = [one for one in block.group or () if aliases_of(one) <= core]
    counted = replace(
        block,
        sources=tuple(one for one in block.sources if one.alias in core),
        where=tuple(one for one in where if aliases_of(one) <= core),
        outputs=tuple(
            Output(f"value_{number}", one) for number, one in enumerate(_aggregates(block))
        ),
        group=tuple(dict.fromkeys((*groups, *ties))),
        having=(), order=(), limit=None, offset=None, left_joins=(),
    )  # fmt: skip
    return core, counted, assumes


def _epoch_on(block: Select, alias: str) -> bool:
    return any(
        alias in aliases_of(one) and not isinstance(side, Col)
        for one in block.where
        if (sides := equality(one))
        for side in sides
        if aliases_of(side) == {alias}
    )


def _is_tie(condition: Expr) -> bool:
    sides = equality(condition)
    return sides is not None and all(isinstance(one, Col) for one in sides)


def _bare(block: Select, core: frozenset[str], alias: str) -> Select:
    """The block without conditions on `alias` other than ties to the rest."""
    kept = tuple(
        one
        for one in block.where
        if aliases_of(one) <= core and (alias not in aliases_of(one) or _is_tie(one))
    )
    return replace(
        block, sources=tuple(one for one in block.sources if one.alias in core), where=kept, left_joins=()
    )


def _aggregates(block: Select) -> tuple[Aggregate, ...]:
    exprs = [*(one.expr for one in block.outputs), *block.having, *(one.expr for one in block.order)]
    return tuple(dict.fromkeys(part for one in exprs for part in walk(one) if isinstance(part, Aggregate)))


def _aggregate_arguments(block: Select) -> list[Expr]:
    return [value for one in _aggregates(block) for value in one.arguments]

"""Extend a state of the search by one more source: read it by a path, filter, and cut if that is safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.tree import Expr, call
from headwater.bounds.plans.access.path import Access, Wanted
from headwater.bounds.plans.access.propose import accesses
from headwater.bounds.plans.block_search import BlockSearch, State
from headwater.bounds.plans.cuts import cut, may_stop
from headwater.bounds.plans.exclusions import most_excluded
from headwater.bounds.plans.plan import Bound, Each, Nested, OneOf, Probe
from headwater.bounds.plans.subplans import BoundedPlan, filtered
from headwater.bounds.query.block import Base, Derived
from headwater.bounds.query.conditions import Conditions

__all__ = ["extend"]


def extend(search: BlockSearch, state: State, alias: str) -> Iterator[State]:
    """The states that have `alias` too."""
    source = search.block.source(alias)
    if isinstance(source, Derived):
        yield from _join_derived(search, state, source)
        return
    conditions = search.conditions(state, alias)
    for access in _accesses(search, state, source, conditions):
        yield from _probe(search, state, source, conditions, access)


def _accesses(search: BlockSearch, state: State, source: Base, conditions: Conditions) -> Iterator[Access]:
    settings = search.settings
    lossless = search.lossless(state.done | {source.alias})
    can_cut = search.most is not None and not state.cut and lossless is not None
    columns = lossless.not_null if lossless else ()
    wanted = Wanted(
        alias=source.alias,
        table=source.table,
        conditions=conditions,
        needed=search.needed[source.alias],
        order=search.order_by(state, source.alias) if can_cut else None,
        not_null=tuple(column for column in columns if column.alias == source.alias),
        secondary=settings.secondary,
        widths=tuple(search.widths(conditions, source)),
        temporal=settings.temporal_columns(source.table),
        groups=search.groups(state, source.alias),
    )
    for access in accesses(settings.catalog, wanted):
        if not access.index.hot or settings.hot:
            yield access


def _probe(
    search: BlockSearch, state: State, source: Base, conditions: Conditions, access: Access
) -> Iterator[State]:
    """The source read by a path, if the rows that it gives are bounded."""
    optional = search.block.left_join(source.alias) is not None
    rest = [condition for condition in dict.fromkeys(conditions.all()) if condition not in access.satisfied]
    if rest and any(isinstance(binding, Each) and binding.stop is not None for binding in access.bindings):
        return  # a group of which nothing is left must not count
    per_row, limit = access.rows, None
    if search.most is not None and not optional and may_stop(search, state, source, access):
        excluded = most_excluded(search, state, source, access, rest)
        stop = None if excluded is None else (search.most + excluded) * _combinations(access)
        if excluded is not None and stop is not None and (per_row is None or stop < per_row):
            per_row = stop
            limit = call("add", search.stop(), number(excluded)) if excluded else search.stop()
    fans_out = per_row is None and optional and _is_cut_before(search, state, source, rest)
    if fans_out and search.most is not None:
        per_row, limit = search.most * _combinations(access), search.stop()
    if per_row is None:
        return
    bound = _probe_bound(state.bounded.bound, access, per_row, optional)
    probe = Probe(
        child=state.bounded.plan,
        alias=source.alias,
        index=access.index,
        bindings=access.bindings,
        ranges=access.ranges,
        bound=bound,
        reverse=access.reverse,
        fetch=access.fetch,
        unique=access.unique,
        limit=limit,
        optional=optional,
        on=tuple(rest) if optional else (),
        expects="" if optional else dict(state.expects).get(source.alias, ""),
    )
    bounded = replace(
        state.bounded,
        plan=probe,
        bound=bound,
        indexes=state.bounded.indexes | (frozenset() if access.index.primary else {access.index}),
        assumes=state.bounded.assumes | access.assumes,
    )
    later = search.after_join(state, source.alias) if optional else tuple(rest)
    yield from _after(search, state, bounded, source.alias, later, limit is not None and not fans_out)


def _is_cut_before(search: BlockSearch, state: State, source: Base, rest: list[Expr]) -> bool:
    """Is LIMIT taken of the rows that a left join only makes more of?

    Each of them gives at least one row of the result, so that no more partners of one are ever shown than
    LIMIT says; which ones does not matter, because the order does not ask.
    """
    return state.cut and search.per is None and not rest and not search.after_join(state, source.alias)


def _probe_bound(before: Bound, access: Access, per_row: int, optional: bool) -> Bound:
    rows = before.rows * per_row
    operations = before.operations + before.rows * access.probes + (rows if access.fetch else 0)
    read = before.read + rows + before.rows * _skipped(access)
    return Bound(operations, read, max(rows, before.rows) if optional else rows)


def _skipped(access: Access) -> int:
    """The entries that skip scans read to find the next value, for one input row."""
    combinations, entries = 1, 0
    for binding in access.bindings:
        if isinstance(binding, OneOf | Each):
            combinations *= binding.most
            entries += combinations if isinstance(binding, Each) else 0
    return entries


def _combinations(access: Access) -> int:
    number = 1
    for binding in access.bindings:
        if isinstance(binding, OneOf | Each):
            number *= binding.most
    return number


def _join_derived(search: BlockSearch, state: State, source: Derived) -> Iterator[State]:
    """A derived source is computed by its own bounded plan: once, or for each row that it reads from."""
    inner = search.derived(source)
    if inner is None:
        return
    join = search.block.left_join(source.alias)
    before = state.bounded.bound
    rows = before.rows * inner.bound.rows
    times = before.rows if source.outer else 1
    bound = Bound(
        before.operations + times * inner.bound.operations,
        before.read + times * inner.bound.read,
        max(rows, before.rows) if join is not None else rows,
    )
    on = join.on if join is not None else ()
    bounded = BoundedPlan(
        Nested(state.bounded.plan, source.alias, inner.plan, bound, join is not None, on, bool(source.outer)),
        bound,
        state.bounded.indexes | inner.indexes,
        state.bounded.assumes | inner.assumes,
    )
    later = search.after_join(state, source.alias)
    yield from _after(search, state, bounded, source.alias, later, pushed=False)


def _after(
    search: BlockSearch,
    state: State,
    bounded: BoundedPlan,
    alias: str,
    rest: tuple[Expr, ...],
    pushed: bool,
) -> Iterator[State]:
    """Filter what the path did not decide, then cut if no later join can lose a row.

    `pushed`: the limit is in the read already, so the state is of use only with the cut.
    """
    extended = filtered(bounded, rest, search.settings, search.plan_query) if rest else bounded
    if extended is None:
        return
    plain = State(extended, state.done | {alias}, state.cut, state.expects)
    with_cut = None if state.cut else cut(search, plain, pushed)
    if with_cut is not None:
        yield with_cut
    if not pushed and (with_cut is None or with_cut.bounded.assumes - extended.assumes):
        yield plain

"""When a LIMIT may be taken before all sources are joined: as soon as no later join can lose a row."""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions.facts import aliases_of, is_value
from headwater.algebra.expressions.tree import Column, call
from headwater.bounds.plans.access.orders import is_token
from headwater.bounds.plans.access.path import Access, local
from headwater.bounds.plans.block_search import BlockSearch, State
from headwater.bounds.plans.plan import Cut, Filter, Plan, Probe
from headwater.bounds.plans.subplans import filtered, subqueries_of
from headwater.bounds.query.block import Base, Order

__all__ = ["cut", "may_stop"]


def may_stop(search: BlockSearch, state: State, source: Base, access: Access) -> bool:
    """Are the first rows of the read enough: in order, and none lost by a later join?

    Columns that a later join needs must be excluded or assumed not NULL.  (Rows of earlier sources with a
    NULL there drop out whole, and take no row of another with them.)
    """
    lossless = search.lossless(state.done | {source.alias})
    if state.cut or not access.ordered or lossless is None:
        return False
    if not _reads_one_partition(search, state, source, access):
        return False
    nullable = any(column.alias == source.alias for column in lossless.not_null)
    return search.settings.assume or access.not_null or not nullable


def _reads_one_partition(search: BlockSearch, state: State, source: Base, access: Access) -> bool:
    """Does each single read, with its bound values, see rows of one partition alone?"""
    held = {part.expr for part in access.index.parts[: len(access.bindings)] if not is_token(part.expr)}
    given = search.given(state)
    for expr in search.per or ():
        members = search.classes.of_member(expr)
        own = {local(member) for member in members if aliases_of(member) == {source.alias}}
        if not own & held and not any(is_value(member, given) for member in members):
            return False
    return True


def cut(search: BlockSearch, state: State, pushed: bool) -> State | None:
    """The state with the block's order and limit taken; None if a later join might lose a row."""
    lossless, order = search.lossless(state.done), _order_here(search, state)
    if lossless is None or search.most is None or order is None:
        return None
    here = [column for column in lossless.not_null if column.alias in state.done]
    later = [column for column in lossless.not_null if column.alias not in state.done]
    if later and not search.settings.assume:
        return None
    bounded = state.bounded
    nullable = _nullable_in(bounded.plan, here) if pushed else []
    assumes = set(lossless.assumes) | {_never_null(search, column) for column in (*later, *nullable)}
    checks = tuple(call("not_null", column) for column in here)
    if checks:
        bounded = filtered(bounded, checks, search.settings, search.plan_query) or bounded
    rows = bounded.bound.rows if search.per is not None else min(bounded.bound.rows, search.most)
    bound = replace(bounded.bound, rows=rows)
    plan = Cut(bounded.plan, order, search.stop(), None, bound, search.per)
    with_cut = replace(bounded, plan=plan, bound=bound, assumes=bounded.assumes | assumes)
    return State(with_cut, state.done, True, lossless.expects)


def _order_here(search: BlockSearch, state: State) -> tuple[Order, ...] | None:
    """The order by what the sources there hold, which may equal an expression over later ones.

    None if an item of it, or what tells partitions apart, cannot be computed yet.
    """
    given = search.given(state)
    if not all(aliases_of(expr) <= given and not subqueries_of(expr) for expr in search.per or ()):
        return None
    order: list[Order] = []
    for item in search.order:
        members = (item.expr, *search.classes.of_member(item.expr))
        held = (member for member in members if aliases_of(member) <= given and not subqueries_of(member))
        expr = next(held, None)
        if expr is None:
            return None
        order.append(replace(item, expr=expr))
    return tuple(order)


def _nullable_in(plan: Plan, columns: list[Column]) -> list[Column]:
    """Columns of the source just read that may be NULL, because its index keeps those rows."""
    while isinstance(plan, Filter):  # what drops a bounded number of the rows read
        plan = plan.child
    assert isinstance(plan, Probe)
    own = [column for column in columns if column.alias == plan.alias]
    return [column for column in own if call("not_null", Column(column.name)) not in plan.index.where]


def _never_null(search: BlockSearch, column: Column) -> str:
    source = search.block.source(column.alias)
    return f"{source.table if isinstance(source, Base) else column.alias}.{column.name} is never NULL"

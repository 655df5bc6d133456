"""Phase 0 for a whole query: blocks, unions, ORs, subqueries, grouping, MIN and MAX.

    plan_query(query, settings) -> the cheapest bounded plan, or None

The search plans the sources and conditions of a block; this file puts around it what SQL adds: grouping,
HAVING, DISTINCT, projection, the order and the final cut.  A grouping is bounded if its input is.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.scale.block import Base, Order, Output, Query, Select, Union
from headwater.scale.classes import Classes
from headwater.scale.derived import prune, push_down
from headwater.scale.expr import (
    Aggregate,
    Col,
    Expr,
    Lit,
    aliases_of,
    call,
    cols_of,
    transform,
    walk,
)
from headwater.scale.plan import Bound, Cut, Dedupe, Extremes, Group, Plan, Project, Sets, Setup
from headwater.scale.prepare import disjunctions, hoist, join_forms, listed, window_of
from headwater.scale.search import search
from headwater.scale.settings import Settings, count_bound
from headwater.scale.subplans import Found, filtered, subplan

__all__ = ["best", "extreme", "plan_query"]


def plan_query(query: Query, settings: Settings) -> Found | None:
    """The bounded plan with the fewest operations, within what the settings allow."""
    match query:
        case Select():
            return _plan_select(query, settings)
        case Union():
            return _plan_union(query, settings)


def best(*found: Found | None) -> Found | None:
    known = [one for one in found if one is not None]
    return min(known, key=lambda one: one.cost, default=None)


def _plan_select(block: Select, settings: Settings) -> Found | None:
    hoisted = hoist(listed(push_down(prune(block))), _prefix(settings))
    windows = dict(settings.windows)
    values: list[tuple[str, Found]] = []
    for name, query in hoisted.values:
        inner = plan_query(query, settings)
        if inner is None:
            return None
        values.append((name, inner))
        window = window_of(query, settings.catalog)
        if window is not None:
            windows[name] = window
    inside = replace(settings, windows=windows)
    forms = join_forms(hoisted.block, settings.catalog)
    found = best(*(one for form in forms for one in _forms(form, inside)))
    return found if found is None or not values else _with_values(found, values)


def _prefix(settings: Settings) -> str:
    """Values of nested blocks must not take each other's names."""
    return "x" * len(settings.given)


def _with_values(found: Found, values: list[tuple[str, Found]]) -> Found:
    operations = found.bound.operations + sum(inner.bound.operations for _, inner in values)
    read = found.bound.read + sum(inner.bound.read for _, inner in values)
    bound = Bound(operations, read, found.bound.rows)
    plan = Setup(tuple((name, inner.plan) for name, inner in values), found.plan, bound)
    indexes = found.indexes.union(*(inner.indexes for _, inner in values))
    return Found(plan, bound, indexes, found.assumes.union(*(inner.assumes for _, inner in values)))


def _forms(block: Select, settings: Settings) -> list[Found | None]:
    found = [_extremes(block, settings), _whole(block, settings)]
    if not any(one is not None for one in found):
        found.append(_branches(block, settings))
    return found


def is_cuttable(block: Select, settings: Settings) -> bool:
    """May LIMIT be taken over joined rows? Not above a grouping, a window function or a real DISTINCT."""
    if block.group is not None or block.windowed:
        return False
    return not block.distinct or _distinct_already(block, settings)


def _distinct_already(block: Select, settings: Settings) -> bool:
    """The outputs hold a key of every source."""
    classes = Classes.of(block.where)
    shown = {one.expr for one in block.outputs}
    for source in block.sources:
        if not isinstance(source, Base):
            return False
        held = [
            name
            for name in settings.catalog[source.table].column_names
            if shown & set(classes.of_member(Col(source.alias, name)))
            or any(not aliases_of(one) for one in classes.of_member(Col(source.alias, name)))
        ]
        if not settings.catalog.identifies(source.table, held):
            return False
    return not block.left_joins


def _whole(block: Select, settings: Settings) -> Found | None:
    core = search(block, settings, plan_query, is_cuttable(block, settings))
    return None if core is None else finish(block, core, settings)


def _branches(block: Select, settings: Settings) -> Found | None:
    """OR as a union: each branch bounded, a combination of rows counted once."""
    parts = disjunctions(block)
    keys = []
    for source in block.sources:
        if not isinstance(source, Base) or not settings.catalog[source.table].key:
            return None
        keys.append((source.alias, settings.catalog[source.table].key))
    kept = _needed_keys(block, keys)
    found = [search(_keyed(part, kept), settings, plan_query, is_cuttable(block, settings)) for part in parts]
    if not parts or any(one is None for one in found):
        return None
    known = [one for one in found if one is not None]
    core = Found(
        Dedupe(tuple(one.plan for one in known), tuple(keys), _sum(known)),
        _sum(known),
        frozenset().union(*(one.indexes for one in known)),
        frozenset().union(*(one.assumes for one in known)),
    )
    return finish(block, core, settings)


def _needed_keys(block: Select, keys: list[tuple[str, tuple[str, ...]]]) -> tuple[Output, ...]:
    return tuple(Output(f"$key_{alias}_{name}", Col(alias, name)) for alias, key in keys for name in key)


def _keyed(block: Select, extra: tuple[Output, ...]) -> Select:
    return replace(block, outputs=(*block.outputs, *extra))


def _sum(found: list[Found]) -> Bound:
    return Bound(
        sum(one.bound.operations for one in found),
        sum(one.bound.read for one in found),
        sum(one.bound.rows for one in found),
    )


def aggregates_of(block: Select) -> tuple[Aggregate, ...]:
    exprs = [*(one.expr for one in block.outputs), *block.having, *(one.expr for one in block.order)]
    return tuple(dict.fromkeys(part for one in exprs for part in walk(one) if isinstance(part, Aggregate)))


def _extremes(block: Select, settings: Settings) -> Found | None:
    """MIN and MAX of no group: the first row in the order of the value, for each."""
    wanted = aggregates_of(block)
    if block.group != () or block.having or not wanted or block.limit is not None:
        return None
    if any(one.function not in ("min", "max") or len(one.arguments) != 1 for one in wanted):
        return None
    if any(cols_of(_without(output.expr)) for output in block.outputs):
        return None
    plans: list[tuple[Expr, Found]] = []
    for one in wanted:
        inner = _plan_select(extreme(block, one), settings)
        if inner is None:
            return None
        plans.append((one, inner))
    bound = replace(_sum([inner for _, inner in plans]), rows=1)
    core = Found(
        Extremes(tuple((one, inner.plan) for one, inner in plans), bound),
        bound,
        frozenset().union(*(inner.indexes for _, inner in plans)),
        frozenset().union(*(inner.assumes for _, inner in plans)),
    )
    return _projected(block, core, settings)


def _without(expr: Expr) -> Expr:
    return substitute_aggregates(expr)


def substitute_aggregates(expr: Expr) -> Expr:
    """The expression with its aggregates as constants: what is left must not name columns."""
    return transform(expr, lambda part: Lit(0, "0") if isinstance(part, Aggregate) else part)


def extreme(block: Select, one: Aggregate) -> Select:
    """MAX(x) as ORDER BY x DESC LIMIT 1, over rows where x is not NULL."""
    value = one.arguments[0]
    down = one.function == "max"
    return replace(
        block,
        where=(*block.where, call("not_null", value)),
        outputs=(Output("value", value),),
        group=None,
        distinct=False,
        order=(Order(value, down, not down),),
        limit=Lit(1, "1"),
        offset=None,
    )


def finish(block: Select, core: Found, settings: Settings) -> Found | None:
    """What stands above the joined rows."""
    found: Found | None = core
    if block.group is not None:
        rows = 1 if block.group == () else core.bound.rows
        bound = replace(core.bound, rows=rows)
        plan = Group(core.plan, block.group, aggregates_of(block), bound, block.group == ())
        found = replace(core, plan=plan, bound=bound)
    if block.having and found is not None:
        found = filtered(found, block.having, settings, plan_query)
    return None if found is None else _projected(block, found, settings)


def _projected(block: Select, found: Found, settings: Settings) -> Found | None:
    """Order, project and cut; DISTINCT comes before the cut."""
    subplans, bound = [], found.bound
    for output in block.outputs:
        for query in (part for part in walk(output.expr) if hasattr(part, "query")):
            planned = subplan(query, settings, plan_query, probe=False)  # type: ignore[arg-type]
            if planned is None:
                return None
            one, inner = planned
            subplans.append(one)
            times = bound.rows if one.correlated else 1
            bound = Bound(
                bound.operations + times * inner.bound.operations,
                bound.read + times * inner.bound.read,
                bound.rows,
            )
            found = replace(
                found, indexes=found.indexes | inner.indexes, assumes=found.assumes | inner.assumes
            )
    plan: Plan = found.plan
    rows = _cut_rows(block, bound.rows, settings)
    if block.distinct:
        plan = Project(plan, block.outputs, bound, True, tuple(subplans), keep=True)
        plan = Cut(plan, block.order, block.limit, block.offset, replace(bound, rows=rows))
    else:
        if (block.order or block.limit is not None or block.offset is not None) and not _cut_already(
            plan, block
        ):
            plan = Cut(plan, block.order, block.limit, block.offset, replace(bound, rows=rows))
        plan = Project(plan, block.outputs, replace(bound, rows=rows), False, tuple(subplans))
    return replace(found, plan=plan, bound=replace(bound, rows=rows))


def _cut_already(plan: Plan, block: Select) -> bool:
    """The last step of the search was this very cut."""
    return (
        isinstance(plan, Cut)
        and block.offset is None
        and (plan.order, plan.limit) == (block.order, block.limit)
    )


def _cut_rows(block: Select | Union, rows: int, settings: Settings) -> int:
    most = count_bound(block.limit, settings)
    return rows if most is None else min(rows, most)


def _plan_union(query: Union, settings: Settings) -> Found | None:
    """Each branch bounded; a limit over UNION ALL is a limit of each branch."""
    found = []
    for branch in query.branches:
        inner = plan_query(_limited(branch, query), settings)
        if inner is None:
            return None
        found.append(inner)
    bound = _sum(found)
    rows = found[0].bound.rows if query.kind in ("intersect", "except") else bound.rows
    plan: Plan = Sets(tuple(one.plan for one in found), query.kind, query.columns, replace(bound, rows=rows))
    if query.order or query.limit is not None:
        rows = _cut_rows(query, rows, settings)
        order = tuple(replace(one, expr=_shown(one.expr)) for one in query.order)
        plan = Cut(plan, order, query.limit, query.offset, replace(bound, rows=rows))
    return Found(
        plan,
        replace(bound, rows=rows),
        frozenset().union(*(one.indexes for one in found)),
        frozenset().union(*(one.assumes for one in found)),
    )


def _shown(expr: Expr) -> Expr:
    return Col("$out", expr.name) if isinstance(expr, Col) else expr


def _limited(branch: Query, query: Union) -> Query:
    """Push LIMIT n (+ offset) and the order into a branch of UNION ALL that has none of its own."""
    if query.kind != "all" or query.limit is None or not isinstance(branch, Select):
        return branch
    if branch.limit is not None or branch.offset is not None:
        return branch
    limit = query.limit if query.offset is None else call("add", query.limit, query.offset)
    position = {name: index for index, name in enumerate(query.columns)}
    order = []
    for item in query.order:
        if not isinstance(item.expr, Col):
            return branch
        order.append(replace(item, expr=branch.outputs[position[item.expr.name]].expr))
    return replace(branch, order=tuple(order), limit=limit)

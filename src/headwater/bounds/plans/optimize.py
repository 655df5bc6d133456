"""Phase 0 for a whole query: blocks, unions, ORs, subqueries, grouping, MIN and MAX.

    plan_query(query, settings) -> the cheapest bounded plan, or None

The search plans the sources and conditions of a block; this file puts around it what SQL adds: grouping,
HAVING, DISTINCT, projection, the order and the final cut.  A grouping is bounded if its input is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater.algebra.expressions.build import ZERO, number
from headwater.algebra.expressions.facts import aliases_of, columns_in
from headwater.algebra.expressions.tree import AggregateCall, Call, Column, Expr, call, transform
from headwater.bounds.plans.plan import OUT, Bound, Cut, Dedupe, Extremes, Group, Plan, Project, Sets, Setup
from headwater.bounds.plans.search import search
from headwater.bounds.plans.subplans import BoundedPlan, filtered, subqueries_of, with_subplans
from headwater.bounds.query.block import Base, Order, Output, Query, Select, Top, Union
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.forms.child_aggregates import with_child_subqueries
from headwater.bounds.query.forms.derived import prune, push_down
from headwater.bounds.query.forms.prepare import disjunctions, hoist, join_forms, listed, window_of
from headwater.bounds.query.settings import Settings, count_bound

__all__ = ["extreme", "plan_query"]


def plan_query(query: Query, settings: Settings) -> BoundedPlan | None:
    """The bounded plan with the fewest operations, within what the settings allow."""
    match query:
        case Select():
            return _plan_select(query, settings)
        case Union():
            return _plan_union(query, settings)


def _cheapest(plans: Iterable[BoundedPlan | None]) -> BoundedPlan | None:
    return min((plan for plan in plans if plan is not None), key=lambda plan: plan.cost, default=None)


def _plan_select(block: Select, settings: Settings) -> BoundedPlan | None:
    hoisted = hoist(listed(push_down(prune(block))))
    windows = dict(settings.windows)
    values: list[tuple[str, BoundedPlan]] = []
    for name, query in hoisted.values:
        inner = plan_query(query, settings)
        if inner is None:
            return None
        values.append((name, inner))
        window = window_of(query)
        if window is not None:
            windows[name] = window
    inside = replace(settings, windows=windows)
    blocks = (hoisted.block, with_child_subqueries(hoisted.block, settings.catalog))
    forms = (form for block in blocks if block for form in join_forms(block, settings.catalog))
    cheapest = _cheapest(plan for form in forms for plan in _plans_of_form(form, inside))
    return cheapest if cheapest is None or not values else _with_values(cheapest, values)


def _with_values(bounded: BoundedPlan, values: list[tuple[str, BoundedPlan]]) -> BoundedPlan:
    inner = [plan for _, plan in values]
    bound = replace(_sum([bounded, *inner]), rows=bounded.bound.rows)
    plan = Setup(tuple((name, plan.plan) for name, plan in values), bounded.plan, bound)
    return replace(bounded, plan=plan, bound=bound).needing(inner)


def _plans_of_form(block: Select, settings: Settings) -> list[BoundedPlan | None]:
    extremes = _extremes(block, settings)
    if extremes is not None and any(len(aggregate.arguments) > 1 for aggregate in block.aggregates):
        return [extremes]  # MAX_BY is read, never aggregated
    plans = [extremes, _whole(block, settings), _first_values(block, settings)]
    if all(plan is None for plan in plans):
        plans.append(_branches(block, settings))
    return plans


def _is_cuttable(block: Select, settings: Settings) -> bool:
    """May LIMIT be taken over joined rows? Not above a grouping, a window function or a real DISTINCT."""
    if block.group is not None or block.windowed or block.top is not None:
        return False
    return not block.distinct or _distinct_already(block, settings)


def _distinct_already(block: Select, settings: Settings) -> bool:
    """The outputs hold a key of every source."""
    classes = Classes.of(block.where)
    shown = {output.expr for output in block.outputs}
    for source in block.sources:
        if not isinstance(source, Base):
            return False
        held = []
        for name in settings.catalog[source.table].column_names:
            members = classes.of_member(Column(name, source.alias))
            if shown & set(members) or any(not aliases_of(member) for member in members):
                held.append(name)
        if not settings.catalog.identifies(source.table, held):
            return False
    return not block.left_joins


def _whole(block: Select, settings: Settings) -> BoundedPlan | None:
    core = search(block, settings, plan_query, _is_cuttable(block, settings))
    return None if core is None else _finish(block, core, settings)


def _first_values(block: Select, settings: Settings) -> BoundedPlan | None:
    """SELECT DISTINCT x ... ORDER BY x LIMIT n: one row of each x, for the first n of them."""
    plain = block.group is None and block.top is None and not block.windowed and len(block.sources) == 1
    exprs = tuple(output.expr for output in block.outputs)
    if not block.distinct or block.limit is None or not plain or any(map(subqueries_of, exprs)):
        return None
    return _whole(replace(block, distinct=False, top=Top(exprs, (), 1)), settings)


def _branches(block: Select, settings: Settings) -> BoundedPlan | None:
    """OR as a union: each branch bounded, a combination of rows counted once."""
    branches = [branch for branch in disjunctions(block) if not _is_empty(branch, settings)]
    keys = []
    for source in block.sources:
        if not isinstance(source, Base) or not settings.catalog[source.table].key:
            return None
        keys.append((source.alias, settings.catalog[source.table].key))
    extra = tuple(Output(f"$key_{alias}_{name}", Column(name, alias)) for alias, key in keys for name in key)
    plans: list[BoundedPlan] = []
    for branch in branches:
        keyed = replace(branch, outputs=(*branch.outputs, *extra))
        plan = search(keyed, settings, plan_query, _is_cuttable(block, settings))
        if plan is None:
            return None
        plans.append(plan)
    if not plans:
        return None
    bound = _sum(plans)
    core = BoundedPlan(Dedupe(tuple(plan.plan for plan in plans), tuple(keys), bound), bound)
    return _finish(block, core.needing(plans), settings)


def _is_empty(block: Select, settings: Settings) -> bool:
    """Does a condition ask for NULL in a column that never is?"""
    for condition in block.where:
        match condition:
            case Call("is_null", (Column(name, alias),)) if block.left_join(alias) is None:
                source = next((source for source in block.sources if source.alias == alias), None)
                if isinstance(source, Base) and not settings.catalog.nullable(source.table, name):
                    return True
    return False


def _sum(plans: Iterable[BoundedPlan]) -> Bound:
    bounds = [plan.bound for plan in plans]
    return Bound(
        sum(bound.operations for bound in bounds),
        sum(bound.read for bound in bounds),
        sum(bound.rows for bound in bounds),
    )


def _extremes(block: Select, settings: Settings) -> BoundedPlan | None:
    """MIN and MAX of no group: the first row in the order of the value, for each."""
    aggregates = block.aggregates
    if block.group != () or block.having or not aggregates or block.limit is not None:
        return None
    if not all(_is_extreme(aggregate) for aggregate in aggregates):
        return None
    if any(columns_in(_without_aggregates(output.expr)) for output in block.outputs):
        return None
    plans: list[tuple[AggregateCall, BoundedPlan]] = []
    for aggregate in aggregates:
        inner = _plan_select(extreme(block, aggregate), settings)
        if inner is None:
            return None
        plans.append((aggregate, inner))
    inners = [inner for _, inner in plans]
    bound = replace(_sum(inners), rows=1)
    core = BoundedPlan(Extremes(tuple((aggregate, inner.plan) for aggregate, inner in plans), bound), bound)
    return _projected(block, core.needing(inners), settings)


_EXTREMES = {("min", 1), ("max", 1), ("argmin", 2), ("argmax", 2)}


def _is_extreme(aggregate: AggregateCall) -> bool:
    return (aggregate.function, len(aggregate.arguments)) in _EXTREMES


def _without_aggregates(expr: Expr) -> Expr:
    """The expression with its aggregates as constants: what is left must not name columns."""
    return transform(expr, lambda part: ZERO if isinstance(part, AggregateCall) else part)


def extreme(block: Select, aggregate: AggregateCall) -> Select:
    """MAX(x) as ORDER BY x DESC LIMIT 1, over rows where x is not NULL; MAX_BY(y, x) likewise shows y."""
    value, by = aggregate.arguments[0], aggregate.arguments[-1]
    down = aggregate.function in ("max", "argmax")
    items = dict.fromkeys((by, value))  # of rows with the same x, the one with the greatest y
    return replace(
        block,
        where=(*block.where, call("not_null", by)),
        outputs=(Output("value", value),),
        group=None,
        distinct=False,
        order=tuple(Order(item, down, not down) for item in items),
        limit=number(1),
        offset=None,
    )


def _finish(block: Select, core: BoundedPlan, settings: Settings) -> BoundedPlan | None:
    """What stands above the joined rows."""
    core = _topped(block, core)
    bounded: BoundedPlan | None = core
    if block.group is not None:
        rows = 1 if block.group == () else core.bound.rows
        bound = replace(core.bound, rows=rows)
        plan = Group(core.plan, block.group, block.aggregates, bound, block.group == ())
        bounded = replace(core, plan=plan, bound=bound)
    if block.having and bounded is not None:
        bounded = filtered(bounded, block.having, settings, plan_query)
    return None if bounded is None else _projected(block, bounded, settings)


def _topped(block: Select, core: BoundedPlan) -> BoundedPlan:
    """The first rows of each partition, with their ranks; what the search cut early is cut again."""
    top = block.top
    if top is None:
        return core
    return replace(core, plan=Cut(core.plan, top.order, number(top.count), None, core.bound, top.partition))


def _projected(block: Select, bounded: BoundedPlan, settings: Settings) -> BoundedPlan | None:
    """Order, project and cut; DISTINCT, and subqueries that the order asks for, come before the cut."""
    outputs = block.outputs if block.distinct else (*block.outputs, *_computed_order(block))
    exprs = [output.expr for output in outputs]
    planned = with_subplans(bounded, exprs, settings, plan_query, probe=False)
    if planned is None:
        return None
    below, subplans = planned
    plan: Plan = below.plan
    whole = below.bound
    bound = replace(whole, rows=_cut_rows(block, whole.rows, settings))
    if any(subqueries_of(item.expr) for item in block.order):
        plan = Project(plan, outputs, whole, block.distinct, subplans, keep=True)
        plan = Cut(plan, _order_of_outputs(block.order, outputs), block.limit, block.offset, bound)
        shown = tuple(Output(output.name, Column(output.name, OUT)) for output in block.outputs)
        plan = Project(plan, shown, bound)
    elif block.distinct:
        plan = Project(plan, block.outputs, whole, True, subplans, keep=True)
        plan = Cut(plan, block.order, block.limit, block.offset, bound)
    else:
        if _has_cut(block) and not _cut_already(plan, block):
            plan = Cut(plan, block.order, block.limit, block.offset, bound)
        plan = Project(plan, block.outputs, bound, False, subplans)
    return replace(below, plan=plan, bound=bound)


def _computed_order(block: Select) -> tuple[Output, ...]:
    """What the block is ordered by, but does not show, where that takes a subquery."""
    shown = {output.expr for output in block.outputs}
    asked = [item.expr for item in block.order if subqueries_of(item.expr) and item.expr not in shown]
    return tuple(Output(f"$order_{number}", expr) for number, expr in enumerate(dict.fromkeys(asked)))


def _order_of_outputs(order: tuple[Order, ...], outputs: tuple[Output, ...]) -> tuple[Order, ...]:
    """The order with subqueries read from the outputs that hold them; others stay as they are."""
    names = {output.expr: Column(output.name, OUT) for output in outputs if subqueries_of(output.expr)}
    return tuple(replace(item, expr=names.get(item.expr, item.expr)) for item in order)


def _has_cut(block: Select) -> bool:
    return bool(block.order) or block.limit is not None or block.offset is not None


def _cut_already(plan: Plan, block: Select) -> bool:
    """The last step of the search was this very cut, of all rows and not of each partition."""
    if not isinstance(plan, Cut) or plan.per is not None or block.offset is not None:
        return False
    return (plan.order, plan.limit) == (block.order, block.limit)


def _cut_rows(block: Select | Union, rows: int, settings: Settings) -> int:
    most = count_bound(block.limit, settings)
    return rows if most is None else min(rows, most)


def _plan_union(query: Union, settings: Settings) -> BoundedPlan | None:
    """Each branch bounded; a limit over UNION ALL is a limit of each branch."""
    plans: list[BoundedPlan] = []
    for branch in query.branches:
        inner = plan_query(_limited(branch, query), settings)
        if inner is None:
            return None
        plans.append(inner)
    bound = _sum(plans)
    if query.kind in ("intersect", "except"):
        bound = replace(bound, rows=plans[0].bound.rows)
    plan: Plan = Sets(tuple(inner.plan for inner in plans), query.kind, query.columns, bound)
    if query.order or query.limit is not None:
        bound = replace(bound, rows=_cut_rows(query, bound.rows, settings))
        order = tuple(replace(item, expr=_shown(item.expr)) for item in query.order)
        plan = Cut(plan, order, query.limit, query.offset, bound)
    return BoundedPlan(plan, bound).needing(plans)


def _shown(expr: Expr) -> Expr:
    return Column(expr.name, OUT) if isinstance(expr, Column) else expr


def _limited(branch: Query, query: Union) -> Query:
    """Push LIMIT n (+ offset) and the order into a branch that has none of its own.

    Of UNION without ALL, the first rows of a branch that differ are enough.
    """
    is_cut = branch.limit is not None or branch.offset is not None
    if query.kind not in ("all", "distinct") or query.limit is None or is_cut:
        return branch
    limit = query.limit if query.offset is None else call("add", query.limit, query.offset)
    if isinstance(branch, Union):
        same = branch.kind == query.kind and branch.columns == query.columns and not branch.order
        return replace(branch, order=query.order, limit=limit) if same else branch
    position = {name: index for index, name in enumerate(query.columns)}
    order = []
    for item in query.order:
        if not isinstance(item.expr, Column):
            return branch
        order.append(replace(item, expr=branch.outputs[position[item.expr.name]].expr))
    is_plain = branch.group is None and branch.top is None and not branch.windowed
    if query.kind == "distinct" and not (is_plain or branch.distinct):
        return branch
    distinct = branch.distinct or query.kind == "distinct"
    return replace(branch, distinct=distinct, order=tuple(order), limit=limit)

"""Every access path that could serve a read; `search` puts them together and keeps the cheapest plan.

By primary key: the leading columns that are bound, then a range of the next one.  By an index that could be
made: all bound terms (or those of one constraint), at most one range, the wanted order.  Two ranges are
possible when the first is on a column with few values (a skip scan, `Each`), or when whole-number bounds are
a fixed distance apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater.algebra.expressions.facts import aliases_of, columns_in, is_of_one_row
from headwater.algebra.expressions.tree import Column, Expr, Literal, call
from headwater.bounds.plans.access.orders import direction_over, is_token, open_items, part_for
from headwater.bounds.plans.access.path import (
    Access,
    Lead,
    Wanted,
    bindable_terms,
    local,
    path_over,
    ranges_by_term,
)
from headwater.bounds.plans.plan import Binding, Each, Equal, Index, IndexPart, OneOf
from headwater.bounds.query.block import Order
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.conditions import Range
from headwater.bounds.query.heat import hot_part

__all__ = ["accesses"]

Ranges = dict[Expr, list[Range]]


def accesses(catalog: Catalog, wanted: Wanted) -> Iterator[Access]:
    """All proposals for one source."""
    yield from _clustered(catalog, wanted)
    if wanted.secondary:
        for leads in _lead_sets(catalog, wanted):
            yield from _secondary(catalog, wanted, leads)


def _skip(term: Expr, most: int, ranges: list[Range], stop: Expr | None = None) -> Lead:
    """Every value of the term in turn, or the first few, within its ranges."""
    bounds = tuple((bound.op, bound.value) for bound in ranges)
    return term, Each(most, bounds, stop), tuple(bound.condition for bound in ranges)


def _clustered(catalog: Catalog, wanted: Wanted) -> Iterator[Access]:
    key = catalog[wanted.table].key
    bindable = bindable_terms(wanted)
    ranges = ranges_by_term(wanted.conditions.ranges)
    terms: list[Expr] = [Column(name, wanted.alias) for name in key]
    length = next((i for i, term in enumerate(terms) if term not in bindable), len(terms))
    cuts = {length} | {i for i in range(length) if isinstance(bindable[terms[i]][1], OneOf)}
    for cut in sorted(cuts, reverse=True):
        leads = [bindable[term] for term in terms[:cut]]
        rest = terms[cut:]
        yield _by_key(catalog, wanted, leads, rest, ranges)
        if rest and (most := catalog.few_values(wanted.table, key[cut])) is not None and cut == length:
            bounds = ranges.get(rest[0], [])
            skip = _skip(rest[0], most + (0 if bounds else 1), bounds)
            yield _by_key(catalog, wanted, [*leads, skip], rest[1:], ranges)
        if rest and wanted.groups is not None and _comes_next(wanted.groups.by, rest[0]):
            first = _skip(rest[0], wanted.groups.most, ranges.get(rest[0], []), wanted.groups.stop)
            yield _by_key(catalog, wanted, [*leads, first], rest[1:], ranges)


def _comes_next(order: Order, term: Expr) -> bool:
    """Are the groups wanted in the order of the key's next part?"""
    return order.expr == term and not order.descending


def _by_key(catalog: Catalog, wanted: Wanted, leads: list[Lead], rest: list[Expr], ranges: Ranges) -> Access:
    """By primary key: a range on the next part if there is one, then the order."""
    parts = tuple(IndexPart(Column(name)) for name in catalog[wanted.table].key)
    index = Index(wanted.table, parts, primary=True)
    bounds = ranges.get(rest[0], []) if rest else []
    reverse = direction_over(catalog, wanted, leads, rest, parts[len(leads) :])
    return path_over(catalog, wanted, index, leads, bounds, reverse)


def _lead_sets(catalog: Catalog, wanted: Wanted) -> list[list[Lead]]:
    """Sets of leading parts: all equalities (with and without the lists), or just a constraint's columns."""
    bindable = bindable_terms(wanted)
    tokens = [term for term in bindable if is_token(term)]
    every = [lead for term, lead in bindable.items() if term not in tokens[1:]]
    exact = [lead for lead in every if isinstance(lead[1], Equal)]
    lead_sets = [exact, every] if len(every) > len(exact) else [exact]
    lead_sets = [sorted(leads, key=lambda lead: _is_temporal(wanted, lead[0])) for leads in lead_sets]
    constrained = [set(key) for key in catalog.keys(wanted.table)]
    constrained += [set(limit.columns) for limit in catalog.cardinalities(wanted.table)]
    for columns in constrained:
        leads = [lead for lead in every if isinstance(lead[0], Column) and lead[0].name in columns]
        if columns and len(leads) == len(columns) and leads not in lead_sets:
            lead_sets.append(leads)
    return lead_sets


def _secondary(catalog: Catalog, wanted: Wanted, leads: list[Lead]) -> Iterator[Access]:
    """Indexes that start with the leads, perhaps a skip scan, then perhaps a range and the wanted order."""
    bound = {term for term, _, _ in leads}
    ranges = ranges_by_term(wanted.conditions.ranges)
    free = {term: bounds for term, bounds in ranges.items() if term not in bound}
    for skipped in (None, *(term for term in free if isinstance(term, Column))):
        longer = list(leads)
        if skipped is not None:
            most = catalog.few_values(wanted.table, skipped.name)
            if most is None:
                continue
            longer.append(_skip(skipped, most, free[skipped]))
        for term in (None, *(term for term in free if term != skipped)):
            yield from _with_range(catalog, wanted, longer, term, free)
    groups = wanted.groups
    if groups is not None and groups.by.expr not in bound:
        term = groups.by.expr
        first = _skip(term, groups.most, free.get(term, []), groups.stop)
        yield from _with_range(catalog, wanted, [*leads, first], None, free)


def _with_range(
    catalog: Catalog, wanted: Wanted, leads: list[Lead], term: Expr | None, ranges: Ranges
) -> Iterator[Access]:
    """One range term (or none), then the wanted order where it fits."""
    bounds = ranges[term] if term is not None else []
    items = open_items(wanted, leads)
    ordered = items is not None and (term is None or not items or items[0].expr == term)
    tail = list(items or []) if ordered else []
    if term is not None and not (tail and tail[0].expr == term):
        tail.insert(0, Order(term))
    turned = bool(tail) and tail[0].descending
    parts = [_lead_part(catalog, wanted, lead) for lead in leads]
    parts += [part_for(catalog, wanted.table, item, turned) for item in tail]
    if not parts:  # the whole table, in key order: only a declared size bounds that
        parts = [IndexPart(Column(name)) for name in catalog[wanted.table].key]
    hot = _is_hot(catalog, wanted, leads, tail)
    for where in _filters(wanted, bounds, leads):
        index = Index(wanted.table, tuple(parts), where=where, hot=hot)
        yield path_over(catalog, wanted, index, leads, bounds, turned if ordered else None)


def _lead_part(catalog: Catalog, wanted: Wanted, lead: Lead) -> IndexPart:
    """Its direction is of no account, unless the first values are wanted alone."""
    term, binding, _ = lead
    if isinstance(binding, Each) and binding.stop is not None and wanted.groups is not None:
        return part_for(catalog, wanted.table, wanted.groups.by, turned=False)
    return IndexPart(local(term))


def _is_temporal(wanted: Wanted, expr: Expr) -> bool:
    return any(column.name in wanted.temporal for column in columns_in(expr))


def _is_hot(catalog: Catalog, wanted: Wanted, leads: list[Lead], tail: list[Order]) -> bool:
    """Do new rows arrive at few places of the index?"""
    constant = {term for term, binding, _ in leads if _is_constant(binding)}

    def has_few_values(part: Expr) -> bool:
        few = isinstance(part, Column) and catalog.few_values(wanted.table, part.name) is not None
        return few or part in constant

    parts = (*(lead[0] for lead in leads), *(item.expr for item in tail))
    return hot_part(parts, lambda column: column.name in wanted.temporal, has_few_values) is not None


def _is_constant(binding: Binding) -> bool:
    match binding:
        case Equal(value):
            return isinstance(value, Literal)
        case OneOf(values):
            return all(isinstance(value, Literal) for value in values)
        case Each(stop=stop):
            return stop is None


def _filters(wanted: Wanted, bounds: list[Range], leads: list[Lead]) -> list[tuple[Expr, ...]]:
    """No condition on the index, or all conditions on the row alone."""
    used = {bound.condition for bound in bounds}
    used |= {condition for _, _, conditions in leads for condition in conditions}
    fixed = [condition for condition in wanted.conditions.constant if condition not in used]
    fixed += [
        bound.condition
        for bound in wanted.conditions.ranges
        if bound.condition not in used
        and is_of_one_row(bound.condition)
        and aliases_of(bound.condition) == {wanted.alias}
    ]
    not_null = [call("not_null", term) for term in wanted.not_null]
    fixed += [condition for condition in not_null if condition not in fixed]
    return [(), tuple(local(condition) for condition in fixed)] if fixed else [()]

"""Access paths: the ways to read one source with a number of operations that does not grow.

A path reads the table by its primary key, or an index that could be made: first parts bound to values, then
at most one range, then the wanted order.  Two ranges are possible when the first is on a column with few
values (a skip scan, `Each`), or when whole-number bounds are a fixed distance apart.

Paths are proposals; `search` puts them together and keeps the cheapest plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.scale.block import Order
from headwater.scale.catalog import Catalog
from headwater.scale.conditions import Conditions, Range
from headwater.scale.expr import Col, Expr, Fn, Lit, aliases_of, call, params_of, transform
from headwater.scale.plan import Binding, Each, Equal, Index, IndexPart, OneOf

__all__ = ["Access", "Wanted", "accesses", "local"]

_MAX_INCLUDE = 3  # covering an index with more columns than this copies the table


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a read of `alias` is for."""

    alias: str
    table: str
    conditions: Conditions
    needed: frozenset[str]  # columns that the query reads
    order: tuple[Order, ...] | None  # items over this source, if a cut may be pushed into the read
    not_null: tuple[Expr, ...] = ()  # columns that must not be NULL for a later join to match
    secondary: bool = True
    widths: tuple[tuple[Expr, int], ...] = ()  # terms that can have so many values only


@dataclass(frozen=True, slots=True)
class Access:
    index: Index
    bindings: tuple[Binding, ...]
    ranges: tuple[tuple[str, Expr], ...]
    reverse: bool
    fetch: bool
    unique: bool
    rows: int | None  # for one input row, before any limit
    probes: int  # operations on the index for one input row
    satisfied: frozenset[Expr]  # conditions that need no filter any more
    ordered: bool
    not_null: bool  # the wanted columns are not NULL
    assumes: frozenset[str] = frozenset()


def local(expr: Expr) -> Expr:
    """An expression over one source as an index sees it."""
    return transform(expr, lambda part: Col("", part.name) if isinstance(part, Col) else part)


def accesses(catalog: Catalog, wanted: Wanted) -> Iterator[Access]:
    """All proposals for one source."""
    yield from _clustered(catalog, wanted)
    if wanted.secondary:
        yield from _secondary(catalog, wanted)


def _bindable(wanted: Wanted) -> dict[Expr, tuple[Binding, tuple[Expr, ...]]]:
    """Each term that can lead an index, what it is bound to, and the conditions this satisfies."""
    found: dict[Expr, tuple[Binding, tuple[Expr, ...]]] = {}
    for term, value in wanted.conditions.equal:
        found.setdefault(term, (Equal(value), (call("eq", term, value),)))
    for term, values, most, condition in wanted.conditions.one_of:
        found.setdefault(term, (OneOf(values, most), (condition,)))
    return found


def _by_term(ranges: tuple[Range, ...]) -> dict[Expr, list[Range]]:
    found: dict[Expr, list[Range]] = {}
    for one in ranges:
        found.setdefault(one.term, []).append(one)
    return found


def _clustered(catalog: Catalog, wanted: Wanted) -> Iterator[Access]:
    key = catalog[wanted.table].key
    parts = tuple(IndexPart(Col("", name)) for name in key)
    index = Index(wanted.table, parts, primary=True)
    bindable = _bindable(wanted)
    ranges = _by_term(wanted.conditions.ranges)
    terms: list[Expr] = [Col(wanted.alias, name) for name in key]
    length = next((i for i, term in enumerate(terms) if term not in bindable), len(terms))
    cuts = {length} | {i for i in range(length) if isinstance(bindable[terms[i]][0], OneOf)}
    for cut in sorted(cuts, reverse=True):
        lead = [(term, *bindable[term]) for term in terms[:cut]]
        rest = terms[cut:]
        yield from _finish(catalog, wanted, index, lead, rest, ranges)
        if rest and (most := catalog.domain(wanted.table, key[cut])) is not None and cut == length:
            first = ranges.get(rest[0], [])
            each = Each(most + (0 if first else 1), tuple((one.op, one.value) for one in first))
            skip = (rest[0], each, tuple(one.condition for one in first))
            yield from _finish(catalog, wanted, index, [*lead, skip], rest[1:], ranges)


Lead = tuple[Expr, Binding, tuple[Expr, ...]]


def _finish(
    catalog: Catalog,
    wanted: Wanted,
    index: Index,
    lead: list[Lead],
    rest: list[Expr],
    ranges: dict[Expr, list[Range]],
) -> Iterator[Access]:
    """A path over an existing order of parts: a range on the next part if there is one, then the order."""
    chosen = ranges.get(rest[0], []) if rest else []
    reverse = _follows(catalog, wanted, lead, rest, tuple(index.parts[len(lead) :]), bool(chosen))
    yield _access(catalog, wanted, index, lead, chosen, reverse)


def _follows(
    catalog: Catalog,
    wanted: Wanted,
    lead: list[Lead],
    rest: list[Expr],
    parts: tuple[IndexPart, ...],
    ranged: bool,
) -> bool | None:
    """Read forwards (False), backwards (True), or not in the wanted order at all (None)."""
    items = _open_items(wanted, lead)
    if items is None:
        return None
    fixed = {term for term, _, _ in lead}
    reverse: bool | None = None
    for position, item in enumerate(items):
        if catalog.identifies(wanted.table, [one.name for one in fixed if isinstance(one, Col)]):
            break
        if position >= len(rest) or rest[position] != item.expr:
            return None
        turned = _turned(catalog, wanted.table, item, parts[position])
        if turned is None or (reverse is not None and turned != reverse):
            return None
        reverse = turned
        fixed.add(item.expr)
    return bool(reverse)


def _turned(catalog: Catalog, table: str, item: Order, part: IndexPart) -> bool | None:
    """Is the item the part's direction (False), its opposite (True) or neither?"""
    nullable = not isinstance(item.expr, Col) or catalog.nullable(table, item.expr.name)
    turned = item.descending != part.descending
    agrees = (item.nulls_first != part.nulls_first) == turned
    return turned if agrees or not nullable else None


def _open_items(wanted: Wanted, lead: list[Lead]) -> list[Order] | None:
    """The order items that are not fixed by an equality."""
    if wanted.order is None:
        return None
    bound = {term for term, _, _ in lead}  # a list's values are read one by one: fixed in each read
    bound |= {term for term, value in wanted.conditions.equal if not _is_token(term)}
    seen: set[Expr] = set(bound)
    found = []
    for item in wanted.order:
        if item.expr not in seen:
            seen.add(item.expr)
            found.append(item)
    return found


def _is_token(term: Expr) -> bool:
    return isinstance(term, Fn) and term.name == "token"


def _access(
    catalog: Catalog,
    wanted: Wanted,
    index: Index,
    lead: list[Lead],
    chosen: list[Range],
    reverse: bool | None,
) -> Access:
    columns = [term.name for term, _, _ in lead if isinstance(term, Col)]
    combos, probes = 1, 1
    for _, binding, _ in lead:
        match binding:
            case OneOf(_, most):
                combos, probes = combos * most, probes * most
            case Each(most):
                probes, combos = probes * (2 * most + 1), combos * most
            case Equal():
                pass
    rows = _rows(catalog, wanted, columns, chosen)
    satisfied = {one for _, _, conditions in lead for one in conditions} | {one.condition for one in chosen}
    satisfied |= set(_globally(index.where, wanted.alias))
    fetch, index = (False, index) if index.primary else _cover(catalog, wanted, index)
    key = catalog[wanted.table].key
    unique = index.primary and bool(key) and set(key) <= set(columns) and not chosen
    unique = unique and not any(isinstance(binding, Each) for _, binding, _ in lead)
    return Access(
        index=index,
        bindings=tuple(binding for _, binding, _ in lead),
        ranges=tuple((one.op, one.value) for one in chosen),
        reverse=bool(reverse),
        fetch=fetch,
        unique=unique,
        rows=None if rows is None else rows * combos,
        probes=probes,
        satisfied=frozenset(satisfied),
        ordered=reverse is not None,
        not_null=all(call("not_null", one) in satisfied for one in wanted.not_null),
        assumes=frozenset(one.assumes for one in chosen if one.assumes),
    )


def _globally(where: tuple[Expr, ...], alias: str) -> tuple[Expr, ...]:
    def step(part: Expr) -> Expr:
        return Col(alias, part.name) if isinstance(part, Col) else part

    return tuple(transform(one, step) for one in where)


def _rows(catalog: Catalog, wanted: Wanted, columns: list[str], chosen: list[Range]) -> int | None:
    """Rows under one combination of bound values."""
    known = catalog.row_bound(wanted.table, columns)
    if chosen and isinstance(chosen[0].term, Col):
        width = _width(catalog, wanted, chosen)
        each = catalog.row_bound(wanted.table, [*columns, chosen[0].term.name])
        if width is not None and each is not None:
            known = width * each if known is None else min(known, width * each)
    return known


def _width(catalog: Catalog, wanted: Wanted, chosen: list[Range]) -> int | None:
    """How many whole numbers lie between a lower and an upper bound that differ by a constant."""
    term = chosen[0].term
    if not isinstance(term, Col) or not catalog.whole(wanted.table, term.name):
        return None
    known = [width for expr, width in wanted.widths if expr == term]
    lows = [_shift(one.value) for one in chosen if one.op in ("gt", "gte")]
    highs = [_shift(one.value) for one in chosen if one.op in ("lt", "lte")]
    known += [high - low + 1 for base, high in highs for other, low in lows if base == other]
    return max(0, min(known)) if known else None


def _shift(value: Expr) -> tuple[Expr | None, int]:
    """x + 5 as (x, 5); a plain number as (None, n)."""
    match value:
        case Lit(int() as number):
            return None, number
        case Fn("add", (base, Lit(int() as number))):
            return base, number
        case Fn("sub", (base, Lit(int() as number))):
            return base, -number
        case _:
            return value, 0


def _cover(catalog: Catalog, wanted: Wanted, index: Index) -> tuple[bool, Index]:
    """Must the rows themselves be fetched, or does the index (with a few more columns) hold enough?"""
    held = {part.expr.name for part in index.parts if isinstance(part.expr, Col)} | set(
        catalog[wanted.table].key
    )
    missing = [one for one in catalog[wanted.table].column_names if one in wanted.needed - held]
    if len(missing) > _MAX_INCLUDE:
        return True, index
    written = {part.expr for part in index.parts}
    key = [Col("", one) for one in catalog[wanted.table].key if one in wanted.needed]
    parts = (*index.parts, *(IndexPart(one) for one in key if one not in written))
    return False, replace(index, parts=parts, include=tuple(missing))


def _secondary(catalog: Catalog, wanted: Wanted) -> Iterator[Access]:
    bindable = _bindable(wanted)
    for lead in _leads(catalog, wanted, bindable):
        yield from _tails(catalog, wanted, lead)


def _leads(
    catalog: Catalog, wanted: Wanted, bindable: dict[Expr, tuple[Binding, tuple[Expr, ...]]]
) -> list[list[Lead]]:
    """Sets of leading parts: all equalities (with and without the lists), or just a constraint's columns."""
    tokens = [term for term in bindable if _is_token(term)]
    usable = {term: bindable[term] for term in bindable if term not in tokens[1:]}
    exact = [(term, *usable[term]) for term in usable if isinstance(usable[term][0], Equal)]
    whole = [(term, *usable[term]) for term in usable]
    found = [exact, whole] if len(whole) > len(exact) else [exact]
    sets = [set(key) for key in catalog.keys(wanted.table)]
    sets += [set(one.columns) for one in catalog.cardinalities(wanted.table)]
    for columns in sets:
        chosen = [one for one in whole if isinstance(one[0], Col) and one[0].name in columns]
        if columns and len(chosen) == len(columns) and chosen not in found:
            found.append(chosen)
    return found


def _tails(catalog: Catalog, wanted: Wanted, lead: list[Lead]) -> Iterator[Access]:
    bound = {term for term, _, _ in lead}
    ranges = {t: group for t, group in _by_term(wanted.conditions.ranges).items() if t not in bound}
    for skip in (None, *(t for t in ranges if isinstance(t, Col))):
        more = list(lead)
        if skip is not None:
            most = catalog.domain(wanted.table, skip.name) if isinstance(skip, Col) else None
            if most is None:
                continue
            each = Each(most, tuple((one.op, one.value) for one in ranges[skip]))
            more.append((skip, each, tuple(one.condition for one in ranges[skip])))
        for term in (None, *(t for t in ranges if t != skip)):
            yield from _tail(catalog, wanted, more, term, ranges)


def _tail(
    catalog: Catalog, wanted: Wanted, lead: list[Lead], term: Expr | None, ranges: dict[Expr, list[Range]]
) -> Iterator[Access]:
    """One range term (or none), then the wanted order where it fits."""
    chosen = ranges[term] if term is not None else []
    items = _open_items(wanted, lead)
    ordered = items is not None and (term is None or not items or items[0].expr == term)
    tail = list(items or []) if ordered else []
    if term is not None and not (tail and tail[0].expr == term):
        tail.insert(0, Order(term))
    turned = bool(tail) and tail[0].descending
    parts = [IndexPart(local(one)) for one, _, _ in lead]
    parts += [_part(catalog, wanted.table, item, turned) for item in tail]
    if not parts:  # the whole table, in key order: only a declared size bounds that
        parts = [IndexPart(Col("", name)) for name in catalog[wanted.table].key]
    for where in _filters(wanted, chosen, lead):
        index = Index(wanted.table, tuple(parts), where=where)
        yield _access(catalog, wanted, index, lead, chosen, turned if ordered else None)


def _filters(wanted: Wanted, chosen: list[Range], lead: list[Lead]) -> list[tuple[Expr, ...]]:
    """No condition on the index, or all conditions on the row alone."""
    used = {one.condition for one in chosen} | {c for _, _, conditions in lead for c in conditions}
    fixed = [one for one in wanted.conditions.constant if one not in used]
    fixed += [
        one.condition
        for one in wanted.conditions.ranges
        if one.condition not in used
        and not params_of(one.condition)
        and aliases_of(one.condition) == {wanted.alias}
    ]
    fixed += [one for one in (call("not_null", term) for term in wanted.not_null) if one not in fixed]
    return [(), tuple(local(one) for one in fixed)] if fixed else [()]


def _part(catalog: Catalog, table: str, item: Order, turned: bool) -> IndexPart:
    descending = item.descending != turned
    nulls_first = item.nulls_first != turned
    if isinstance(item.expr, Col) and not catalog.nullable(table, item.expr.name):
        nulls_first = not descending
    return IndexPart(local(item.expr), descending, nulls_first)

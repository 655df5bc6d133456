"""An access path: one way to read a source, what it satisfies, and how many rows and operations it takes.

A path reads the table by its primary key, or an index that could be made: first parts bound to values
(`Lead`), then at most one range, then the wanted order.  `path_over` judges such a path; `clustered` and
`secondary` propose them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call, transform
from headwater.bounds.plans.access.implied import follows
from headwater.bounds.plans.plan import Binding, Each, Equal, Index, IndexPart, OneOf
from headwater.bounds.query.block import Order
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.conditions import Conditions, Range

__all__ = ["Access", "Groups", "Lead", "Wanted", "bindable_terms", "local", "path_over", "ranges_by_term"]

_MAX_INCLUDE = 3  # covering an index with more columns than this copies the table

Lead = tuple[
    Expr, Binding, tuple[Expr, ...]
]  # a term, what it is bound to, and the conditions this satisfies


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows are wanted group by group, in this order of their term, of the first `stop` groups alone."""

    by: Order
    stop: Expr
    most: int


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
    temporal: frozenset[str] = frozenset()  # columns whose values grow with time
    groups: Groups | None = None


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
    return transform(expr, lambda part: Column(part.name) if isinstance(part, Column) else part)


def _globally(expr: Expr, alias: str) -> Expr:
    """An expression of an index as the query sees it: the inverse of `local`."""
    return transform(expr, lambda part: Column(part.name, alias) if isinstance(part, Column) else part)


def bindable_terms(wanted: Wanted) -> dict[Expr, Lead]:
    """Each term that can lead an index, as a lead."""
    leads: dict[Expr, Lead] = {}
    for term, value in wanted.conditions.equal:
        leads.setdefault(term, (term, Equal(value), (call("eq", term, value),)))
    for term, values, most, condition in wanted.conditions.one_of:
        leads.setdefault(term, (term, OneOf(values, most), (condition,)))
    return leads


def ranges_by_term(ranges: tuple[Range, ...]) -> dict[Expr, list[Range]]:
    by_term: dict[Expr, list[Range]] = {}
    for bound in ranges:
        by_term.setdefault(bound.term, []).append(bound)
    return by_term


def path_over(
    catalog: Catalog,
    wanted: Wanted,
    index: Index,
    leads: list[Lead],
    ranges: list[Range],
    reverse: bool | None,
) -> Access:
    """The path that reads `index` under the leads and ranges; `reverse` is None if it gives no order."""
    columns = [lead[0].name for lead in leads if isinstance(lead[0], Column) and _excludes_null(lead)]
    combinations, probes = _combinations(leads)
    satisfied = {condition for _, _, conditions in leads for condition in conditions}
    satisfied |= {bound.condition for bound in ranges}
    satisfied |= {_globally(condition, wanted.alias) for condition in index.where}
    rows = _rows(catalog, wanted, columns, ranges)
    unique = _unique_bound(catalog, wanted, leads, satisfied)
    if unique is not None:
        rows = unique if rows is None else min(rows, unique)
    fetch, index = (False, index) if index.primary else _cover(catalog, wanted, index)
    return Access(
        index=index,
        bindings=tuple(binding for _, binding, _ in leads),
        ranges=tuple((bound.op, bound.value) for bound in ranges),
        reverse=bool(reverse),
        fetch=fetch,
        unique=not ranges and _is_get(catalog, index, leads),
        rows=None if rows is None else rows * combinations,
        probes=probes,
        satisfied=frozenset(satisfied),
        ordered=reverse is not None,
        not_null=all(call("not_null", term) in satisfied for term in wanted.not_null),
        assumes=frozenset((*(bound.assumes for bound in ranges if bound.assumes), *_one_words(leads))),
    )


def _unique_bound(catalog: Catalog, wanted: Wanted, leads: list[Lead], satisfied: set[Expr]) -> int | None:
    """The most rows by unique indexes on expressions or on a part; terms of few values may be open."""
    held = {local(term) for term, binding, _ in leads if not isinstance(binding, Each)}
    bounds = []
    for unique in catalog.unique_terms.get(wanted.table, ()):
        if not all(follows(_globally(condition, wanted.alias), satisfied) for condition in unique.where):
            continue
        free = [term for term in unique.terms if not _is_fixed(term, held)]
        sizes = [_certain_values(catalog, wanted.table, term) for term in free]
        known = [size for size in sizes if size is not None]
        if len(known) == len(sizes):
            bounds.append(prod(known))
    return min(bounds, default=None)


def _certain_values(catalog: Catalog, table: str, term: Expr) -> int | None:
    """How many values a term has, if they are few and never NULL."""
    if not isinstance(term, Column) or catalog.nullable(table, term.name):
        return None
    return catalog.few_values(table, term.name)


def _is_fixed(term: Expr, held: set[Expr]) -> bool:
    """Does the term have one value, other than NULL, where the held ones do?"""
    match term:
        case Call("lower" | "upper" | "abs" | "length", (inner,)):
            return term in held or _is_fixed(inner, held)
        case _:
            return term in held


def _excludes_null(lead: Lead) -> bool:
    """Keys and limits do not count rows with NULL, which only a skip scan without a range meets."""
    binding = lead[1]
    return not isinstance(binding, Each) or bool(binding.ranges)


def _one_words(leads: list[Lead]) -> Iterator[str]:
    for _, binding, _ in leads:
        match binding:
            case Equal(Call("one_word", (text,))):
                yield f"{sql_of(text)} is one word"


def _combinations(leads: list[Lead]) -> tuple[int, int]:
    """How many combinations of values the leads are bound to, and the operations to try them all."""
    combinations, probes = 1, 1
    for _, binding, _ in leads:
        match binding:
            case OneOf(_, most):
                combinations, probes = combinations * most, probes * most
            case Each(most):
                probes, combinations = probes * (2 * most + 1), combinations * most
            case Equal():
                pass
    return combinations, probes


def _is_get(catalog: Catalog, index: Index, leads: list[Lead]) -> bool:
    """Do the leads give the whole primary key?"""
    key = catalog[index.table].key
    columns = {term.name for term, _, _ in leads if isinstance(term, Column)}
    skips = any(isinstance(binding, Each) for _, binding, _ in leads)
    return index.primary and bool(key) and set(key) <= columns and not skips


def _rows(catalog: Catalog, wanted: Wanted, columns: list[str], ranges: list[Range]) -> int | None:
    """Rows under one combination of bound values."""
    most = catalog.row_bound(wanted.table, columns)
    if ranges and isinstance(ranges[0].term, Column):
        width = _width(catalog, wanted, ranges)
        each = catalog.row_bound(wanted.table, [*columns, ranges[0].term.name])
        if width is not None and each is not None:
            most = width * each if most is None else min(most, width * each)
    return most


def _width(catalog: Catalog, wanted: Wanted, ranges: list[Range]) -> int | None:
    """How many whole numbers lie between a lower and an upper bound that differ by a constant."""
    term = ranges[0].term
    if not isinstance(term, Column) or not catalog.whole(wanted.table, term.name):
        return None
    widths = [width for expr, width in wanted.widths if expr == term]
    lows = [_shift(bound.value) for bound in ranges if bound.op in ("gt", "gte")]
    highs = [_shift(bound.value) for bound in ranges if bound.op in ("lt", "lte")]
    widths += [high - low + 1 for base, high in highs for other, low in lows if base == other]
    return max(0, min(widths)) if widths else None


def _shift(value: Expr) -> tuple[Expr | None, int]:
    """x + 5 as (x, 5); a plain number as (None, n)."""
    match value:
        case Literal(int() as number):
            return None, number
        case Call("add", (base, Literal(int() as number))):
            return base, number
        case Call("sub", (base, Literal(int() as number))):
            return base, -number
        case _:
            return value, 0


def _cover(catalog: Catalog, wanted: Wanted, index: Index) -> tuple[bool, Index]:
    """Must the rows themselves be fetched, or does the index (with a few more columns) hold enough?"""
    table = catalog[wanted.table]
    held = {part.expr.name for part in index.parts if isinstance(part.expr, Column)} | set(table.key)
    missing = [name for name in table.column_names if name in wanted.needed - held]
    if len(missing) > _MAX_INCLUDE:
        return True, index
    written = {part.expr for part in index.parts}
    key = [Column(name) for name in table.key if name in wanted.needed]
    parts = (*index.parts, *(IndexPart(column) for column in key if column not in written))
    return False, replace(index, parts=parts, include=tuple(missing))

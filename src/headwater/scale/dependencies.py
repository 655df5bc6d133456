"""How many rows a view can have: dependencies between attributes, and Algorithm 4.

Each dependency says that for one value of some attributes there are at most `weight` values of others:

    key -> all columns of the occurrence                     weight 1
    columns of a CARDINALITY LIMIT n -> all columns          weight n
    a = b                                                    weight 1, both ways
    a = constant                                             weight 1, from nothing

If the key of one relation determines, through dependencies of total weight w, every attribute that a view
shows, the view has at most w rows for each row of that relation.  The cheapest chain is found by uniform-cost
search and is kept as the proof.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from headwater.scale.block import Base, Select
from headwater.scale.catalog import Catalog
from headwater.scale.classes import Classes
from headwater.scale.expr import Col, Expr, aliases_of, cols_of, sql_of

__all__ = ["Dependency", "Storage", "atoms", "closure", "dependencies", "storage_bound"]

_STATES = 4000


@dataclass(frozen=True, slots=True)
class Dependency:
    source: frozenset[Col]
    target: frozenset[Col]
    weight: int
    reason: str

    def __str__(self) -> str:
        left = ", ".join(sorted(sql_of(one) for one in self.source)) or "nothing"
        right = ", ".join(sorted(sql_of(one) for one in self.target))
        return f"({left}) -{self.weight}-> ({right})  {self.reason}"


@dataclass(frozen=True, slots=True)
class Storage:
    """At most `factor` rows for each row of `relative_to`, because of `chain`."""

    relative_to: str
    factor: int
    chain: tuple[str, ...]


def atoms(exprs: Iterable[Expr]) -> frozenset[Col]:
    """Attributes as dependencies know them: a column, or an expression taken for a column of its own.

    Columns determine an expression over them; an expression does not determine its columns.
    """
    return frozenset(_atom(one) for one in exprs)


def _atom(expr: Expr) -> Col:
    return expr if isinstance(expr, Col) else Col("$expr", sql_of(expr))


def dependencies(block: Select, catalog: Catalog, exprs: Iterable[Expr] = ()) -> tuple[Dependency, ...]:
    """All dependencies of a view's definition (the four rules of section 4.1), and those of `exprs`."""
    found: list[Dependency] = []
    classes = Classes.of(block.where)
    compared = frozenset(one for group in classes.groups for one in group if isinstance(one, Col))
    for source in block.sources:
        if isinstance(source, Base):
            found += _of_table(source, catalog, compared)
    members = [one for group in classes.groups for one in group if aliases_of(one)]
    for expr in dict.fromkeys((*members, *exprs)):
        if not isinstance(expr, Col):
            found.append(Dependency(cols_of(expr), frozenset({_atom(expr)}), 1, f"computes {sql_of(expr)}"))
    for group in classes.groups:
        cols = [_atom(one) for one in group if aliases_of(one)]
        if any(not aliases_of(one) for one in group):
            found.append(Dependency(frozenset(), frozenset(cols), 1, "fixed by a value"))
        for left, right in zip(cols, cols[1:], strict=False):
            reason = f"{sql_of(left)} = {sql_of(right)}"
            found.append(Dependency(frozenset({left}), frozenset({right}), 1, reason))
            found.append(Dependency(frozenset({right}), frozenset({left}), 1, reason))
    return tuple(found)


def _of_table(source: Base, catalog: Catalog, compared: frozenset[Col]) -> list[Dependency]:
    """Keys and limits. UNIQUE columns that may be NULL count only where a condition excludes NULL."""

    def certain(name: str) -> bool:
        return not catalog.nullable(source.table, name) or Col(source.alias, name) in compared

    def cols(names: Iterable[str]) -> frozenset[Col]:
        return frozenset(Col(source.alias, name) for name in names)

    every = cols(catalog[source.table].column_names)
    found = [
        Dependency(cols(key), every, 1, f"key of {source.table}")
        for key in catalog.keys(source.table)
        if all(map(certain, key))
    ]
    for limit in catalog.cardinalities(source.table):
        reason = f"CARDINALITY LIMIT {limit.limit} ({', '.join(limit.columns)}) on {source.table}"
        found.append(Dependency(cols(limit.columns), every, limit.limit, reason))
    return found


def closure(
    start: frozenset[Col], goal: frozenset[Col], known: Iterable[Dependency]
) -> tuple[int, tuple[Dependency, ...]] | None:
    """The least weight by which `start` determines `goal`, and the dependencies used; None if it does not."""
    rules = list(known)
    number = 0
    heap: list[tuple[int, int, frozenset[Col], tuple[Dependency, ...]]] = [(1, number, start, ())]
    seen: set[frozenset[Col]] = set()
    while heap and len(seen) < _STATES:
        weight, _, covered, chain = heapq.heappop(heap)
        covered, chain = _saturate(covered, chain, rules)
        if goal <= covered:
            return weight, chain
        if covered in seen:
            continue
        seen.add(covered)
        for rule in rules:
            if rule.source <= covered and not rule.target <= covered:
                number += 1
                item = (weight * rule.weight, number, covered | rule.target, (*chain, rule))
                heapq.heappush(heap, item)
    return None


def _saturate(
    covered: frozenset[Col], chain: tuple[Dependency, ...], rules: list[Dependency]
) -> tuple[frozenset[Col], tuple[Dependency, ...]]:
    """Everything that follows at no weight."""
    changed = True
    while changed:
        changed = False
        for rule in rules:
            if rule.weight == 1 and rule.source <= covered and not rule.target <= covered:
                covered, chain, changed = covered | rule.target, (*chain, rule), True
    return covered, chain


def storage_bound(block: Select, shown: Iterable[Expr], catalog: Catalog, grouped: bool) -> Storage | None:
    """Algorithm 4: the relation of the view relative to which it is smallest; None if it may outgrow all.

    Rows of a view are told apart by all attributes of its relations; of a grouped view by its groups only.
    """
    shown = tuple(shown)
    rules = dependencies(block, catalog, shown)
    every = frozenset(
        Col(one.alias, name)
        for one in block.sources
        if isinstance(one, Base)
        for name in catalog[one.table].column_names
    )
    goal = atoms(shown) if grouped else every
    best: Storage | None = None
    for source in block.sources:
        if not isinstance(source, Base):
            return None
        names = catalog[source.table].key or catalog[source.table].column_names
        found = closure(frozenset(Col(source.alias, name) for name in names), goal, rules)
        if found is not None and (best is None or found[0] < best.factor):
            best = Storage(source.table, found[0], tuple(str(one) for one in found[1]))
    return best

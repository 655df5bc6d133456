"""How many rows a view can have: dependencies between attributes, and Algorithm 4.

Each dependency says that for one value of some attributes there are at most `weight` values of others:

    key -> all columns of the occurrence                     weight 1
    columns of a CARDINALITY LIMIT n -> all columns          weight n
    a = b                                                    weight 1, both ways
    a = constant                                             weight 1, from nothing
    LEFT JOIN r ON a = key of r:  a -> all columns of r      weight 1, NULLs if there is no partner

If the key of one relation determines, through dependencies of total weight w, every attribute that a view
shows, the view has at most w rows for each row of that relation.  The cheapest chain is found by uniform-cost
search and is kept as the proof.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from headwater.algebra.expressions.facts import aliases_of, columns_in
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Call, Column, Expr
from headwater.bounds.query.block import Base, LeftJoin, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import Classes

__all__ = ["Dependency", "Storage", "atoms", "closure", "dependencies", "determines", "storage_bound"]

_STATES = 4000


@dataclass(frozen=True, slots=True)
class Dependency:
    source: frozenset[Column]
    target: frozenset[Column]
    weight: int
    reason: str

    def __str__(self) -> str:
        left = ", ".join(sorted(sql_of(column) for column in self.source)) or "nothing"
        right = ", ".join(sorted(sql_of(column) for column in self.target))
        return f"({left}) -{self.weight}-> ({right})  {self.reason}"


@dataclass(frozen=True, slots=True)
class Storage:
    """At most `factor` rows for each row of `relative_to`, because of `chain`."""

    relative_to: str
    factor: int
    chain: tuple[str, ...]


def atoms(exprs: Iterable[Expr]) -> frozenset[Column]:
    """Attributes as dependencies know them: a column, or an expression taken for a column of its own.

    Columns determine an expression over them; an expression does not determine its columns.
    """
    return frozenset(_atom(expr) for expr in exprs)


def _atom(expr: Expr) -> Column:
    return expr if isinstance(expr, Column) else Column(sql_of(expr), "$expr")


def dependencies(
    block: Select, catalog: Catalog, exprs: Iterable[Expr] = (), present: Iterable[Expr] = ()
) -> tuple[Dependency, ...]:
    """All dependencies of a view's definition (the four rules of section 4.1), and those of `exprs`.

    `present`: expressions that the reader compares with a value, so that their NULLs do not matter.
    """
    rules: list[Dependency] = []
    classes = Classes.of(block.where)
    compared = frozenset(
        member
        for member in (*present, *(member for group in classes.groups for member in group), *_not_null(block))
        if isinstance(member, Column)
    )
    for source in block.sources:
        if isinstance(source, Base):
            join = block.left_join(source.alias)
            rules += _of_table(source, catalog, compared, optional=join is not None)
            rules += _of_left_join(join, source, catalog) if join is not None else ()
    members = [member for group in classes.groups for member in group if aliases_of(member)]
    for expr in dict.fromkeys((*members, *exprs)):
        if not isinstance(expr, Column):
            rules.append(
                Dependency(columns_in(expr), frozenset({_atom(expr)}), 1, f"computes {sql_of(expr)}")
            )
    for group in classes.groups:
        cols = [_atom(member) for member in group if aliases_of(member)]
        if any(not aliases_of(member) for member in group):
            rules.append(Dependency(frozenset(), frozenset(cols), 1, "fixed by a value"))
        for left, right in zip(cols, cols[1:], strict=False):
            reason = f"{sql_of(left)} = {sql_of(right)}"
            rules.append(Dependency(frozenset({left}), frozenset({right}), 1, reason))
            rules.append(Dependency(frozenset({right}), frozenset({left}), 1, reason))
    return tuple(rules)


def _not_null(block: Select) -> Iterator[Expr]:
    for condition in block.where:
        match condition:
            case Call("not_null", (term,)):
                yield term


def _of_left_join(join: LeftJoin, source: Base, catalog: Catalog) -> Iterator[Dependency]:
    """What the row of an optional source follows from, if a key of it is compared with columns of others."""
    outer: dict[str, Column] = {}
    for condition in join.on:
        match condition:
            case Call("eq", (Column() as left, Column() as right)) if join.alias in (left.alias, right.alias):
                own, other = (left, right) if left.alias == join.alias else (right, left)
                if other.alias == join.alias:
                    return
                outer[own.name] = other
            case _:  # whether there is a partner depends on more than these columns
                return
    for key in catalog.keys(source.table):
        if set(key) <= set(outer):
            every = frozenset(Column(name, join.alias) for name in catalog[source.table].column_names)
            reason = f"LEFT JOIN by a key of {source.table}"
            yield Dependency(frozenset(outer.values()), every, 1, reason)


def _of_table(
    source: Base, catalog: Catalog, compared: frozenset[Column], optional: bool
) -> list[Dependency]:
    """Keys and limits. Neither counts rows with NULL, so the schema or a condition must exclude NULL.

    `optional`: its columns are NULL where the source has no partner.
    """

    def certain(name: str) -> bool:
        return not catalog.nullable(source.table, name) or Column(name, source.alias) in compared

    def cols(names: Iterable[str]) -> frozenset[Column]:
        return frozenset(Column(name, source.alias) for name in names)

    every = cols(catalog[source.table].column_names)
    rules = [
        Dependency(cols(key), every, 1, f"key of {source.table}")
        for key in catalog.keys(source.table)
        if all(map(certain, key))
    ]
    for name in catalog[source.table].column_names:
        size = catalog.few_values(source.table, name)
        if size is not None:
            few = size + (optional or catalog.nullable(source.table, name))
            rules.append(Dependency(frozenset(), cols((name,)), few, f"{name} has at most {few} values"))
    for limit in catalog.cardinalities(source.table):
        if not all(map(certain, limit.columns)):
            continue
        reason = f"CARDINALITY LIMIT {limit.limit} ({', '.join(limit.columns)}) on {source.table}"
        rules.append(Dependency(cols(limit.columns), every, limit.limit, reason))
    return rules


def closure(
    start: frozenset[Column], goal: frozenset[Column], dependencies: Iterable[Dependency]
) -> tuple[int, tuple[Dependency, ...]] | None:
    """The least weight by which `start` determines `goal`, and the dependencies used; None if it does not."""
    rules = list(dependencies)
    number = 0
    heap: list[tuple[int, int, frozenset[Column], tuple[Dependency, ...]]] = [(1, number, start, ())]
    seen: set[frozenset[Column]] = set()
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


def determines(start: Iterable[Expr], goal: Expr, rules: Sequence[Dependency]) -> bool:
    """Is there one value of `goal` for each value of `start`?"""
    covered, _ = _saturate(atoms(start), (), list(rules))
    return atoms([goal]) <= covered


def _saturate(
    covered: frozenset[Column], chain: tuple[Dependency, ...], rules: list[Dependency]
) -> tuple[frozenset[Column], tuple[Dependency, ...]]:
    """Add everything that follows without adding weight."""
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
        Column(name, source.alias)
        for source in block.sources
        if isinstance(source, Base)
        for name in catalog[source.table].column_names
    )
    goal = atoms(shown) if grouped else every
    best: Storage | None = None
    for source in block.sources:
        if not isinstance(source, Base):
            return None
        names = catalog[source.table].key or catalog[source.table].column_names
        proof = closure(frozenset(Column(name, source.alias) for name in names), goal, rules)
        if proof is not None and (best is None or proof[0] < best.factor):
            best = Storage(source.table, proof[0], tuple(str(step) for step in proof[1]))
    return best

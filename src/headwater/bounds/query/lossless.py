"""Joins that cannot lose a row: what lets a cut happen before them.

A cut (LIMIT) may be taken as soon as every later join is sure to find a partner for each row: a left join
always is; an inner join is if a foreign key says so, and its columns are not NULL.  Where a column is
compared with another table's whole key and no foreign key is declared, the reference may be *assumed*: then
the plan says so, and stops with an error on a row that breaks it, rather than answer wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.algebra.expressions.facts import aliases_of
from headwater.algebra.expressions.tree import Column, Expr
from headwater.bounds.query.block import Base, Select
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.conditions import conditions_on
from headwater.bounds.query.settings import Settings

__all__ = ["Lossless", "lossless"]

Pairs = list[tuple[str, str]]  # (column of the owner, column of the table it refers to)


@dataclass(frozen=True, slots=True)
class Lossless:
    """Why the remaining sources all match: `assumes` (undeclared), `expects` by alias, columns not NULL."""

    assumes: frozenset[str] = frozenset()
    expects: tuple[tuple[str, str], ...] = ()
    not_null: tuple[Column, ...] = ()


def lossless(block: Select, classes: Classes, settings: Settings, done: frozenset[str]) -> Lossless | None:
    """Can no source outside `done` lose a row? Sources are added one by one, each by a reference."""
    left = [alias for alias in block.aliases if alias not in done]
    assumes: set[str] = set()
    expects: list[tuple[str, str]] = []
    not_null: list[Column] = []
    while left:
        steps = ((alias, _step(block, classes, settings, done, alias)) for alias in left)
        alias, step = next(((alias, step) for alias, step in steps if step is not None), ("", None))
        if step is None:
            return None
        left.remove(alias)
        done = done | {alias}
        assumes |= step.assumes
        expects += step.expects
        not_null += step.not_null
    return Lossless(frozenset(assumes), tuple(expects), tuple(dict.fromkeys(not_null)))


def _step(
    block: Select, classes: Classes, settings: Settings, done: frozenset[str], alias: str
) -> Lossless | None:
    """Why adding `alias` to the sources `done` loses no row."""
    given = done | settings.given
    join = block.left_join(alias)
    if join is not None:
        later = any(alias in aliases_of(condition) for condition in block.where)
        inside = all(aliases_of(condition) <= given | {alias} for condition in join.on)
        return Lossless() if inside and not later else None
    source = block.source(alias)
    if not isinstance(source, Base):
        return None
    on = conditions_on(alias, given, block.where, classes, settings.maxima)
    if on.one_of or on.ranges or on.constant or on.others or not on.equal:
        return None
    return _reference(block, classes, settings, given, source, tuple(term for term, _ in on.equal))


def _reference(
    block: Select,
    classes: Classes,
    settings: Settings,
    given: frozenset[str],
    source: Base,
    terms: tuple[Expr, ...],
) -> Lossless | None:
    """All equalities on `source` together are one reference from one of the sources already there."""
    columns = [term for term in terms if isinstance(term, Column)]
    if len(columns) != len(terms):
        return None
    for owner in block.sources:
        if not isinstance(owner, Base) or owner.alias not in given or block.left_join(owner.alias):
            continue
        partners = [(classes.member_of(owner.alias, column), column.name) for column in columns]
        pairs = [(partner.name, name) for partner, name in partners if partner is not None]
        if len(pairs) == len(partners):
            reference = _by_reference(settings, owner, source, pairs)
            if reference is not None:
                return reference
    return None


def _by_reference(settings: Settings, owner: Base, source: Base, pairs: Pairs) -> Lossless | None:
    """The reference from the owner to the source, if it is the same row, declared, or may be assumed."""
    catalog = settings.catalog
    names = ", ".join(name for name, _ in pairs)
    target = f"{source.table}({', '.join(column for _, column in pairs)})"
    text = f"every {owner.table}({names}) exists in {target}"
    nullable = tuple(Column(name, owner.alias) for name, _ in pairs if catalog.nullable(owner.table, name))
    sure = Lossless(frozenset(), ((source.alias, text),), nullable)
    if owner.table == source.table and all(name == column for name, column in pairs):
        return sure if catalog.is_unique(owner.table, [name for name, _ in pairs]) else None
    if catalog.references(owner.table, pairs, source.table):
        return sure
    if not settings.assume or not _is_plausible(settings, owner, source, pairs):
        return None
    return Lossless(frozenset({text}), sure.expects, sure.not_null)


def _is_plausible(settings: Settings, owner: Base, source: Base, pairs: Pairs) -> bool:
    """A whole key of the other table, from columns that are not this table's own identity."""
    catalog = settings.catalog
    own, theirs = [name for name, _ in pairs], [column for _, column in pairs]
    whole = any(set(key) == set(theirs) for key in catalog.keys(source.table))
    reverse = catalog.references(source.table, [(b, a) for a, b in pairs], owner.table)
    return whole and not catalog.is_unique(owner.table, own) and not reverse

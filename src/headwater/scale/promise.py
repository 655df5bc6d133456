"""Joins that cannot lose a row: what lets a cut happen before them.

A cut (LIMIT) may be taken as soon as every later join is promised to find a partner for each row: a left
join always is; an inner join is if a foreign key says so, and its columns are not NULL.  Where a column is
compared with another table's whole key and no foreign key is declared, the reference may be *assumed*: then
the plan says so, and stops with an error on a row that breaks it, rather than answer wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.scale.block import Base, Select
from headwater.scale.classes import Classes
from headwater.scale.conditions import conditions_on
from headwater.scale.expr import Col, Expr, aliases_of
from headwater.scale.settings import Settings

__all__ = ["Promise", "promise"]


@dataclass(frozen=True, slots=True)
class Promise:
    """Why the remaining sources all match: `assumes` (undeclared), `expects` by alias, columns not NULL."""

    assumes: frozenset[str] = frozenset()
    expects: tuple[tuple[str, str], ...] = ()
    not_null: tuple[Col, ...] = ()


def promise(block: Select, classes: Classes, settings: Settings, done: frozenset[str]) -> Promise | None:
    """Can no source outside `done` lose a row? Sources are added one by one, each by a reference."""
    left = [alias for alias in block.aliases if alias not in done]
    assumes: set[str] = set()
    expects: list[tuple[str, str]] = []
    not_null: list[Col] = []
    while left:
        step = next(
            ((alias, found) for alias in left if (found := _step(block, classes, settings, done, alias))),
            None,
        )
        if step is None:
            return None
        alias, found = step
        left.remove(alias)
        done = done | {alias}
        assumes |= found.assumes
        expects += found.expects
        not_null += found.not_null
    return Promise(frozenset(assumes), tuple(expects), tuple(dict.fromkeys(not_null)))


def _step(
    block: Select, classes: Classes, settings: Settings, done: frozenset[str], alias: str
) -> Promise | None:
    given = done | settings.given
    join = block.left_join(alias)
    if join is not None:
        later = any(alias in aliases_of(one) for one in block.where)
        inside = all(aliases_of(one) <= given | {alias} for one in join.on)
        return Promise() if inside and not later else None
    source = block.source(alias)
    if not isinstance(source, Base):
        return None
    found = conditions_on(alias, given, block.where, classes, settings.maxima)
    if found.one_of or found.ranges or found.constant or found.others or not found.equal:
        return None
    return _reference(block, classes, settings, given, source, tuple(term for term, _ in found.equal))


def _reference(
    block: Select,
    classes: Classes,
    settings: Settings,
    given: frozenset[str],
    source: Base,
    terms: tuple[Expr, ...],
) -> Promise | None:
    """All equalities on `source` together are one reference from one of the sources already there."""
    columns = [term.name for term in terms if isinstance(term, Col)]
    if len(columns) != len(terms):
        return None
    for owner in block.sources:
        if not isinstance(owner, Base) or owner.alias not in given or block.left_join(owner.alias):
            continue
        pairs = [(_partner(classes, owner.alias, term), term.name) for term in terms if isinstance(term, Col)]
        if any(partner is None for partner, _ in pairs):
            continue
        own = [(partner.name, column) for partner, column in pairs if partner is not None]
        found = _kind(settings, owner, source, own)
        if found is not None:
            return found
    return None


def _partner(classes: Classes, owner: str, term: Expr) -> Col | None:
    members = classes.of_member(term)
    return next((one for one in members if isinstance(one, Col) and one.alias == owner), None)


def _kind(settings: Settings, owner: Base, source: Base, pairs: list[tuple[str, str]]) -> Promise | None:
    catalog = settings.catalog
    names = ", ".join(name for name, _ in pairs)
    target = f"{source.table}({', '.join(column for _, column in pairs)})"
    text = f"every {owner.table}({names}) exists in {target}"
    holes = tuple(Col(owner.alias, name) for name, _ in pairs if catalog.nullable(owner.table, name))
    if owner.table == source.table and all(name == column for name, column in pairs):
        key = catalog.is_unique(owner.table, [name for name, _ in pairs])
        return Promise(frozenset(), ((source.alias, text),), holes) if key else None
    if catalog.references(owner.table, pairs, source.table):
        return Promise(frozenset(), ((source.alias, text),), holes)
    if not settings.assume or not _plausible(settings, owner, source, pairs):
        return None
    return Promise(frozenset({text}), ((source.alias, text),), holes)


def _plausible(settings: Settings, owner: Base, source: Base, pairs: list[tuple[str, str]]) -> bool:
    """A whole key of the other table, from columns that are not this table's own identity."""
    catalog = settings.catalog
    own, theirs = [name for name, _ in pairs], [column for _, column in pairs]
    whole = any(set(key) == set(theirs) for key in catalog.keys(source.table))
    reverse = catalog.references(source.table, [(b, a) for a, b in pairs], owner.table)
    return whole and not catalog.is_unique(owner.table, own) and not reverse

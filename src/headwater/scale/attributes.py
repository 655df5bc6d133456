"""The attributes of a view: Algorithms 2 and 3.

From a query's conditions come the sets that shape its view:

    equal     attributes compared with a parameter by = (or IN): they lead the view's key
    ranged    attributes compared with a parameter by <, >, ...: they come next
    order     the ORDER BY: next again
    keys      keys of the view's relations: last, so that no two rows of the view are the same

and the view's own conditions: everything that names no parameter, with equalities that two attributes share
through a parameter kept (a1 = :p AND a2 = :p leaves a1 = a2).  A condition whose parameter equals an
attribute is stated over that attribute instead, so it can move into the view.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.scale.block import Base, Select
from headwater.scale.catalog import Catalog
from headwater.scale.classes import Classes, equality
from headwater.scale.conditions import range_of
from headwater.scale.expr import Col, Expr, Fn, Lit, Param, aliases_of, call, params_of, substitute

__all__ = ["Attributes", "adjacent", "attributes_of", "choose_key"]


@dataclass(frozen=True, slots=True)
class Attributes:
    classes: Classes
    equal: tuple[Expr, ...]
    listed: tuple[Expr, ...]  # attributes compared by IN
    ranged: tuple[Expr, ...]
    where: tuple[Expr, ...]  # P_view
    reading: tuple[Expr, ...]  # conditions that remain for the reader: lists, ranges and all others


def attributes_of(block: Select, core: frozenset[str]) -> Attributes:
    """Sort the conditions over the sources in `core`; conditions on other sources are not for the view."""
    inside = [one for one in block.where if aliases_of(one) <= core]
    classes = Classes.of(inside)
    where: list[Expr] = list(_equalities(classes))
    listed: list[Expr] = []
    ranged: list[Expr] = []
    reading: list[Expr] = []
    for condition in inside:
        if equality(condition) is not None or not aliases_of(condition):
            continue
        stated = _without_parameters(condition, classes)
        if not params_of(stated):
            where.append(stated)
            continue
        reading.append(condition)
        term = _list_term(condition)
        found = next((one for alias in core if (one := range_of(condition, alias, frozenset()))), None)
        if term is not None:
            listed.append(term)
        elif found is not None:
            ranged.append(found.term)
    equal = [_representative(group) for group in classes.groups if _parameter(group) is not None]
    return Attributes(
        classes,
        tuple(one for one in _in_order(block, equal, classes) if one is not None),
        tuple(dict.fromkeys(listed)),
        tuple(dict.fromkeys(ranged)),
        tuple(dict.fromkeys(where)),
        tuple(reading),
    )


def _in_order(block: Select, found: Iterable[Expr | None], classes: Classes) -> list[Expr]:
    """In the order in which the query names them."""
    position: dict[Expr, int] = {}
    for number, condition in enumerate(block.where):
        for side in equality(condition) or ():
            position.setdefault(side, number)
    known = [one for one in found if one is not None]
    return sorted(
        known, key=lambda one: min((position.get(m, 10**6) for m in classes.of_member(one)), default=0)
    )


def _parameter(group: tuple[Expr, ...]) -> Expr | None:
    return next((one for one in group if not aliases_of(one) and params_of(one)), None)


def _representative(group: tuple[Expr, ...]) -> Expr | None:
    return next((one for one in group if aliases_of(one)), None)


def _equalities(classes: Classes) -> Iterable[Expr]:
    """Algorithm 2: the members of a class that are no parameters, one equality between each and the next."""
    for group in classes.groups:
        members = [one for one in group if aliases_of(one)]
        literals = [one for one in group if not aliases_of(one) and not params_of(one)]
        for left, right in zip(members, members[1:], strict=False):
            yield call("eq", left, right)
        for literal in literals if members else ():
            yield call("eq", members[0], literal)


def _without_parameters(condition: Expr, classes: Classes) -> Expr:
    """Each parameter that equals an attribute, replaced by it."""
    names: dict[Expr, Expr] = {}
    for name in params_of(condition):
        members = classes.of_member(Param(name))
        column = next((one for one in members if isinstance(one, Col)), None)
        if column is not None:
            names[Param(name)] = column
    return substitute(condition, names) if names else condition


def _list_term(condition: Expr) -> Expr | None:
    match condition:
        case Fn("in", (term, *values)) if not any(aliases_of(one) for one in values):
            return term if aliases_of(term) else None
        case _:
            return None


def adjacent(ranged: tuple[Expr, ...], order: tuple[Expr, ...]) -> bool:
    """Algorithm 1: at most one ranged attribute, and an order that starts with it."""
    return len(ranged) <= 1 and not (ranged and order and order[0] != ranged[0])


def choose_key(
    parts: Iterable[Expr], core: tuple[Base, ...], classes: Classes, catalog: Catalog
) -> tuple[Expr, ...]:
    """Algorithm 3: the parts in order, then the keys; each equality class is stored once.

    Of a class the member that is a whole key of its relation stands for it: it says best what it is.
    """
    keys = [Col(one.alias, name) for one in core for name in catalog[one.table].key]
    whole = {Col(one.alias, key[0]) for one in core if len(key := catalog[one.table].key) == 1}
    chosen: list[Expr] = []
    covered: set[Expr] = set()
    for part in (*parts, *keys):
        if part in covered or isinstance(part, Lit):
            continue
        members = classes.of_member(part)
        covered |= {part, *members}
        if not any(not aliases_of(one) and not params_of(one) for one in members):
            chosen.append(next((one for one in members if one in whole), part) if part in keys else part)
    return tuple(chosen)

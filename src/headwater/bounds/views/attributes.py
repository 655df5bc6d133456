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

from headwater.algebra.expressions.facts import aliases_of, is_storable, parameters_of, substitute
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, Parameter, call
from headwater.bounds.query.block import Base, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import Classes, equality
from headwater.bounds.query.conditions import range_of

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
    inside = [condition for condition in block.where if aliases_of(condition) <= core]
    classes = Classes.of(condition for condition in inside if not _is_mixed(condition))
    where: list[Expr] = list(_equalities(classes))
    listed: list[Expr] = []
    ranged: list[Expr] = []
    reading: list[Expr] = []
    for condition in inside:
        if not aliases_of(condition) or (equality(condition) is not None and not _is_mixed(condition)):
            continue
        stated = _without_parameters(condition, classes)
        if not parameters_of(stated):
            where.append(stated)
            continue
        reading.append(condition)
        term = _list_term(condition)
        bounds = [bound for alias in core if (bound := range_of(condition, alias, frozenset()))]
        if term is not None:
            listed.append(term)
        elif bounds:
            ranged.append(bounds[0].term)
    groups = [group for group in classes.groups if _parameter(group) is not None]
    equal = [expr for group in groups if (expr := _representative(group)) is not None]
    return Attributes(
        classes,
        tuple(_as_named(block, equal, classes)),
        tuple(dict.fromkeys(listed)),
        tuple(dict.fromkeys(ranged)),
        tuple(dict.fromkeys(where)),
        tuple(reading),
    )


def _is_mixed(condition: Expr) -> bool:
    """An equality with a side that needs both a row and a parameter: score % :m = 0."""
    return any(aliases_of(side) and parameters_of(side) for side in equality(condition) or ())


def _as_named(block: Select, exprs: Iterable[Expr], classes: Classes) -> list[Expr]:
    """In the order in which the query names them."""
    position: dict[Expr, int] = {}
    for number, condition in enumerate(block.where):
        for side in equality(condition) or ():
            position.setdefault(side, number)
    last = len(block.where)
    return sorted(
        exprs, key=lambda expr: min(position.get(member, last) for member in classes.of_member(expr))
    )


def _parameter(group: tuple[Expr, ...]) -> Expr | None:
    return next((member for member in group if not aliases_of(member) and parameters_of(member)), None)


def _representative(group: tuple[Expr, ...]) -> Expr | None:
    return next((member for member in group if aliases_of(member)), None)


def _equalities(classes: Classes) -> Iterable[Expr]:
    """Algorithm 2: the members of a class that are no parameters, one equality between each and the next."""
    for group in classes.groups:
        members = [member for member in group if aliases_of(member)]
        literals = [member for member in group if not aliases_of(member) and not parameters_of(member)]
        for left, right in zip(members, members[1:], strict=False):
            yield call("eq", left, right)
        for literal in literals if members else ():
            yield call("eq", members[0], literal)


def _without_parameters(condition: Expr, classes: Classes) -> Expr:
    """The condition with each parameter replaced by an attribute that equals it."""
    names: dict[Expr, Expr] = {}
    for name in parameters_of(condition):
        members = classes.of_member(Parameter(name))
        column = next((member for member in members if isinstance(member, Column)), None)
        if column is not None:
            names[Parameter(name)] = column
    return substitute(condition, names) if names else condition


def _list_term(condition: Expr) -> Expr | None:
    match condition:
        case Call("in", (term, *values)) if not any(aliases_of(value) for value in values):
            return term if aliases_of(term) and is_storable(term) else None
        case _:
            return None


def adjacent(ranged: tuple[Expr, ...], order: tuple[Expr, ...]) -> bool:
    """Algorithm 1: at most one ranged attribute, and an order that starts with it."""
    return len(ranged) <= 1 and not (ranged and order and order[0] != ranged[0])


def choose_key(
    parts: Iterable[Expr], core: tuple[Base, ...], classes: Classes, catalog: Catalog
) -> tuple[Expr, ...]:
    """Algorithm 3: the parts in order, then the keys; each equality class is stored once.

    A class is represented by the member that is a whole key of its relation, if there is one.
    """
    keys = [Column(name, source.alias) for source in core for name in catalog[source.table].key]
    whole = {Column(key[0], source.alias) for source in core if len(key := catalog[source.table].key) == 1}
    chosen: list[Expr] = []
    covered: set[Expr] = set()
    for part in (*parts, *keys):
        if part in covered or isinstance(part, Literal):
            continue
        members = classes.of_member(part)
        covered |= {part, *members}
        if not any(not aliases_of(member) and not parameters_of(member) for member in members):
            chosen.append(
                next((member for member in members if member in whole), part) if part in keys else part
            )
    return tuple(chosen)

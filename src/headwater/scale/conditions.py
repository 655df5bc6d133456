"""What a conjunction says about one source, once other sources are given: the material of access paths.

    equal       term = value            leads an index
    one_of      term IN (values)        leads an index, once for each value
    ranges      term < value, LIKE 'abc%', IS NOT NULL    the part after the equal ones
    constant    conditions on the row alone, the same for every call: may be an index's own WHERE
    others      everything else that becomes checkable: a filter after the read

A term is an expression over the source alone; a value needs only parameters and the given sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headwater.scale.classes import Classes, equality, is_volatile
from headwater.scale.evaluate import like_prefix
from headwater.scale.expr import (
    Expr,
    Fn,
    Lit,
    Param,
    aliases_of,
    call,
    has_subquery,
    is_value,
    params_of,
    sql_of,
)

__all__ = ["Conditions", "Range", "conditions_on", "range_of"]

_FLIP = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}


@dataclass(frozen=True, slots=True)
class Range:
    """`op` is lt, lte, gt, gte, prefix (LIKE) or notnull; `condition` is what it stands for."""

    term: Expr
    op: str
    value: Expr
    condition: Expr
    assumes: str = ""


@dataclass(frozen=True, slots=True)
class Conditions:
    equal: tuple[tuple[Expr, Expr], ...]  # (term, value): each class member of the source that has a value
    one_of: tuple[tuple[Expr, tuple[Expr, ...], int, Expr], ...]  # term, values, how many, condition
    ranges: tuple[Range, ...]
    constant: tuple[Expr, ...]
    others: tuple[Expr, ...]

    def terms(self) -> tuple[Expr, ...]:
        return tuple(dict.fromkeys(term for term, _ in self.equal))


def range_of(condition: Expr, alias: str, given: frozenset[str]) -> Range | None:
    """A condition as a range of a term of `alias`, if it is one."""
    match condition:
        case Fn("like", (term, pattern)) if _is_term(term, alias) and is_value(pattern, given):
            return _prefix(term, pattern, condition)
        case Fn("not_null", (term,)) if _is_term(term, alias):
            return Range(term, "notnull", Lit(None, "NULL"), condition)
        case Fn(op, (left, right)) if op in _FLIP:
            if _is_term(left, alias) and is_value(right, given):
                return Range(left, op, right, condition)
            if _is_term(right, alias) and is_value(left, given):
                return Range(right, _FLIP[op], left, condition)
    return None


def _is_term(expr: Expr, alias: str) -> bool:
    return (
        aliases_of(expr) == {alias}
        and not has_subquery(expr)
        and not is_volatile(expr)
        and not params_of(expr)
    )


def _prefix(term: Expr, pattern: Expr, condition: Expr) -> Range | None:
    """LIKE as a range: 'abc%', :p || '%', or a parameter whose name says that it holds such a pattern."""
    match pattern:
        case Lit(str() as text) if like_prefix(text)[1]:
            return Range(term, "prefix", pattern, condition)
        case Fn("concat", (start, Lit("%"))) if not aliases_of(start):
            note = f"{sql_of(start)} holds no % or _"
            return Range(term, "prefix", pattern, condition, note)
        case Param(name) if name.lower().endswith("prefix"):
            note = f":{name} is a text followed by one % (no % or _ before it)"
            return Range(term, "prefix", pattern, condition, note)
        case _:
            return None


def conditions_on(
    alias: str,
    given: frozenset[str],
    where: Iterable[Expr],
    classes: Classes,
    maxima: Mapping[str, int],
) -> Conditions:
    """Sort the conditions that become checkable when `alias` joins the `given` sources."""
    equal, leftover = _equalities(alias, given, classes)
    one_of: list[tuple[Expr, tuple[Expr, ...], int, Expr]] = []
    ranges: list[Range] = []
    constant: list[Expr] = []
    others: list[Expr] = []
    for condition in (*leftover, *(one for one in where if equality(one) is None)):
        used = aliases_of(condition)
        if not used <= given | {alias} or alias not in used:
            continue
        choice = _choice(condition, alias, given, maxima)
        found = range_of(condition, alias, given)
        token = _token(condition, alias, given)
        if choice is not None:
            one_of.append(choice)
        elif token is not None:
            equal.append(token)
        elif found is not None:
            ranges.append(found)
        elif used == {alias} and not (
            params_of(condition) or has_subquery(condition) or is_volatile(condition)
        ):
            constant.append(condition)
        else:
            others.append(condition)
    return Conditions(tuple(equal), tuple(one_of), tuple(ranges), tuple(constant), tuple(others))


def _equalities(
    alias: str, given: frozenset[str], classes: Classes
) -> tuple[list[tuple[Expr, Expr]], list[Expr]]:
    equal: list[tuple[Expr, Expr]] = []
    leftover: list[Expr] = []
    for group in classes.groups:
        fresh = classes.newly(group, given, alias)
        if not fresh:
            continue
        value = classes.value(group, given)
        if value is None:
            leftover += [call("eq", fresh[0], other) for other in fresh[1:]]
            continue
        for member in fresh:
            if _is_term(member, alias):
                equal.append((member, value))
            else:
                leftover.append(call("eq", member, value))
    return equal, leftover


def _choice(
    condition: Expr, alias: str, given: frozenset[str], maxima: Mapping[str, int]
) -> tuple[Expr, tuple[Expr, ...], int, Expr] | None:
    match condition:
        case Fn("in", (term, Param(name))) if _is_term(term, alias):
            return (term, (Param(name),), maxima[name], condition) if name in maxima else None
        case Fn("in", (term, *values)) if _is_term(term, alias) and all(
            is_value(one, given) for one in values
        ):
            return term, tuple(values), len(values), condition
        case _:
            return None


def _token(condition: Expr, alias: str, given: frozenset[str]) -> tuple[Expr, Expr] | None:
    match condition:
        case Fn("eq", (Fn("token") as term, value)) if _is_term(term, alias) and is_value(value, given):
            return term, value
        case _:
            return None

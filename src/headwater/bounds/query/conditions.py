"""What a conjunction says about one source, once other sources are given: the material of access paths.

    equal       term = value            leads an index
    one_of      term IN (values)        leads an index, once for each value
    ranges      term < value, LIKE 'abc%', IS NOT NULL    the part after the equal ones
    constant    conditions on the row alone, the same for every call: may be an index's own WHERE
    others      everything else that becomes checkable: a filter after the read

A term is an expression over the source alone; a value needs only parameters and the given sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from headwater.algebra.expressions.facts import aliases_of, is_of_one_row, is_value
from headwater.algebra.expressions.matching import like_prefix
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Call, Expr, Literal, Parameter, call, walk
from headwater.bounds.query.classes import Classes, equality

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

    def all(self) -> Iterator[Expr]:
        """Every condition, as a filter would check it."""
        for term, value in self.equal:
            yield call("eq", term, value)
        for _, _, _, condition in self.one_of:
            yield condition
        for bound in self.ranges:
            yield bound.condition
        yield from self.constant
        yield from self.others


def range_of(condition: Expr, alias: str, given: frozenset[str]) -> Range | None:
    """A condition as a range of a term of `alias`, if it is one."""
    match condition:
        case Call("like", (term, pattern)) if _is_term(term, alias) and is_value(pattern, given):
            return _prefix(term, pattern, condition)
        case Call("not_null", (term,)) if _is_term(term, alias):
            return Range(term, "notnull", Literal(None, "NULL"), condition)
        case Call(op, (left, right)) if op in _FLIP:
            if _is_term(left, alias) and is_value(right, given):
                return Range(left, op, right, condition)
            if _is_term(right, alias) and is_value(left, given):
                return Range(right, _FLIP[op], left, condition)
    return None


def _is_term(expr: Expr, alias: str) -> bool:
    return aliases_of(expr) == {alias} and is_of_one_row(expr)


def _prefix(term: Expr, pattern: Expr, condition: Expr) -> Range | None:
    """LIKE as a range: 'abc%', :p || '%', or a parameter whose name says that it holds such a pattern."""
    match pattern:
        case Literal(str() as text) if like_prefix(text)[1]:
            return Range(term, "prefix", pattern, condition)
        case Call("concat", (start, Literal("%" | "%%"))) if _may_be_plain(start):  # %% as drivers escape it
            note = f"{sql_of(start)} holds no % or _"
            return Range(term, "prefix", pattern, condition, note)
        case Parameter(name) if name.lower().endswith("prefix"):
            note = f":{name} is a text followed by one % (no % or _ before it)"
            return Range(term, "prefix", pattern, condition, note)
        case _:
            return None


def _may_be_plain(text: Expr) -> bool:
    """Can it be a text without wildcards? '%' || :q cannot, whatever :q is."""
    written = (part.value for part in walk(text) if isinstance(part, Literal))
    return not aliases_of(text) and not any(
        isinstance(value, str) and ("%" in value or "_" in value) for value in written
    )


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
    for condition in (*leftover, *(condition for condition in where if equality(condition) is None)):
        used = aliases_of(condition)
        if not used <= given | {alias} or alias not in used:
            continue
        choice = _choice(condition, alias, given, maxima)
        bounds = range_of(condition, alias, given)
        token = _token(condition, alias, given)
        if choice is not None:
            one_of.append(choice)
        elif token is not None:
            equal.append(token)
        elif bounds is not None:
            ranges.append(bounds)
        elif used == {alias} and is_of_one_row(condition):
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
        case Call("in", (term, Parameter(name))) if _is_term(term, alias):
            return (term, (Parameter(name),), maxima[name], condition) if name in maxima else None
        case Call("in", (term, *values)) if _is_term(term, alias) and all(
            is_value(value, given) for value in values
        ):
            return term, tuple(values), len(values), condition
        case _:
            return None


def _token(condition: Expr, alias: str, given: frozenset[str]) -> tuple[Expr, Expr] | None:
    match condition:
        case Call("eq", (Call("token") as term, value)) if _is_term(term, alias) and is_value(value, given):
            return term, value
        case _:
            return None

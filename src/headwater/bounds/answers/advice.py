"""Advice: changes that would make a query bounded, each applied and analysed before it is given.

    add LIMIT                              its own result is unlimited
    declare CARDINALITY LIMIT n (cols)     rows that share a value are unlimited
    declare UNIQUE (cols)                  a lookup by a column that may be a key
    declare FOREIGN KEY                    a later join may lose rows before the LIMIT is filled
    drop ORDER BY, or a range              they do not lie together in one order
    declare a list's maximum, write LIKE :p || '%', mark a column TEMPORAL

Single changes come first; only if none helps, pairs.  So a user never gets advice that does not work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeGuard

from headwater.algebra.expressions.build import concat
from headwater.algebra.expressions.facts import aliases_of, columns_in
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import (
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Parameter,
    call,
    transform,
    walk,
)
from headwater.bounds.answers.analyse import Subject, level_of
from headwater.bounds.answers.answer import Advice, Answer, Level
from headwater.bounds.answers.pages import page_by_key
from headwater.bounds.query.block import Base, Select
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.conditions import range_of
from headwater.model import Cardinality, ForeignKey, Table

__all__ = ["advise"]

_EXAMPLE = 100  # the number that stands for n while advice is tried
_PAIRS = 6
_KEPT = 4


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the query or the schema: its text, and the subject with the change applied."""

    text: str
    subject: Subject
    kind: str


def advise(subject: Subject, answer: Answer) -> tuple[Advice, ...]:
    """Advice for an unbounded query; for a bounded one, a warning about a hot spot it would make."""
    if answer.level.bounded:
        hot = _hot_spots(subject, answer) if answer.level is Level.SI_1 else ()
        return (*hot, *page_by_key(subject, answer))
    if answer.level is not Level.UNBOUNDED:
        return ()
    changes = list(_changes(subject))
    advices: list[Advice] = []
    for change in changes:
        advice = _tried(change) if len(advices) < _KEPT else None
        advices += [advice] if advice is not None else []
    if not advices:
        advices = list(_pairs(subject, changes))
    return tuple(sorted(advices, key=lambda advice: advice.level.rank))


def _tried(change: Change) -> Advice | None:
    level = level_of(change.subject)
    return Advice(change.text, level) if level.bounded else None


def _pairs(subject: Subject, changes: list[Change]) -> Iterator[Advice]:
    tried = 0
    for first, second in combinations(changes, 2):
        if first.kind == second.kind and first.kind not in ("cardinality", "reference"):
            continue
        both = next((change for change in _changes(first.subject) if change.text == second.text), None)
        tried += 1
        if tried > _PAIRS:
            return
        if both is not None and (advice := _tried(both)) is not None:
            yield Advice(f"{first.text}, and {second.text}", advice.level)
            return


def _changes(subject: Subject) -> Iterator[Change]:
    query = subject.query
    if not isinstance(query, Select):
        return
    if query.limit is None and query.group is None:
        limited = replace(query, limit=Literal(_EXAMPLE, str(_EXAMPLE)))
        yield Change("add LIMIT n", replace(subject, query=limited), "limit")
    if query.limit is None and query.group:
        limited = replace(query, limit=Literal(_EXAMPLE, str(_EXAMPLE)))
        yield Change("add LIMIT n to the groups", replace(subject, query=limited), "limit")
    yield from _lists(subject, query)
    yield from _patterns(subject, query)
    yield from _orders(subject, query)
    yield from _enforced(subject, query)
    if subject.strict:  # else they are assumed already, and would change nothing
        yield from _references(subject, query)
    yield from _constraints(subject, query)


def _lists(subject: Subject, query: Select) -> Iterator[Change]:
    for condition in query.where:
        match condition:
            case Call("in", (_, Parameter(name))) if name not in subject.maxima:
                text = f"declare the list's maximum: -- param: {name} <= n"
                yield Change(text, replace(subject, maxima={**subject.maxima, name: _EXAMPLE}), "list")


def _patterns(subject: Subject, query: Select) -> Iterator[Change]:
    """Prefixes and words in place of patterns and search texts, also of those inside an OR."""
    for condition in query.where:
        searches = [part for part in walk(condition) if _pattern(part) is not None]
        forms: dict[str, dict[Expr, Expr]] = {"prefix": {}, "word": {}}
        for search in searches:
            term, pattern = _pattern(search) or (search, search)
            forms["prefix"][search] = call("like", term, concat(pattern, Literal("%", "'%'")))
            forms["word"][search] = call("eq", call("token", term), pattern)
        for kind, names in forms.items() if searches else ():
            text = f"search by {kind}: {' OR '.join(sql_of(form) for form in names.values())}"
            changed = transform(condition, lambda part, names=names: names.get(part, part))  # type: ignore[misc]
            yield _where(subject, query, condition, changed, text, "pattern")


def _pattern(expr: Expr) -> tuple[Expr, Expr] | None:
    """What is searched, and for what: LIKE, ILIKE, MATCH ... AGAINST or @@ with a parameter."""
    match expr:
        case Call("like", (term, Parameter(name) as pattern)) if not name.lower().endswith("prefix"):
            return term, pattern
        case Opaque("ilike" | "matchagainst", (Column() as term, Parameter() as pattern)):
            return term, pattern
        case Opaque("matchagainst", (Parameter() as pattern, Column() as term)):
            return term, pattern
        case _:
            return None


def _where(subject: Subject, query: Select, old: Expr, new: Expr | None, text: str, kind: str) -> Change:
    where = tuple(new if condition == old else condition for condition in query.where)
    kept = tuple(condition for condition in where if condition is not None)
    return Change(text, replace(subject, query=replace(query, where=kept)), kind)


def _orders(subject: Subject, query: Select) -> Iterator[Change]:
    """Where the order and the ranges do not fit together: drop one of them."""
    if query.order and query.limit is not None and query.group is None:
        items = ", ".join(sql_of(item.expr) for item in query.order)
        yield Change(f"drop ORDER BY {items}", replace(subject, query=replace(query, order=())), "order")
    ranged = {
        bound.term: condition
        for condition in query.where
        for alias in query.aliases
        if (bound := range_of(condition, alias, frozenset())) is not None and bound.op != "notnull"
    }
    if query.limit is not None and (len(ranged) > 1 or (ranged and query.order)):
        for term, condition in ranged.items():
            yield _where(subject, query, condition, None, f"drop the range on {sql_of(term)}", "range")


def _with_table(subject: Subject, table: Table) -> Subject:
    return replace(subject, catalog=subject.catalog.with_tables(table))


def _declarable(subject: Subject, query: Select) -> list[Base]:
    """Sources that declarations can be added to: what holds for a view follows from its definition."""
    return [
        source
        for source in query.sources
        if isinstance(source, Base) and source.table not in subject.catalog.views
    ]


def _references(subject: Subject, query: Select) -> Iterator[Change]:
    """Foreign keys that the joins suggest."""
    classes = Classes.of(query.where)
    for owner in _declarable(subject, query):
        for target in _declarable(subject, query):
            key = subject.catalog[target.table].key
            if owner.alias == target.alias or not key:
                continue
            pairs = [classes.member_of(owner.alias, Column(name, target.alias)) for name in key]
            own = tuple(partner.name for partner in pairs if partner is not None)
            table = subject.catalog[owner.table]
            declared = subject.catalog.references(
                owner.table, list(zip(own, key, strict=False)), target.table
            )
            if len(own) != len(key) or declared or subject.catalog.is_unique(owner.table, own):
                continue
            columns = tuple(
                replace(column, nullable=column.nullable and column.name not in own)
                for column in table.columns
            )
            reference = ForeignKey(own, target.table, key)
            changed = replace(table, columns=columns, foreign_keys=(*table.foreign_keys, reference))
            text = (
                f"declare FOREIGN KEY ({', '.join(own)}) REFERENCES {target.table} on {owner.table}, NOT NULL"
            )
            yield Change(text, _with_table(subject, changed), "reference")


def _enforced(subject: Subject, query: Select) -> Iterator[Change]:
    """Limits that are declared, but only warned about."""
    for source in _declarable(subject, query):
        table = subject.catalog[source.table]
        if table.warn_on_violation:
            enforced = replace(table, warn_on_violation=False)
            text = f"declare ON VIOLATION REJECT on {table.name}: limits that only warn prove nothing"
            yield Change(text, _with_table(subject, enforced), "enforce")


def _constraints(subject: Subject, query: Select) -> Iterator[Change]:
    """Limits and keys on the columns that are compared with a value or with another source."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for source, valued, joined in _all_compared(subject, query):
        sets = [tuple(valued), *((name,) for name in valued), *((name,) for name in joined)]
        sets += [] if valued or joined else [()]  # nothing is compared: the table's own size
        table = subject.catalog[source.table]
        for columns in dict.fromkeys(sets if not (valued or joined) else filter(None, sets)):
            bounded = subject.catalog.row_bound(source.table, columns) is not None
            if (source.table, columns) in seen or bounded or not _may_be_limited(subject, table, columns):
                continue
            seen.add((source.table, columns))
            limit = Cardinality(columns, _EXAMPLE)
            limited = replace(table, cardinalities=(*table.cardinalities, limit))
            named = ", ".join(columns)
            text = f"declare CARDINALITY LIMIT n ({named}) on {source.table}"
            text += "" if columns else ", if it stays small"
            yield Change(text, _with_table(subject, limited), "cardinality")
            if (
                columns == tuple(valued)
                and len(columns) == 1
                and query.limit is None
                and len(query.sources) == 1
                and _may_be_unique(table, columns[0])
            ):
                unique = replace(table, unique=(*table.unique, columns))
                yield Change(
                    f"declare UNIQUE ({named}) on {source.table}", _with_table(subject, unique), "unique"
                )


def _may_be_limited(subject: Subject, table: Table, columns: tuple[str, ...]) -> bool:
    """Columns of few values have no limit that a growing table keeps: half of all rows are TRUE."""
    return not columns or any(subject.catalog.few_values(table.name, name) is None for name in columns)


def _may_be_unique(table: Table, column: str) -> bool:
    """A column that refers to another table, or is only part of a key, is not a key by itself."""
    part_of_key = any(column in key and len(key) > 1 for key in (table.key, *table.unique))
    refers = any(column in key.columns for key in table.foreign_keys) or column.lower().endswith("id")
    return not (part_of_key or refers)


def _all_compared(subject: Subject, query: Select) -> Iterator[tuple[Base, list[str], list[str]]]:
    """Every table, including those of subqueries, with the columns that are compared."""
    classes = Classes.of((*query.where, *(on for join in query.left_joins for on in join.on)))
    operands = [subquery.operand for subquery in query.subqueries if isinstance(subquery.operand, Column)]
    listed = [condition.arguments[0] for condition in query.where if _is_list(condition)]
    for source in _declarable(subject, query):
        valued, joined = _compared(classes, source)
        valued += [term.name for term in listed if isinstance(term, Column) and term.alias == source.alias]
        yield source, valued, joined + [operand.name for operand in operands if operand.alias == source.alias]
    for subquery in query.subqueries:
        if isinstance(subquery.query, Select):
            yield from _all_compared(subject, subquery.query)


def _is_list(condition: Expr) -> TypeGuard[Call]:
    return isinstance(condition, Call) and condition.function == "in"


def _compared(classes: Classes, source: Base) -> tuple[list[str], list[str]]:
    """Columns equal to a value, and columns equal to another source's."""
    valued: list[str] = []
    joined: list[str] = []
    for group in classes.groups:
        own = [member.name for member in group if isinstance(member, Column) and member.alias == source.alias]
        if any(not aliases_of(member) for member in group):
            valued += own
        elif any(aliases_of(member) - {source.alias} for member in group):
            joined += own
    return valued, joined


_TIMES = ("timestamp", "date", "timestamp_ntz", "datetime")


def _hot_spots(subject: Subject, answer: Answer) -> Iterator[Advice]:
    """Indexes led by a time, which are hot spots if rows arrive in its order; only the developer knows."""
    for index in answer.indexes:
        table = subject.catalog[index.table]
        names = [column.name for part in index.parts for column in columns_in(part.expr)]
        columns_of_time = [
            column for column in map(table.column, names) if column and column.type.startswith(_TIMES)
        ]
        column = next(iter(columns_of_time), None)
        if column is None or column.temporal:
            continue
        columns = tuple(
            replace(other, temporal=other.temporal or other.name == column.name) for other in table.columns
        )
        level = level_of(_with_table(subject, replace(table, columns=columns)))
        if level is not Level.SI_1:
            text = f"mark {column.name} TEMPORAL if rows of {table.name} arrive in its order: a hot spot"
            yield Advice(text, level)

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

from headwater.model import Cardinality, ForeignKey, Table
from headwater.scale.analyse import Subject, level_of
from headwater.scale.answer import Advice, Answer, Level
from headwater.scale.block import Base, Select
from headwater.scale.classes import Classes
from headwater.scale.conditions import range_of
from headwater.scale.expr import Col, Expr, Fn, Lit, Param, aliases_of, call, sql_of

__all__ = ["advise"]

_EXAMPLE = 100  # the number that stands for n while advice is tried
_PAIRS = 6
_KEPT = 4


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the query or of the schema, as text and as what it does to a subject."""

    text: str
    subject: Subject
    kind: str


def advise(subject: Subject, answer: Answer) -> tuple[Advice, ...]:
    """Advice for an unbounded query; for a bounded one, a warning about a hot spot it would make."""
    if answer.level is Level.SI_1:
        return tuple(_hot_spots(subject, answer))
    if answer.level is not Level.UNBOUNDED:
        return ()
    changes = list(_changes(subject))
    found: list[Advice] = []
    for one in changes:
        advice = _tried(one) if len(found) < _KEPT else None
        found += [advice] if advice is not None else []
    if not found:
        found = list(_pairs(subject, changes))
    return tuple(sorted(found, key=lambda one: one.level.rank))


def _tried(change: Change) -> Advice | None:
    level = level_of(change.subject)
    return Advice(change.text, level) if level.bounded else None


def _pairs(subject: Subject, changes: list[Change]) -> Iterator[Advice]:
    tried = 0
    for first, second in combinations(changes, 2):
        if first.kind == second.kind and first.kind not in ("cardinality", "reference"):
            continue
        both = next((one for one in _changes(first.subject) if one.text == second.text), None)
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
        limited = replace(query, limit=Lit(_EXAMPLE, str(_EXAMPLE)))
        yield Change("add LIMIT n", replace(subject, query=limited), "limit")
    if query.limit is None and query.group:
        limited = replace(query, limit=Lit(_EXAMPLE, str(_EXAMPLE)))
        yield Change("add LIMIT n to the groups", replace(subject, query=limited), "limit")
    yield from _lists(subject, query)
    yield from _patterns(subject, query)
    yield from _orders(subject, query)
    if subject.strict:  # else they are assumed already, and would change nothing
        yield from _references(subject, query)
    yield from _constraints(subject, query)


def _lists(subject: Subject, query: Select) -> Iterator[Change]:
    for condition in query.where:
        match condition:
            case Fn("in", (_, Param(name))) if name not in subject.maxima:
                text = f"declare the list's maximum: -- param: {name} <= n"
                yield Change(text, replace(subject, maxima={**subject.maxima, name: _EXAMPLE}), "list")


def _patterns(subject: Subject, query: Select) -> Iterator[Change]:
    for condition in query.where:
        match condition:
            case Fn("like", (term, Param() as pattern)) if not pattern.name.lower().endswith("prefix"):
                prefix = call("like", term, call("concat", pattern, Lit("%", "'%'")))
                yield _where(
                    subject, query, condition, prefix, f"search by prefix: {sql_of(prefix)}", "pattern"
                )
                token = call("eq", call("token", term), pattern)
                yield _where(subject, query, condition, token, f"search by word: {sql_of(token)}", "pattern")


def _where(subject: Subject, query: Select, old: Expr, new: Expr | None, text: str, kind: str) -> Change:
    where = tuple(new if one == old else one for one in query.where)
    kept = tuple(one for one in where if one is not None)
    return Change(text, replace(subject, query=replace(query, where=kept)), kind)


def _orders(subject: Subject, query: Select) -> Iterator[Change]:
    """An order and ranges that do not fit together: drop one."""
    if query.order and query.limit is not None and query.group is None:
        items = ", ".join(sql_of(one.expr) for one in query.order)
        yield Change(f"drop ORDER BY {items}", replace(subject, query=replace(query, order=())), "order")
    ranged = {
        found.term: one
        for one in query.where
        for alias in query.aliases
        if (found := range_of(one, alias, frozenset())) is not None and found.op != "notnull"
    }
    if query.limit is not None and (len(ranged) > 1 or (ranged and query.order)):
        for term, condition in ranged.items():
            yield _where(subject, query, condition, None, f"drop the range on {sql_of(term)}", "range")


def _with_table(subject: Subject, table: Table) -> Subject:
    return replace(subject, catalog=subject.catalog.with_tables(table))


def _bases(query: Select) -> list[Base]:
    return [one for one in query.sources if isinstance(one, Base)]


def _references(subject: Subject, query: Select) -> Iterator[Change]:
    """Foreign keys that the joins suggest."""
    classes = Classes.of(query.where)
    for owner in _bases(query):
        for target in _bases(query):
            key = subject.catalog[target.table].key
            if owner.alias == target.alias or not key:
                continue
            pairs = [_partner(classes, owner.alias, Col(target.alias, name)) for name in key]
            own = tuple(one.name for one in pairs if one is not None)
            table = subject.catalog[owner.table]
            declared = subject.catalog.references(
                owner.table, list(zip(own, key, strict=False)), target.table
            )
            if len(own) != len(key) or declared or subject.catalog.is_unique(owner.table, own):
                continue
            columns = tuple(
                replace(one, nullable=one.nullable and one.name not in own) for one in table.columns
            )
            reference = ForeignKey(own, target.table, key)
            changed = replace(table, columns=columns, foreign_keys=(*table.foreign_keys, reference))
            text = (
                f"declare FOREIGN KEY ({', '.join(own)}) REFERENCES {target.table} on {owner.table}, NOT NULL"
            )
            yield Change(text, _with_table(subject, changed), "reference")


def _partner(classes: Classes, owner: str, col: Col) -> Col | None:
    members = classes.of_member(col)
    return next((one for one in members if isinstance(one, Col) and one.alias == owner), None)


def _constraints(subject: Subject, query: Select) -> Iterator[Change]:
    """Limits and keys on the columns that are compared with a value or with another source."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for source, valued, joined in _all_compared(query):
        sets = [tuple(valued), *((name,) for name in valued), *((name,) for name in joined)]
        for columns in dict.fromkeys(one for one in sets if one):
            if (source.table, columns) in seen or subject.catalog.row_bound(
                source.table, columns
            ) is not None:
                continue
            seen.add((source.table, columns))
            table = subject.catalog[source.table]
            limit = Cardinality(columns, _EXAMPLE)
            limited = replace(table, cardinalities=(*table.cardinalities, limit))
            named = ", ".join(columns)
            text = f"declare CARDINALITY LIMIT n ({named}) on {source.table}"
            yield Change(text, _with_table(subject, limited), "cardinality")
            if (
                columns == tuple(valued)
                and len(columns) == 1
                and query.limit is None
                and len(query.sources) == 1
            ):
                unique = replace(table, unique=(*table.unique, columns))
                yield Change(
                    f"declare UNIQUE ({named}) on {source.table}", _with_table(subject, unique), "unique"
                )


def _all_compared(query: Select) -> Iterator[tuple[Base, list[str], list[str]]]:
    """Every table with its compared columns, those of subqueries too."""
    classes = Classes.of((*query.where, *(on for join in query.left_joins for on in join.on)))
    operands = [one.operand for one in query.subqueries if isinstance(one.operand, Col)]
    for source in _bases(query):
        valued, joined = _compared(classes, source)
        yield source, valued, joined + [one.name for one in operands if one.alias == source.alias]
    for one in query.subqueries:
        if isinstance(one.query, Select):
            yield from _all_compared(one.query)


def _compared(classes: Classes, source: Base) -> tuple[list[str], list[str]]:
    """Columns equal to a value, and columns equal to another source's."""
    valued: list[str] = []
    joined: list[str] = []
    for group in classes.groups:
        own = [one.name for one in group if isinstance(one, Col) and one.alias == source.alias]
        if any(not aliases_of(one) for one in group):
            valued += own
        elif any(aliases_of(one) - {source.alias} for one in group):
            joined += own
    return valued, joined


_TIMES = ("timestamp", "date", "timestamp_ntz", "datetime")


def _hot_spots(subject: Subject, answer: Answer) -> Iterator[Advice]:
    """An index led by a time: if rows arrive in its order it is a hot spot; the developer must say so."""
    for index in answer.indexes:
        lead = index.parts[0].expr
        table = subject.catalog[index.table]
        column = table.column(lead.name) if isinstance(lead, Col) else None
        if column is None or column.temporal or not column.type.startswith(_TIMES):
            continue
        columns = tuple(
            replace(one, temporal=one.temporal or one.name == column.name) for one in table.columns
        )
        level = level_of(_with_table(subject, replace(table, columns=columns)))
        if level is not Level.SI_1:
            text = f"mark {column.name} TEMPORAL if rows of {table.name} arrive in its order: a hot spot"
            yield Advice(text, level)

"""The level of a query: the cheapest kind of execution that is proved bounded.

    SI-0  base tables by primary key        SI-2  an incrementally kept view
    SI-1  with secondary indexes            SI-3  staging and a periodic parallel refresh

Levels are tried in order.  Within a level a proof that rests on declared constraints alone is preferred to
one that assumes an undeclared reference; `strict` allows the first kind only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from headwater.errors import Place
from headwater.scale.answer import Answer, Level, Reason
from headwater.scale.block import Derived, Query, Select, Union
from headwater.scale.catalog import Catalog
from headwater.scale.choose import Choice, choose_view
from headwater.scale.expr import Expr, has_aggregate, params_of
from headwater.scale.hotspots import stage
from headwater.scale.notanalysed import NotAnalysed
from headwater.scale.optimize import plan_query
from headwater.scale.rankings import ranked_window
from headwater.scale.reasons import reasons_of
from headwater.scale.refresh import Periodic
from headwater.scale.refused import Refused
from headwater.scale.settings import Settings
from headwater.scale.subplans import Found
from headwater.scale.text import select_sql
from headwater.scale.windows import by_epochs, tuple_window_columns, windows_of

__all__ = ["Subject", "analyse", "level_of"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A query to analyse: its block, and what is known around it."""

    name: str
    query: Query
    catalog: Catalog
    maxima: Mapping[str, int] = field(default_factory=dict)
    default_limit: int = 1000
    strict: bool = False
    place: Place | None = None


def analyse(subject: Subject, reasons: bool = True) -> Answer:
    """The answer without advice; never raises for what a query says, except for our own bugs."""
    try:
        return _analyse(subject, reasons)
    except NotAnalysed as error:
        reason = Reason(f"not analysed, because {error.reason}", error.place or subject.place)
        return Answer(subject.name, Level.NOT_ANALYSED, reasons=(reason,), place=subject.place)
    except RecursionError:
        reason = Reason("not analysed, because it is nested too deeply", subject.place)
        return Answer(subject.name, Level.NOT_ANALYSED, reasons=(reason,), place=subject.place)


def level_of(subject: Subject) -> Level:
    return analyse(subject, reasons=False).level


def _settings(subject: Subject) -> Settings:
    settings = Settings(
        subject.catalog, subject.maxima, subject.default_limit, assume=False, temporal=frozenset()
    )
    if isinstance(subject.query, Select):
        found = frozenset(tuple_window_columns(subject.query, settings))
        settings = replace(settings, temporal=found)
    return settings


def _ways(settings: Settings, strict: bool) -> list[Settings]:
    return [settings] if strict else [settings, replace(settings, assume=True)]


def _analyse(subject: Subject, reasons: bool) -> Answer:
    settings = _settings(subject)
    blank = Answer(
        subject.name,
        Level.UNBOUNDED,
        place=subject.place,
        query=subject.query,
        parameters=tuple(sorted(_assumed_limits(subject).items())),
        catalog=subject.catalog,
    )
    ways = _ways(settings, subject.strict)
    if (
        plan_query(subject.query, ways[-1]) is not None
    ):  # what the most permissive search cannot find, none can
        for level, secondary in ((Level.SI_0, False), (Level.SI_1, True)):
            for way in ways:
                found = plan_query(subject.query, replace(way, secondary=secondary))
                if found is not None:
                    return _planned(blank, level, found)
    refusals: list[Refused] = []
    for attempt in (_by_view, _by_refresh):
        answer = _attempt(attempt, blank, subject, ways[-1], refusals)
        if answer is not None:
            return _attempt(attempt, blank, subject, ways[0], []) or answer
    return replace(blank, reasons=reasons_of(subject.query, settings, refusals)) if reasons else blank


def _attempt(
    attempt: Callable[[Answer, Subject, Settings], Answer],
    blank: Answer,
    subject: Subject,
    way: Settings,
    refusals: list[Refused],
) -> Answer | None:
    try:
        return attempt(blank, subject, way)
    except Refused as refusal:
        refusals.append(refusal)
        return None


def _planned(blank: Answer, level: Level, found: Found) -> Answer:
    return replace(
        blank,
        level=level,
        operations=found.bound.operations,
        read=found.bound.read,
        results=found.bound.rows,
        indexes=tuple(sorted(found.indexes, key=repr)),
        assumes=tuple(sorted(found.assumes)),
        found=found,
    )


def _by_view(blank: Answer, subject: Subject, settings: Settings) -> Answer:
    query = subject.query
    notes: tuple[str, ...] = ()
    if isinstance(query, Select) and windows_of(query) and query.group is not None:
        if _ranked(query):
            raise Refused("the ranking of a window changes as time goes by, not only as data does", hot=True)
        hot = any(_temporal(query, settings, one.column.alias, one.column.name) for one in windows_of(query))
        query, notes = by_epochs(query, first=not hot)
    choice = choose_view(query, settings, f"{subject.name}_view")
    return _chosen(blank, choice, notes)


def _ranked(query: Select) -> bool:
    return query.limit is not None and any(has_aggregate(one.expr) for one in query.order)


def _temporal(query: Select, settings: Settings, alias: str, column: str) -> bool:
    source = query.source(alias)
    return not isinstance(source, Derived) and settings.is_hot(source.table, column)


def _chosen(blank: Answer, choice: Choice, notes: tuple[str, ...]) -> Answer:
    bound = choice.found.bound
    return replace(
        blank,
        level=Level.SI_2,
        operations=bound.operations,
        read=bound.read,
        results=bound.rows,
        indexes=tuple(sorted(choice.indexes, key=repr)),
        rewritten=select_sql(choice.rewritten),
        assumes=tuple(sorted({*choice.assumes, *notes})),
        found=choice.found,
        choice=choice,
        catalog=choice.catalog,
    )


def _by_refresh(blank: Answer, subject: Subject, settings: Settings) -> Answer:
    periodic = stage(subject.query, settings, subject.name)
    if periodic is None:
        periodic = ranked_window(subject.query, settings, subject.name)
    return _refreshed(blank, periodic)


def _refreshed(blank: Answer, periodic: Periodic) -> Answer:
    return replace(
        blank,
        level=Level.SI_3,
        operations=periodic.operations,
        read=periodic.rows,
        results=periodic.rows,
        indexes=tuple(sorted(periodic.indexes, key=repr)),
        rewritten=periodic.rewritten,
        assumes=tuple(sorted(periodic.assumes)),
        periodic=periodic,
    )


def _assumed_limits(subject: Subject) -> dict[str, int]:
    """Parameters of LIMIT and OFFSET without a declared maximum."""
    names = {name for one in _cuts(subject.query) for name in params_of(one)}
    return {name: subject.default_limit for name in names if name not in subject.maxima and name[0] != "$"}


def _cuts(query: Query) -> list[Expr]:
    found = [one for one in (query.limit, query.offset) if one is not None]
    if isinstance(query, Union):
        inner = list(query.branches)
    else:
        inner = [one.query for one in query.sources if isinstance(one, Derived)]
        inner += [one.query for one in query.subqueries]
    for one in inner:
        found += _cuts(one)
    return found

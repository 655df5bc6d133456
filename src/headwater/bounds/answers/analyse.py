"""The level of a query: the cheapest kind of execution that is proved bounded.

    SI-0  base tables by primary key        SI-2  an incrementally kept view
    SI-1  with secondary indexes            SI-3  staging and a periodic parallel refresh

Levels are tried in order.  Within a level a proof that rests on declared constraints alone is preferred to
one that assumes an undeclared reference; `strict` allows the first kind only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from headwater.algebra.expressions.facts import has_aggregate, parameters_of
from headwater.algebra.expressions.tree import Expr
from headwater.bounds.answers.answer import Answer, Level, Reason
from headwater.bounds.answers.reasons import reasons_of
from headwater.bounds.plans.optimize import plan_query
from headwater.bounds.plans.subplans import BoundedPlan
from headwater.bounds.plans.unanswered import unanswered
from headwater.bounds.query.block import Derived, Query, Select, Union, query_of
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.settings import Settings
from headwater.bounds.query.windows import by_epochs, tuple_window_columns, windows_of
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.views.choose import Choice, choose_view
from headwater.bounds.views.hotspots import stage
from headwater.bounds.views.rankings import ranked_window
from headwater.bounds.views.refresh import Periodic
from headwater.bounds.views.refused import Refused
from headwater.errors import Place

__all__ = ["Subject", "analyse", "level_of"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A query to analyse: its block, and the catalog and limits it stands in."""

    name: str
    query: Query
    catalog: Catalog
    maxima: Mapping[str, int] = field(default_factory=dict)
    default_limit: int = 1000
    strict: bool = False
    place: Place | None = None


def analyse(subject: Subject, reasons: bool = True) -> Answer:
    """The answer without advice. No query makes it raise; only a bug of ours does."""
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
        columns = frozenset(tuple_window_columns(subject.query))
        settings = replace(settings, temporal=columns)
    return settings


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
    permissive = settings if subject.strict else replace(settings, assume=True)
    if plan_query(subject.query, permissive) is not None:  # else no stricter search has a plan either
        for allowed in (settings, permissive):  # rather an index than a query that an assumption may stop
            for level, secondary in ((Level.SI_0, False), (Level.SI_1, True)):
                bounded = plan_query(subject.query, replace(allowed, secondary=secondary))
                if bounded is not None:
                    return _planned(blank, level, bounded)
    refusals: list[Refused] = []
    for attempt in (_by_view, _by_refresh):
        answer = _attempt(attempt, blank, subject, permissive, refusals)
        if answer is not None:
            return _attempt(attempt, blank, subject, settings, []) or answer
    return replace(blank, reasons=reasons_of(subject.query, settings, refusals)) if reasons else blank


def _attempt(
    attempt: Callable[[Answer, Subject, Settings], Answer],
    blank: Answer,
    subject: Subject,
    settings: Settings,
    refusals: list[Refused],
) -> Answer | None:
    try:
        return attempt(blank, subject, settings)
    except Refused as refusal:
        refusals.append(refusal)
        return None


def _require_answered(*plans: BoundedPlan) -> None:
    """A bound that leaves a subquery out is none."""
    for bounded in plans:
        missing = unanswered(bounded.plan)
        if missing is not None:
            raise NotAnalysed(f"there is no plan for a subquery where it stands: {missing[:80]}")


def _planned(blank: Answer, level: Level, bounded: BoundedPlan) -> Answer:
    _require_answered(bounded)
    return replace(
        blank,
        level=level,
        operations=bounded.bound.operations,
        read=bounded.bound.read,
        results=bounded.bound.rows,
        indexes=tuple(sorted(bounded.indexes, key=repr)),
        assumes=tuple(sorted(bounded.assumes)),
        bounded_plan=bounded,
    )


def _by_view(blank: Answer, subject: Subject, settings: Settings) -> Answer:
    query = subject.query
    notes: tuple[str, ...] = ()
    if isinstance(query, Select) and windows_of(query) and query.group is not None:
        if _ranked(query):
            raise Refused("the ranking of a window changes as time goes by, not only as data does", hot=True)
        hot = any(
            _temporal(query, settings, window.column.alias, window.column.name)
            for window in windows_of(query)
        )
        query, notes = by_epochs(query, first=not hot)
    choice = choose_view(query, settings, f"{subject.name}_view")
    return _chosen(blank, choice, notes)


def _ranked(query: Select) -> bool:
    return query.limit is not None and any(has_aggregate(item.expr) for item in query.order)


def _temporal(query: Select, settings: Settings, alias: str, column: str) -> bool:
    source = query.source(alias)
    return not isinstance(source, Derived) and settings.is_hot(source.table, column)


def _chosen(blank: Answer, choice: Choice, notes: tuple[str, ...]) -> Answer:
    bound = choice.bounded_plan.bound
    upkeep = (kept.bounded_plan for view in choice.views for kept in view.maintenance)
    _require_answered(choice.bounded_plan, *upkeep)
    return replace(
        blank,
        level=Level.SI_2,
        operations=bound.operations,
        read=bound.read,
        results=bound.rows,
        indexes=tuple(sorted(choice.indexes, key=repr)),
        rewritten=choice.rewritten.sql,
        assumes=tuple(sorted({*choice.assumes, *notes})),
        bounded_plan=choice.bounded_plan,
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
    names = {name for cut in _cuts(subject.query) for name in parameters_of(cut)}
    return {name: subject.default_limit for name in names if name not in subject.maxima and name[0] != "$"}


def _cuts(query: Query) -> list[Expr]:
    cuts = [cut for cut in (query.limit, query.offset) if cut is not None]
    if isinstance(query, Union):
        inner = list(query.branches)
    else:
        inner = [source.query for source in query.sources if isinstance(source, Derived)]
        inner += [query_of(subquery) for subquery in query.subqueries]
    for below in inner:
        cuts += _cuts(below)
    return cuts

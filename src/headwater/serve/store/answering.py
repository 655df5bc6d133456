"""Answer declared queries from the store: in the work that `check` promised, without waiting for anybody.

    answering = Answering.open(project)
    answering.answer("two_tags", {"tag1": "spark", "tag2": "sql"}).rows

Opening checks the project's queries once.  An answer reads one snapshot of the store, counts what it asks and
says as of which time it is.  More operations than the bound would be a bug of ours: it is logged and counted,
and the answer is given all the same.  Safe for many threads.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.bounds.plans.evaluate import NotExecutable
from headwater.bounds.plans.execute import BrokenAssumption, Result, execute
from headwater.bounds.plans.store import Store
from headwater.catalog import build
from headwater.clock import Clock, SystemClock, instant_text, micros
from headwater.errors import InputError, shown_folder
from headwater.model import Project
from headwater.project.named import query_named
from headwater.serve.noticed_reads import NoticedReads
from headwater.serve.store.declared import Checked, DeclaredQuery, checked_queries
from headwater.serve.store.layout import Layout, layouts_of
from headwater.serve.store.moments import moments
from headwater.serve.store.noticing import Noticing
from headwater.serve.store.opening import open_store
from headwater.serve.store.parameters import ANY, refuse_counts, typed_values
from headwater.serve.store.protocol import ReadableStore, Snapshot
from headwater.serve.store.rankings.ranked_view import EPOCH
from headwater.serve.store.rankings.reading import epoch_asked
from headwater.serve.store.rankings.record import last_refresh
from headwater.serve.store.renamed import Renamed
from headwater.serve.store.unbounded import answer_within
from headwater.sql.parsing.names import text_of
from headwater.storage.warehouse import Warehouse, warehouse_of

__all__ = ["Answer", "Answering", "DeclaredQuery", "QueryAnswer", "refusal"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The rows of a query, what they took, and as of which time they are."""

    rows: list[dict[str, Any]]
    operations: int
    bound: int | None
    level: str
    time: datetime
    staleness_s: float


Answer = QueryAnswer  # in short; the public API has another Answer, that of ad hoc SQL


@dataclass(slots=True)
class Answering:
    """The declared queries of a project, answered from its store."""

    project: Project
    clock: Clock
    store: ReadableStore
    checked: Mapping[str, Checked]
    layouts: Mapping[str, Layout]
    reads: NoticedReads
    breaches: int = 0  # answers that took more operations than their bound
    _spelled: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def open(project: Project, clock: Clock | None = None) -> Answering:
        """Check the project's queries and open its store, which a run keeps."""
        catalog = build(project)
        checked = checked_queries(catalog)
        layouts = layouts_of({name: query.answer for name, query in checked.items()}, catalog.versions)
        store = open_store(project)
        store.know(part for layout in layouts.values() for part in layout.parts)
        spelled = {name.lower(): name for name in checked}
        clock = clock or SystemClock()
        reads = NoticedReads(catalog, Warehouse(project.storage), clock)
        return Answering(project, clock, store, checked, layouts, reads, _spelled=spelled)

    @property
    def queries(self) -> Mapping[str, DeclaredQuery]:
        return {name: query.declared for name, query in self.checked.items()}

    def query(self, name: str) -> DeclaredQuery:
        """The declared query of that name, in any case."""
        return self._checked(name).declared

    def time(self) -> datetime | None:
        """The time of the store: of the relation that is furthest behind; None before the first load."""
        times = self.store.times().values()
        return _moment(min(times)) if times else None

    def answer(
        self, name: str, params: Mapping[str, object], max_staleness: timedelta | None = None
    ) -> QueryAnswer:
        """The rows of a query; InputError if it cannot be answered, or not freshly enough. Never waits."""
        query = self._checked(name)
        values = typed_values(query.declared.name, query.declared.parameters, params)
        if query.answer.bounded_plan is None:
            return self._unbounded(query.declared, values, max_staleness)
        if query.obstacle:
            return self._not_computed(query, values, max_staleness)
        refuse_counts(query.declared.name, query.declared.counts, values)
        layout = self.layouts[query.declared.name]
        with self.store.snapshot() as snapshot:
            instant = self._time_of(query.declared, layout, snapshot)
            given = {**moments(self.clock.now()), **values} if query.asks_the_time else values
            for ranking in layout.rankings:
                last = last_refresh(snapshot, ranking.table.id)
                assert last is not None  # it is written with the places
                instant, given = last.time, {**given, EPOCH: epoch_asked(ranking.view, last, given)}
            staleness = self._refuse_stale(query.declared.name, instant, max_staleness)
            result = self._run(query, self._noticing(Renamed(snapshot, layout.names), layout), given)
        bound = query.answer.bounded_plan.bound.operations
        if result.operations > bound:
            self.breaches += 1
            logger.error(
                'the query "%s" took %d operations, more than its bound of %d', name, result.operations, bound
            )
        rows = [dict(row) for row in result.rows]
        return QueryAnswer(rows, result.operations, bound, query.declared.level, _moment(instant), staleness)

    def _checked(self, name: str) -> Checked:
        spelled = self._spelled.get(text_of(name).lower())
        if spelled is None:
            spelled = query_named(self.project, name).name  # says what the name is instead
        return self.checked[spelled]

    def _time_of(self, declared: DeclaredQuery, layout: Layout, snapshot: Snapshot) -> int:
        """As of which time the snapshot holds all that the query reads; InputError if it does not."""
        times, ready = snapshot.times(), snapshot.ready()
        missing = [part for part in layout.parts if part.id not in ready]
        if missing or not all(relation in times for relation in layout.relations):
            raise InputError(
                "HW435",
                f'the store does not hold what the query "{declared.name}" reads',
                detail=f"{len(missing)} of {len(layout.parts)} tables, indexes and views are missing.",
                hint=f"Start the run: headwater run {shown_folder(self.project.folder)}",
            )
        return min((times[relation] for relation in layout.relations), default=self.clock.now())

    def _refuse_stale(self, name: str, instant: int, allowed: timedelta | None) -> float:
        staleness = max(0, self.clock.now() - instant) / 1e6
        if allowed is not None and staleness * 1e6 > micros(allowed):
            raise InputError(
                "HW436",
                f'the answer of "{name}" would be {staleness:.1f} s stale,'
                f" more than the {allowed.total_seconds():g} s asked for",
                detail=f"The store is as of {instant_text(instant)}.",
                hint="Ask without a limit, or see `headwater status` for what keeps the store back.",
            )
        return staleness

    def _noticing(self, store: Store, layout: Layout) -> Store:
        """The store, noticing what is read of relations from which what matters is learnt."""
        learnt = [relation for relation in layout.relations if self.reads.of(relation)]
        return Noticing(store, learnt) if learnt else store

    def _run(self, query: Checked, store: Store, values: Mapping[str, Any]) -> Result:
        bounded, catalog = query.answer.bounded_plan, query.answer.catalog
        assert bounded is not None
        assert catalog is not None
        name = query.declared.name
        try:
            result = execute(bounded.plan, store, catalog, values)
        except (NotExecutable, ArithmeticError, ValueError) as error:
            raise _not_executable(name, str(error)) from error
        except (TypeError, AttributeError) as error:
            untyped = [param for param, kind, _ in query.declared.parameters if kind == ANY]
            if not untyped:  # then it is no value's fault
                raise _not_executable(
                    name, f"its SQL computes with what does not go together: {error}"
                ) from error
            raise _unfit(name, {param: values[param] for param in untyped}, error) from error
        except BrokenAssumption as error:
            raise InputError("HW439", f'the query "{name}" cannot be answered: {error}') from error
        if isinstance(store, Noticing):
            for relation, rows in store.noticed.items():
                self.reads.notice(relation, rows)
        return result

    def _not_computed(
        self, query: Checked, values: Mapping[str, Any], max_staleness: timedelta | None
    ) -> QueryAnswer:
        """A bounded query with a function that the executor does not know."""
        if query.declared.within is not None:
            return self._unbounded(query.declared, values, max_staleness)
        raise _not_executable(query.declared.name, query.obstacle)

    def _unbounded(
        self, declared: DeclaredQuery, values: Mapping[str, Any], max_staleness: timedelta | None
    ) -> QueryAnswer:
        query = self.project.queries[declared.name]
        if query.within is None:
            raise refusal(declared)
        catalog = build(self.project)
        rows, instant = answer_within(catalog, warehouse_of(catalog), self.clock, query, values)
        staleness = self._refuse_stale(declared.name, instant, max_staleness)
        return QueryAnswer(rows, 0, None, declared.level, _moment(instant), staleness)


def refusal(declared: DeclaredQuery) -> InputError:
    """Why a query is not answered: the reasons and the advice of `check`."""
    because = (
        "; ".join(declared.reasons) or "it is answered by a periodic refresh, which the store does not keep"
    )
    advice = "; or ".join(declared.advice)
    allowing = "declare it CREATE QUERY ... ALLOW UNBOUNDED WITHIN INTERVAL '2' SECOND"
    return InputError(
        "HW434",
        f'the query "{declared.name}" is {declared.level}, so it is not answered',
        detail=f"Because {because}.",
        hint=f"{advice}; or {allowing}." if advice else f"{allowing[0].upper()}{allowing[1:]}.",
    )


def _unfit(name: str, values: Mapping[str, Any], error: Exception) -> InputError:
    """A parameter that meets no column takes any value, and not every value can be computed with."""
    given = ", ".join(f"{param} is {value!r:.40}" for param, value in values.items())
    message = f'the query "{name}" cannot be computed with these values: {given}'
    hint = "Say in the query what it is: CAST(:name AS INT)."
    return InputError("HW433", message, detail=str(error), hint=hint)


def _not_executable(name: str, why: str) -> InputError:
    message = f'the query "{name}" is bounded, but the store cannot compute it: {why}'
    return InputError("HW438", message, hint="ALLOW UNBOUNDED WITHIN ... has DuckDB compute it.")


def _moment(instant: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant)

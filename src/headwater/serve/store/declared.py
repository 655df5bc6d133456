"""The queries that a project declares, as `check` sees them and as a caller asks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.bounds.answers.advice import advise
from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.query.catalog import Catalog as Constraints
from headwater.bounds.reading.sources import Inputs, maxima_of, named_trees
from headwater.bounds.reading.subjects import Options, subject_of, tables_with_views
from headwater.catalog import Catalog
from headwater.serve.store.executable import asks_the_time, obstacle
from headwater.serve.store.hot_indexes import without_hot_spots
from headwater.serve.store.parameters import Counts, Parameters, Types, counts_of, parameters_of
from headwater.serve.store.rankings.ranked_view import ranked_view

__all__ = ["Checked", "DeclaredQuery", "checked_queries"]


_MOST = Options().default_limit


@dataclass(frozen=True, slots=True)
class DeclaredQuery:
    """A query of the project: what it takes, and in how much work it is answered."""

    name: str
    sql: str
    level: str  # SI-0 ... SI-3, unbounded, not analysed
    bound: int | None  # operations; None if there is no bound
    parameters: Parameters
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    within: timedelta | None = None  # ALLOW UNBOUNDED WITHIN
    counts: Counts = ()  # parameters of LIMIT and OFFSET

    @property
    def answerable(self) -> bool:
        """Is it bounded, or allowed not to be?"""
        return self.bound is not None or self.within is not None


@dataclass(frozen=True, slots=True)
class Checked:
    """A declared query with the proof of its bound."""

    declared: DeclaredQuery
    answer: Answer
    obstacle: str = ""  # what keeps the executor from computing it, although it is bounded
    asks_the_time: bool = True  # CURRENT_TIMESTAMP or its kin


def checked_queries(catalog: Catalog, advice: bool = True) -> dict[str, Checked]:
    """Every query of the project with its level; one that cannot be analysed stops no other.

    Without `advice`, only the proofs: what would make an unbounded query bounded takes longer to find.
    """
    project = catalog.project
    inputs = Inputs(dict(project.tables), list(project.views.values()))
    constraints = _with_types(tables_with_views(inputs), catalog.types())
    types = {name: {c.name: c.type for c in table.columns} for name, table in constraints.tables.items()}
    checked: dict[str, Checked] = {}
    for query, tree in zip(project.queries.values(), named_trees(project.queries.values()), strict=True):
        subject = subject_of(tree, inputs, constraints, Options())
        answer = subject if isinstance(subject, Answer) else _answer(subject, advice)
        declared = _declared(answer, query.sql.text, types)
        counts = () if answer.query is None else counts_of(answer.query, maxima_of(tree.sql), _MOST)
        declared = replace(declared, within=query.within, counts=counts)
        checked[query.name] = Checked(declared, answer, obstacle(answer), asks_the_time(answer))
    return checked


def _answer(subject: Subject, advice: bool) -> Answer:
    answer = analyse(subject, reasons=advice)
    if answer.level is Level.SI_3:
        answer = _by_ranking(answer) or without_hot_spots(subject, answer)
    if advice and answer.bounded_plan is None:
        answer = replace(answer, advice=advise(subject, answer))
    return answer


def _by_ranking(answer: Answer) -> Answer | None:
    """The answer with the plan that reads a refreshed ranking; None if it is not one that the store keeps."""
    ranked = ranked_view(answer)
    if ranked is None:
        return None
    bound = ranked.read.bound
    return replace(
        answer, operations=bound.operations, read=bound.read, results=bound.rows,
        bounded_plan=ranked.read, catalog=ranked.catalog,
    )  # fmt: skip


def _declared(answer: Answer, sql: str, types: Types) -> DeclaredQuery:
    bounded = answer.bounded_plan
    return DeclaredQuery(
        answer.name,
        sql,
        answer.level.value,
        None if bounded is None else bounded.bound.operations,
        () if answer.query is None else parameters_of(answer.query, types),
        tuple(reason.text for reason in answer.reasons),
        tuple(f"{advice.text} (reaches {advice.level.value})" for advice in answer.advice),
    )


def _with_types(constraints: Constraints, types: Mapping[str, Mapping[str, str]]) -> Constraints:
    """The constraints with the columns of views typed as they are stored."""
    tables = []
    for name, table in constraints.tables.items():
        known = types.get(name, {})
        columns = tuple(replace(c, type=known.get(c.name, c.type)) for c in table.columns)
        tables.append(replace(table, columns=columns))
    return constraints.with_tables(*tables)

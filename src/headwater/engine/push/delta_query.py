"""The changes that a job stores, as one query."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from headwater.algebra.delta.extremes import (
    certainly_net,
    keys_of_losses,
    losses,
    merged_above,
    optional_restricts,
)
from headwater.algebra.expressions.tree import Expr, spark_sql
from headwater.algebra.moments.plans import bind
from headwater.algebra.plans.nodes import Aggregate, Filter, Over, Plan, Project, Union
from headwater.algebra.plans.once import compute_first, tree_size
from headwater.algebra.stages.stage import StageKind
from headwater.engine.push.decide import Job, delta_plan
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import stored_columns, stored_form
from headwater.engine.query import operators
from headwater.engine.query.estimates import Estimates
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, union
from headwater.engine.query.relations import Relations
from headwater.engine.query.user_sql import run_sql
from headwater.engine.query.writer import QueryWriter
from headwater.planning.stages.actions import Mode, handles_few

__all__ = ["DeltaQuery", "delta_query", "few_plan", "stored_changes"]

LARGEST_TREE = 1_000  # nodes, of a plan whose rows are counted


class DeltaQuery(NamedTuple):
    """`query` is None if there are certainly no changes; `shuffled`: it ends with a shuffle already."""

    query: Query | None
    shuffled: bool


def few_plan(job: Job, relations: Relations) -> tuple[Plan | None, float]:
    """The plan of a job in an action that handles few rows, and at most how many rows it reads, or finds."""
    estimates = Estimates(relations)
    if job.mode is not Mode.INCREMENTAL:
        return job.stage.plan, _rows_read(job.stage.plan, estimates)
    plan = delta_plan(job, estimates, few=True)
    rows = _rows_read(plan, estimates)
    if not handles_few(rows, 1):
        plan = delta_plan(job, estimates)
        rows = _rows_read(plan, estimates)
    return plan, max(rows, job.found)


def _rows_read(plan: Plan | None, estimates: Estimates) -> float:
    """At most how many; of a plan whose parts are used again and again it is not worth finding out."""
    if plan is None:
        return 0
    return estimates.scanned(plan) if tree_size(plan) <= LARGEST_TREE else inf


def delta_query(
    workplace: Workplace,
    job: Job,
    relations: Relations,
    opened: Inputs,
    hints: bool = True,
    net: bool = False,
) -> DeltaQuery:
    """The query of what a job adds to its stage's timeline.

    `hints`: small deltas are broadcast.  `net`: rows that came and went are not computed with.
    """
    queries = QueryWriter(relations, opened, hints, net)
    if job.mode is Mode.INCREMENTAL:
        return _by_delta(job, queries)
    stage = job.stage
    if stage.plan is None:
        rows = run_sql(relations, opened, stage.sql, stage.reads, net)
    else:
        rows = queries.query(bind(stage.plan, job.after, job.until))
    stored = stored_form(stage, job.kept, rows) if stage.kind is not StageKind.SQL else rows
    if job.mode is Mode.INITIAL or job.replaces:
        if stage.plan is None and job.mode is Mode.INITIAL:
            return DeltaQuery(stored, False)
        if stage.plan is not None and queries.estimates.positive(stage.plan):
            return DeltaQuery(stored, _ends_with_a_shuffle(stage.plan))
        return DeltaQuery(operators.consolidate(stored), True)
    timeline = workplace.timeline(stage.name)
    before = opened.slice(timeline, timeline.as_of(relations.after))
    return DeltaQuery(operators.consolidate(union([stored, operators.negate(before)])), True)


def _ends_with_a_shuffle(plan: Plan) -> bool:
    """Whether Spark brings rows of a group or a partition together last: what is above moves none."""
    while isinstance(plan, Filter | Project):
        plan = plan.child
    return isinstance(plan, Aggregate) and bool(plan.keys) or isinstance(plan, Over) and bool(plan.partition)


def _by_delta(job: Job, queries: QueryWriter) -> DeltaQuery:
    few = queries.inputs.one_task
    plan = few_plan(job, queries.relations)[0] if few else delta_plan(job, queries.estimates)
    if plan is None:
        return DeltaQuery(None, True)
    return stored_changes(plan, queries, stored_columns(job.stage, job.kept))


def stored_changes(plan: Plan, queries: QueryWriter, columns: Sequence[tuple[str, Expr]]) -> DeltaQuery:
    """The changes of a delta plan as they are stored, no row twice; what pays is computed now."""
    first = losses(plan)
    queries.first = first | compute_first(plan, first)
    queries.optional, queries.merged_above = optional_restricts(plan), merged_above(plan)
    items = [(name, spark_sql(expr)) for name, expr in columns]

    def stored(terms: Sequence[Plan]) -> Query:
        return queries.query(terms[0] if len(terms) == 1 else Union(tuple(terms))).select(items)

    if queries.estimates.positive(plan):
        return DeltaQuery(stored([plan]), False)
    terms = plan.inputs if isinstance(plan, Union) else (plan,)
    net = [term for term in terms if certainly_net(term)]
    others = [term for term in terms if term not in net]
    if not net:
        return DeltaQuery(operators.consolidate(stored([plan])), True)
    lost = keys_of_losses(plan)
    if not others or (lost and all(map(queries.nothing, lost))):
        return DeltaQuery(stored(net), False)
    return DeltaQuery(union([stored(net), operators.consolidate(stored(others))]), False)

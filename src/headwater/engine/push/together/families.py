"""Small jobs that are one query to Spark: stages that differ only in the lengths of their windows.

Which stages those are and what their common stage is, algebra/stages/families.py says.  Here are the
conditions of a push: the members stand at one time, read the same changes and store the same columns; their
windows are of a TIMESTAMP, which Spark's window() cuts by microseconds since 1970.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa

from headwater.algebra.expressions.tree import Column, Expr
from headwater.algebra.plans.nodes import Filter, Plan, Project, Scan, Windows
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.families import MEMBER, Family, family_of, shape_of
from headwater.algebra.stages.stage import Stage
from headwater.engine.push.decide import Job, delta_plan
from headwater.engine.push.delta_query import stored_changes
from headwater.engine.push.together.pending_deltas import path_of
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import stored_columns
from headwater.engine.query.families.family_relations import FamilyRelations
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query
from headwater.engine.query.relations import Relations
from headwater.engine.query.writer import QueryWriter
from headwater.planning.stages.actions import Mode

__all__ = ["FamilyJobs", "families", "family", "family_query", "of_instants", "shape"]

FEWEST = 2  # members of a family


@dataclass(frozen=True, slots=True)
class FamilyJobs:
    """Jobs in the order of the family's members; a job by itself is no family."""

    jobs: tuple[Job, ...]

    @property
    def alone(self) -> bool:
        return len(self.jobs) < FEWEST


def families(workplace: Workplace, jobs: Iterable[Job], read: Collection[str]) -> list[FamilyJobs]:
    """The jobs by families, in the order of the first of each.

    A stage that another stage of the action reads (`read`, as paths of pending files) is computed by itself.
    """
    groups: defaultdict[Hashable, list[Job]] = defaultdict(list)
    for job in jobs:
        likeness = None if path_of(job.name) in read else _likeness(workplace, job)
        groups[likeness or job.name].append(job)
    return [FamilyJobs(tuple(group)) for group in groups.values()]


def _likeness(workplace: Workplace, job: Job) -> Hashable:
    """What the jobs of a family have in common; None for a job that can have none."""
    if job.mode is not Mode.INCREMENTAL or job.name != job.kept.view:
        return None
    common = shape(job.stage)
    if common is None or not of_instants(workplace, job.stage):
        return None
    read = tuple(
        (name, tuple(file.path for file in part.files)) for name, part in sorted(job.changed.items())
    )
    columns = tuple(stored_columns(job.stage, job.kept))
    schema = workplace.timeline(job.name).columns()
    return (
        common,
        job.stage.kind,
        columns,
        tuple((field.name, str(field.type)) for field in schema),
        job.after,
        job.until,
        read,
    )


shape = lru_cache(maxsize=5_000)(shape_of)


def of_instants(workplace: Workplace, stage: Stage) -> bool:
    """Whether its windows are of a TIMESTAMP."""
    windows = next(node for node in nodes(stage.plan) if isinstance(node, Windows))  # type: ignore[arg-type]
    stored = _stored_column(windows.child, windows.time)
    if stored is None:
        return False
    schema = workplace.timeline_of(stored[0]).columns()
    at = schema.get_field_index(stored[1])
    kind = schema.field(at).type if at >= 0 else pa.null()
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _stored_column(plan: Plan, expr: Expr) -> tuple[str, str] | None:
    """The relation and the column that an expression is, if it is one as it is stored."""
    while isinstance(expr, Column):
        match plan:
            case Filter(child):
                plan = child
            case Project(child, items):
                plan, expr = child, dict(items).get(expr.name, expr)
            case Scan(relation, alias) if expr.name.startswith(f"{alias}."):
                return relation, expr.name.removeprefix(f"{alias}.")
            case _:
                return None
    return None


@lru_cache(maxsize=100)
def family(stages: tuple[Stage, ...]) -> Family:
    return family_of(stages)


def family_query(
    workplace: Workplace,
    together: FamilyJobs,
    relations: Mapping[str, Relations],
    opened: Inputs,
    hints: bool,
) -> Query | None:
    """The changes of all members, with the number of each; None if there are certainly none."""
    jobs = together.jobs
    common = family(tuple(job.stage for job in jobs))
    first = relations[jobs[0].name]
    read = FamilyRelations(
        first.warehouse, first.sources, first.names, first.after, first.until, common.stage, first.pending,
        members=[(job.name, relations[job.name]) for job in jobs], gathered=workplace.gathered,
        fresh=workplace.fresh,
    )  # fmt: skip
    queries = QueryWriter(read, opened, hints)
    plan = delta_plan(replace(jobs[0], stage=common.stage), queries.estimates)
    if plan is None:
        return None
    columns = [*stored_columns(jobs[0].stage, jobs[0].kept), (MEMBER, Column(MEMBER))]
    return stored_changes(plan, queries, columns).query

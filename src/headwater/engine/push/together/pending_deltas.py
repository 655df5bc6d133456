"""A delta that is yet to be computed, described as the file that it will be.

    s05 = tweets * users          d(s05)   pending: 28,000 rows or so, tid 9,000,000..9,027,999, _weight 1
    s02 = s05 * curloc            d(s02) = d(s05) * curloc + s05 * d(curloc), in the same Spark action

A level of stages reads what earlier levels write.  Instead of writing, committing and reading it in between,
the later level gets what the log would say of the file: about how many rows, within which ranges, of which
sign.  All of that follows from the plan of the delta and the logs of what it reads.  So later levels skip as
much as if the file were there, and all levels are one Spark action.
"""

from __future__ import annotations

from headwater.algebra.expressions.tree import Column
from headwater.algebra.plans.nodes import Plan
from headwater.engine.push.decide import Job
from headwater.engine.push.writing import stored_columns
from headwater.engine.query.estimates import Estimates
from headwater.engine.query.pruning import range_of
from headwater.engine.query.relations import stored_range
from headwater.storage.delta.delta_log import DataFile
from headwater.storage.timeline import TIME, WEIGHT, Range

__all__ = ["path_of", "pending_delta"]


def path_of(stage: str) -> str:
    """A placeholder for the path of a file that is not there yet."""
    return f"pending:{stage}"


def pending_delta(job: Job, plan: Plan, estimates: Estimates, rows: int = 0) -> DataFile:
    """What is known of the changes that a job will make, by the plan of its delta.

    `rows`: as many as the stage usually makes of such changes; a join may make more than it reads.
    """
    relations = estimates.relations
    schema = relations.timeline(job.name).log.schema()
    least: dict[str, object] = {TIME: job.until}
    greatest: dict[str, object] = {TIME: job.until}
    for name, expr in stored_columns(job.stage, job.kept):
        if isinstance(expr, Column) and expr.name in plan.columns:
            span = range_of(relations, plan, expr.name, within={})
            stored = None if span is None else stored_range(Range(name, *span), schema)
            if stored is not None:
                least[stored.column], greatest[stored.column] = stored.low, stored.high
    if estimates.positive(plan):
        least[WEIGHT] = 1
    path = path_of(job.name)
    return DataFile(path, path, max(rows, estimates.rows(plan)), 0, least, greatest, {})

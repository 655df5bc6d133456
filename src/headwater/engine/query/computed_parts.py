"""Parts of a delta plan that are computed before the rest of it is written (algebra/plans/once.py).

What is small comes to the driver's memory, so that its size and its ranges are known: a term that is about
no keys at all is not even planned, and files outside the ranges of the keys are not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from headwater.algebra.expressions.tree import Expr
from headwater.algebra.plans.nodes import Aggregate, Plan
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.pruning import computed_ranges
from headwater.engine.query.query import Query
from headwater.storage.timeline import Range

__all__ = ["ComputedParts"]

MOST_IN_DRIVER = 20_000  # rows


@dataclass(slots=True)
class ComputedParts:
    inputs: Inputs
    tables: dict[Plan, pa.Table] = field(default_factory=dict)  # those in the driver's memory

    def compute(self, plan: Plan, query: Query, rows: int) -> Query:
        """The query as a table; `rows`: about as many as it has."""
        frame = self.inputs.run(query)
        if rows > MOST_IN_DRIVER:
            keys = isinstance(plan, Aggregate) and not plan.aggregates  # may be much fewer than expected
            table = frame.limit(MOST_IN_DRIVER + 1).toArrow() if keys else None
            if table is None or table.num_rows > MOST_IN_DRIVER:
                return self.inputs.frame(frame.localCheckpoint())
        else:
            table = frame.toArrow()
        self.tables[plan] = table
        return self.inputs.frame(self.inputs.spark.createDataFrame(table, frame.schema))

    def nothing(self, plan: Plan) -> bool:
        """Whether a part turned out to have no rows."""
        return plan in self.tables and self.tables[plan].num_rows == 0

    def ranges(self, keys: Sequence[Expr], by: Plan) -> dict[str, Range] | None:
        """The ranges of keys that must occur among computed rows, if those are at hand."""
        return computed_ranges(self.tables[by], keys, by.columns) if by in self.tables else None

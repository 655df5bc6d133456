"""Views that keep what they made of rows that their source no longer has (RETAIN INTERVAL ... KEEP DERIVED).

Such a view is pushed by the changes of the source alone: nothing that was derived from a row asks for the row
again.  So it may filter, project, fall into windows, unite, count, and add exactly:

    SELECT day, count(*), sum(amount) FROM orders GROUP BY day     yes: old states + states of the delta
    SELECT * FROM orders WHERE amount > 100                        yes
    SELECT day, max(amount) FROM orders GROUP BY day               no: if the largest goes, which is next?
    SELECT * FROM orders JOIN customers ...                        no: a new customer joins old orders

Whatever cannot be done over the source can be done over a view that is allowed to read it, because that view
has all rows for good.
"""

from __future__ import annotations

from headwater.algebra.plans.nodes import Aggregate, Filter, Project, Scan, Union, Windows
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.stage import Kept, Stage, StageKind

__all__ = ["why_not_without"]

_ROW_BY_ROW = (Scan, Filter, Project, Windows, Union)


def why_not_without(kept: Kept, source: str) -> str:
    """Why a view cannot go on without the rows that its source has dropped; "" if it can."""
    reasons = (_reason(stage) for stage in kept.stages if source in stage.reads)
    return next(filter(None, reasons), "")


def _reason(stage: Stage) -> str:
    if stage.plan is None:
        return "it is recomputed as a whole"
    if stage.kind is StageKind.GROUPS:
        return "an aggregate of a group whose rows change is computed anew from all of them"
    below = stage.plan.child if isinstance(stage.plan, Aggregate) else stage.plan
    if all(isinstance(node, _ROW_BY_ROW) for node in nodes(below)):
        return ""
    return "a join looks its old rows up when the other side changes"

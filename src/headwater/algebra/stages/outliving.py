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

from dataclasses import replace

from headwater.algebra.moments.plans import moves
from headwater.algebra.plans.nodes import Aggregate, Explode, Filter, Project, Scan, Union, Windows
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.errors import InputError
from headwater.model import Project as Declared
from headwater.model import Table, View

__all__ = ["outliving", "why_not_without"]

_ROW_BY_ROW = (Scan, Filter, Project, Windows, Explode, Union)


def outliving(kept: Kept, view: View, project: Declared) -> Kept:
    """The view with the sources that it must be able to outlive; a clear error if it cannot."""
    tables = [project.tables[name] for name in kept.reads if name in project.tables]
    outlives = [table for table in tables if table.retain.keep_derived]
    for table in outlives:
        if table.chooses:
            raise _refused(
                view, table, "under overload it shows some of its updates, chosen among all rows",
                "leave out KEEP DERIVED, or ON OVERLOAD UPDATES",
            )  # fmt: skip
        reason = why_not_without(kept, table.name)
        if table.site != view.site:
            reason = f"it lies at site {view.site}, and what is copied there are the rows that are left"
        if reason:
            hint = (
                f'let "{view.name}" read a view over "{table.name}" alone (SELECT ... FROM {table.name}'
                " WHERE ...), which keeps the rows; or leave KEEP DERIVED out"
            )
            raise _refused(view, table, reason, hint)
    return replace(kept, outlives=tuple(table.name for table in outlives))


def _refused(view: View, table: Table, reason: str, hint: str) -> InputError:
    return InputError(
        "HW139",
        f'view "{view.name}" cannot keep what it derives from old rows of "{table.name}"',
        place=view.place,
        detail=f'"{table.name}" says RETAIN INTERVAL ... KEEP DERIVED, but {reason}.',
        hint=hint,
    )


def why_not_without(kept: Kept, source: str) -> str:
    """Why a view cannot go on without the rows that its source has dropped; "" if it can."""
    reasons = (_reason(stage) for stage in kept.stages if source in stage.reads)
    return next(filter(None, reasons), "")


def _reason(stage: Stage) -> str:
    if stage.plan is None:
        return "it is recomputed as a whole"
    if moves(stage.plan):
        return "rows that leave as time passes are looked up there"
    if stage.kind is StageKind.GROUPS:
        return "a group whose rows change is computed anew from all of them"
    below = stage.plan.child if isinstance(stage.plan, Aggregate) else stage.plan
    if all(isinstance(node, _ROW_BY_ROW) for node in nodes(below)):
        return ""
    return "a join looks its old rows up when the other side changes"

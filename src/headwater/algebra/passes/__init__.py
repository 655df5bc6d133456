"""Passes over delta plans, in the order in which they run, and the driver that checks each.

A pass is a pure function from plan to plan that keeps the columns and the Z-set.  Only the driver checks
that, names the pass that failed to, or skips one by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from headwater.algebra.passes.fuse_projects import fuse_projects
from headwater.algebra.passes.push_restrict import push_restrict
from headwater.algebra.passes.restrict_partners import restrict_partners
from headwater.algebra.plans.check import faults
from headwater.algebra.plans.nodes import Plan
from headwater.algebra.plans.walks import share
from headwater.errors import InternalError

__all__ = ["PASSES", "optimize"]

Pass = Callable[[Plan], Plan]

PASSES: tuple[Pass, ...] = (
    fuse_projects,  # first: fewer nodes stand between a Restrict and the scans it shall reach
    restrict_partners,  # makes Restricts, so it comes before the pass that moves them
    push_restrict,
    restrict_partners,  # again: inputs have become small whose partners in a join are costly
    push_restrict,  # again, for the Restricts made just now
)


def optimize(plan: Plan, skip: Collection[str] = ()) -> Plan:
    """All passes, one after the other; what they broke is an InternalError with the pass's name."""
    sound: set[Plan] = set()
    for pass_ in PASSES:
        if pass_.__name__ not in skip:
            plan = _checked(pass_, plan, sound)
    return share(plan)


def _checked(pass_: Pass, plan: Plan, sound: set[Plan]) -> Plan:
    result = pass_(plan)
    if result.columns != plan.columns:
        detail = f"before: {', '.join(plan.columns)}; after: {', '.join(result.columns)}"
        raise InternalError(
            "HW904", f"the pass {pass_.__name__} changed the columns of a plan", detail=detail
        )
    wrong = [] if result is plan else faults(result, sound)
    if wrong:
        raise InternalError("HW905", f"the pass {pass_.__name__} broke a plan", detail="; ".join(wrong))
    return result

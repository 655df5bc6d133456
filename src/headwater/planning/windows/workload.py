"""Weave a workload's queries with a named optimizer."""

from __future__ import annotations

from headwater.errors import InputError, did_you_mean
from headwater.planning.windows.best.best_placement import Objective, best_placement
from headwater.planning.windows.model import Weave, Workload
from headwater.planning.windows.optimizers import OPTIMIZERS, Problem, merge_identical, one_tree_each

__all__ = ["OPTIMIZER_NAMES", "no_such_optimizer", "plan"]

OPTIMIZER_NAMES = (*OPTIMIZERS, "best")


def plan(
    workload: Workload,
    optimizer: str = "best",
    *,
    objective: Objective = Objective.BALANCED,
    merge: bool = False,
    seed: int = 0,
) -> Weave:
    """Decide which queries share a tree and on which node each tree runs.

    `objective` matters to `best` only; the thirteen of the paper have their own.  `merge` weaves queries
    with equal slides first.  The same input and seed give the same plan.
    """
    if not workload.nodes:
        raise InputError("HW505", "there are no nodes to plan for")
    if optimizer == "best":
        return Weave.of(workload, best_placement(workload, objective, merge=merge, seed=seed))
    if optimizer not in OPTIMIZERS:
        raise no_such_optimizer(optimizer)
    trees = (merge_identical if merge else one_tree_each)(workload.queries)
    problem = Problem(trees, len(workload.nodes), workload.cost, seed)
    return Weave.of(workload, OPTIMIZERS[optimizer](problem))


def no_such_optimizer(name: str) -> InputError:
    hint = did_you_mean(name, OPTIMIZER_NAMES) or f"One of: {', '.join(OPTIMIZER_NAMES)}."
    return InputError("HW509", f'there is no optimizer "{name}"', hint=hint)

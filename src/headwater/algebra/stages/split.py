"""Cut a plan at its aggregates and window functions into stages: stored relations, each kept by a delta rule.

    SELECT city, avg(age) FROM people GROUP BY city HAVING count(*) > 2

    stage  v   LINEAR   Aggregate [city] [_n = count(1), _sum1 = sum(age), _count1 = count(age)]
    finish     Project [city, _sum1 / _count1] of Filter [_n > 2] of Scan v

An aggregate at the root, below row-wise Projects and Filters, is the last stage, named as the view; what
stood above it is the finish and is never stored.  An aggregate deeper down becomes a hidden stage (v$1,
v$2, ..., from the leaves up) and the plan above reads it as any other relation; equal aggregates share one.

Within the plans of a view, its own name means the stored stage.  In another view's plan the name means the
view, finish applied: the finish is row-wise, so it works on OLD, NEW and DELTA alike.

A stage stores states (states.py), not results, under names that any Delta reader takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.algebra.expressions.tree import Column
from headwater.algebra.moments.plans import isolated, node_moves
from headwater.algebra.passes.fuse_projects import fuse_projects
from headwater.algebra.passes.limit_ranks import limit_ranks
from headwater.algebra.plans.nodes import Aggregate, Filter, Over, Plan, Project
from headwater.algebra.plans.walks import reads as relations_of
from headwater.algebra.plans.walks import rewrite_up, scan_rows, with_children
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.algebra.stages.states import plain_names, states_of

__all__ = ["split"]


def split(view: str, plan: Plan, columns: Sequence[str], types: Sequence[str], reads: Sequence[str]) -> Kept:
    """How the view is kept incrementally; `columns`, `types` and `reads` are handed through."""
    stages: list[Stage] = []
    plan = rewrite_up(limit_ranks(plan), _remembering_apart)
    top, root = _root(plan)
    if root is None:
        rows = _named(_cut(plan, view, stages), columns)
        stages.append(_stage(view, StageKind.ROWS, rows))
        finish: Plan = scan_rows(view, rows.columns)
    else:
        below = _cut(root.child, view, stages)
        finish = _keep(replace(root, child=below), view, stages)
        for node in reversed(top):
            finish = with_children(node, [finish])
    finish = fuse_projects(_named(finish, columns))
    return Kept(view, tuple(stages), finish, tuple(columns), tuple(types), tuple(reads))


def _root(plan: Plan) -> tuple[list[Plan], Aggregate | Over | None]:
    """The row-wise nodes above the aggregate or window functions at the root, outermost first, and those.

    What depends on the time changes while what is stored does not, so it cannot be the finish.
    """
    top: list[Plan] = []
    while isinstance(plan, Project | Filter):
        if node_moves(plan):
            return [], None
        top.append(plan)
        plan = plan.child
    return (top, plan) if isinstance(plan, Aggregate | Over) else ([], None)


def _remembering_apart(node: Plan) -> Plan:
    """What a stage remembers is computed from columns: of them those depend on the time that do."""
    return isolated(node) if isinstance(node, Aggregate | Over) else node


def _cut(plan: Plan, view: str, stages: list[Stage]) -> Plan:
    """Replace every aggregate by a read of a new hidden stage; the stages are appended in order."""

    def step(node: Plan) -> Plan:
        if isinstance(node, Aggregate | Over):
            return _keep(node, f"{view}${len(stages) + 1}", stages)
        return node

    return rewrite_up(plan, step)


def _keep(node: Aggregate | Over, name: str, stages: list[Stage]) -> Plan:
    """Append the node's stage; what is returned reads it and gives the node's own columns."""
    return _keep_ranked(node, name, stages) if isinstance(node, Over) else _keep_groups(node, name, stages)


def _keep_ranked(over: Over, name: str, stages: list[Stage]) -> Plan:
    """Window functions are stored with their rows: which numbers rows had is not computed a second time."""
    names = plain_names(over.columns)
    renamed: Plan = Project(
        over, tuple((new, Column(old)) for new, old in zip(names, over.columns, strict=True))
    )
    stages.append(_stage(name, StageKind.GROUPS, renamed))
    read = scan_rows(name, names)
    return Project(read, tuple((old, Column(new)) for new, old in zip(names, over.columns, strict=True)))


def _keep_groups(aggregate: Aggregate, name: str, stages: list[Stage]) -> Plan:
    keys = plain_names(key for key, _ in aggregate.keys)
    states = states_of(aggregate.aggregates, keys)
    named = tuple((new, expr) for new, (_, expr) in zip(keys, aggregate.keys, strict=True))
    kind = StageKind.LINEAR if states.linear else StageKind.GROUPS
    stage = _stage(name, kind, Aggregate(aggregate.child, named, states.calls))
    stages.append(stage)
    results = (*(Column(key) for key in keys), *states.results)
    return Project(scan_rows(name, stage.columns), tuple(zip(aggregate.columns, results, strict=True)))


def _stage(name: str, kind: StageKind, plan: Plan) -> Stage:
    return Stage(name, kind, plan.columns, plan, relations_of(plan))


def _named(plan: Plan, columns: Sequence[str]) -> Plan:
    """The plan with the view's own column names (CREATE VIEW v (a, b) may give others)."""
    if not columns or plan.columns == tuple(columns):
        return plan
    renamed = zip(columns, plan.columns, strict=True)
    return Project(plan, tuple((new, Column(old)) for new, old in renamed))

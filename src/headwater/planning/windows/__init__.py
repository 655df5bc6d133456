"""Which window aggregates share partial results, and on which node they run.

Dashboards and alerts ask for the same aggregate of the same stream with different ranges and slides.
Queries woven into one tree share the fragments between their edges: the stream is folded once instead of
once a query, but every fragment, now smaller and more of them, goes into the answers of all of them.

The paper's Example 1, worked through (count over 6 s every 2 s, and over 8 s every 4 s, 100 tuples/s):

    >>> from headwater.planning.windows import CostModel, Query, tree_of, weave
    >>> first, second = tree_of([Query("a", 6, 2)]), tree_of([Query("b", 8, 4)])
    >>> cost = CostModel(rate=100)
    >>> cost.of(first), cost.of(second)             # 100 + 1/2 x 3,  100 + 1/4 x 2
    (101.5, 100.5)
    >>> both = weave(first, second)
    >>> both.edges.density, both.overlap            # an edge every 2 s;  3 + 2 final operations on each
    (0.5, 5)
    >>> cost.of(both)                               # 100 + 1/2 x 5: woven they cost half
    102.5

`plan` decides for many queries and nodes, `revise` keeps a plan when queries, nodes or the rate change,
`answer_fragments` says what an executor must add up.
"""

from __future__ import annotations

from headwater.planning.windows.best.best_placement import Objective
from headwater.planning.windows.edges import EdgeSet, paired_window
from headwater.planning.windows.fragments import Fragment, answer_fragments, answers, edges_between, fragments
from headwater.planning.windows.model import (
    CostModel,
    Node,
    NodeTrees,
    Query,
    Tree,
    Weave,
    Workload,
    tree_of,
    weave,
)
from headwater.planning.windows.picture import trees_svg
from headwater.planning.windows.reading import parse_workload, workload_of
from headwater.planning.windows.report import gap_notes, plan_fields
from headwater.planning.windows.revise import Revision, add_query, change_rate, level_loads, remove_query
from headwater.planning.windows.workload import OPTIMIZER_NAMES, plan

__all__ = [
    "OPTIMIZER_NAMES",
    "CostModel",
    "EdgeSet",
    "Fragment",
    "Node",
    "NodeTrees",
    "Objective",
    "Weave",
    "Query",
    "Revision",
    "Tree",
    "Workload",
    "add_query",
    "answer_fragments",
    "answers",
    "change_rate",
    "edges_between",
    "fragments",
    "gap_notes",
    "level_loads",
    "paired_window",
    "parse_workload",
    "plan",
    "plan_fields",
    "remove_query",
    "tree_of",
    "trees_svg",
    "weave",
    "workload_of",
]

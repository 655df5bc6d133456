"""Algorithm 2, "To Nodes": WeaveShare, made to fit a number of nodes.

WeaveShare starts from one tree a query and again and again weaves the pair of trees that lowers the
total cost the most, until no pair does.

    w_tn    needs one tree a node, so it goes on weaving, at a loss, while there are more trees than nodes
    wg_tn   keeps the trees as they are and spreads them with Group to Lowest

Reading chosen: the text says twice that weaving stops as soon as there are no more trees than nodes; the
pseudocode goes on while it pays.  We follow the pseudocode: stopping early gives a higher total, which
these two are meant to keep lowest, and puts WG_TN further from the paper's Table 3 (docs/weave.md).
"""

from __future__ import annotations

from headwater.planning.windows.optimizers.problem import Placement, Problem
from headwater.planning.windows.optimizers.to_lowest import group_to_lowest
from headwater.planning.windows.optimizers.weave_share import weave_share

__all__ = ["w_tn", "wg_tn"]


def w_tn(problem: Problem) -> Placement:
    """Weave to Nodes: WeaveShare, continued until there is at most one tree a node."""
    trees = weave_share(problem.trees, problem.cost, force_to=problem.nodes)
    return [[tree] for tree in trees] + [[] for _ in range(problem.nodes - len(trees))]


def wg_tn(problem: Problem) -> Placement:
    """Weave-Group to Nodes: WeaveShare, then Group to Lowest of its trees."""
    return group_to_lowest(weave_share(problem.trees, problem.cost), problem.nodes, problem.cost)

"""Algorithm 2, "To Nodes": WeaveShare, made to fit a number of nodes.

WeaveShare starts from one tree a query and again and again weaves the pair of trees that lowers the
total cost the most, until no pair does.

    w_tn    needs one tree a node, so it goes on weaving, at a loss, while there are more trees than nodes
    wg_tn   keeps the trees as they are and spreads them with Group to Lowest

Reading chosen: see STOP_AT_NODES and docs/weave.md.  The text stops as soon as the trees fit the nodes,
the pseudocode goes on while weaving pays.
"""

from __future__ import annotations

from headwater.weave.optimizers.problem import Placement, Problem
from headwater.weave.optimizers.to_lowest import group_to_lowest
from headwater.weave.optimizers.weave_share import weave_share

__all__ = ["w_tn", "wg_tn"]

STOP_AT_NODES = True


def w_tn(problem: Problem) -> Placement:
    """Weave to Nodes: WeaveShare, continued until there is at most one tree a node."""
    stop = problem.nodes if STOP_AT_NODES else 0
    trees = weave_share(problem.trees, problem.cost, stop_at=stop, force_to=problem.nodes)
    return [[tree] for tree in trees] + [[] for _ in range(problem.nodes - len(trees))]


def wg_tn(problem: Problem) -> Placement:
    """Weave-Group to Nodes: WeaveShare, then Group to Lowest of its trees."""
    stop = problem.nodes if STOP_AT_NODES else 0
    trees = weave_share(problem.trees, problem.cost, stop_at=stop)
    return group_to_lowest(trees, problem.nodes, problem.cost)

"""The thirteen optimizers of the paper's Table 1, by name.

                 Random    Round Robin   to Lowest   to Nodes   Inserted
Group only       g-rand    g-rr          g-tl
Weave only       w-rand    w-rr          w-tl        w-tn       w-i
Weave and Group  wg-rand   wg-rr         wg-tl       wg-tn      wg-i
"""

from __future__ import annotations

from headwater.planning.windows.optimizers.inserted import w_i, wg_i
from headwater.planning.windows.optimizers.problem import (
    Optimizer,
    Placement,
    Problem,
    merge_identical,
    one_tree_each,
)
from headwater.planning.windows.optimizers.scatter import g_rand, g_rr, w_rand, w_rr, wg_rand, wg_rr
from headwater.planning.windows.optimizers.to_lowest import g_tl, w_tl, wg_tl
from headwater.planning.windows.optimizers.to_nodes import w_tn, wg_tn

__all__ = ["OPTIMIZERS", "Optimizer", "Placement", "Problem", "merge_identical", "one_tree_each"]

OPTIMIZERS: dict[str, Optimizer] = {
    "g-rand": g_rand,
    "w-rand": w_rand,
    "wg-rand": wg_rand,
    "g-rr": g_rr,
    "w-rr": w_rr,
    "wg-rr": wg_rr,
    "g-tl": g_tl,
    "w-tl": w_tl,
    "wg-tl": wg_tl,
    "w-tn": w_tn,
    "wg-tn": wg_tn,
    "w-i": w_i,
    "wg-i": wg_i,
}

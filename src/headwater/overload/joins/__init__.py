"""Join adaptation, the deciding half: under overload, the most results, and only fresh ones.

    from headwater.overload.joins import Plan, Problem, State, decide, linear

    states = {"A": State(5000, 0.001), "B": State(500, 0.001), "AB": State(200, 0.005), "C": State(1000,
    0.005)} plan = Plan(linear("A", "B", "C"), {"A": 500, "B": 700, "C": 600}, states) decision =
    decide(Problem(plan, resources=300, refresh={"AB": 10.0}), "optimal") decision.allocation.paths # probes a
    second at each hop of each input path

Read in this order: `tree`, `plan` (the model), `allocation`, the policies (`half_way`, `knapsack`, `grepp`,
`cover`, `linear_program`), `freshness`, `infeasible`, `policies` (all of them by name), `adapt` (when to
decide again), `tuples` (the simulator).
"""

from headwater.overload.joins.allocation import Allocation, PathAllowance, from_half_ways, from_paths
from headwater.overload.joins.best_effort import BestEffort, best_effort
from headwater.overload.joins.cost import Cost, UnitCosts, hashed, nested_loop, unit_time_cost
from headwater.overload.joins.cover import greedy_cover
from headwater.overload.joins.draw import draw
from headwater.overload.joins.freshness import holds_lemma_1, refresh_rates, staleness_bound
from headwater.overload.joins.grepp import grepp
from headwater.overload.joins.half_way import best_half_way
from headwater.overload.joins.infeasible import Shortage, cover_of
from headwater.overload.joins.knapsack import Row, best_multiples, greedy_multiples, productivity_table
from headwater.overload.joins.linear_program import Warm, cheapest_cover
from headwater.overload.joins.plan import Hop, Path, Plan, State, saturation
from headwater.overload.joins.policies import POLICIES, Decision, decide
from headwater.overload.joins.problem import Problem
from headwater.overload.joins.read_problem import parse_problem, read_problem
from headwater.overload.joins.report import report
from headwater.overload.joins.tree import Join, Leaf, Node, bushy, linear
from headwater.overload.joins.tuples.trial import Trial, try_tuples

__all__ = [
    "POLICIES", "Allocation", "BestEffort", "Cost", "Decision", "Hop", "Join", "Leaf", "Node", "Path",
    "PathAllowance", "Plan", "Problem", "Row", "Shortage", "State", "Trial", "UnitCosts", "Warm",
    "best_effort", "best_half_way", "best_multiples", "bushy", "cheapest_cover", "cover_of", "decide",
    "draw", "from_half_ways", "from_paths", "greedy_cover", "greedy_multiples", "grepp", "hashed",
    "holds_lemma_1", "linear", "nested_loop", "parse_problem", "productivity_table", "read_problem",
    "refresh_rates", "report", "saturation", "staleness_bound", "try_tuples", "unit_time_cost",
]  # fmt: skip

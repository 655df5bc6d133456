"""Join adaptation, the deciding half: under overload, the most results, and only fresh ones (JAQPOT).

>>> from headwater.overload.joins import JoinPlan, Problem, State, decide, linear
>>> states = {
...     "A": State(5000, 0.001), "B": State(500, 0.001), "AB": State(200, 0.005), "C": State(1000, 0.005)
... }
>>> plan = JoinPlan(linear("A", "B", "C"), {"A": 500, "B": 700, "C": 600}, states)
>>> decision = decide(Problem(plan, resources=300, refresh={"AB": 10.0}), "optimal")

The probes per second at each hop of each input path:

>>> {path.stream: path.allowances for path in decision.allocation.paths}
{'A': (0.0, 0.0), 'B': (50.0, 250.0), 'C': (0.0,)}

Read in this order: `model` (tree, join_plan, allocation, problem), `policies` (half_way, knapsack, grepp,
cover, linear_program, freshness, infeasible; by_name lists them all), `adaptation` (when to decide again),
`simulation` (real tuples).
"""

from headwater.overload.joins.model.allocation import Allocation, PathAllowance, from_half_ways, from_paths
from headwater.overload.joins.model.cost import Cost, UnitCosts, hashed, nested_loop, unit_time_cost
from headwater.overload.joins.model.join_plan import Hop, JoinPlan, Path, State, saturation
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.model.read_problem import parse_problem, read_problem
from headwater.overload.joins.model.tree import Join, Leaf, Node, bushy, linear
from headwater.overload.joins.policies.best_effort import BestEffort, best_effort
from headwater.overload.joins.policies.by_name import POLICIES, Decision, decide
from headwater.overload.joins.policies.cover import greedy_cover
from headwater.overload.joins.policies.freshness import holds_lemma_1, refresh_rates, staleness_bound
from headwater.overload.joins.policies.grepp import grepp
from headwater.overload.joins.policies.half_way import best_half_way
from headwater.overload.joins.policies.infeasible import Shortage, cover_of
from headwater.overload.joins.policies.knapsack import (
    Row,
    best_multiples,
    greedy_multiples,
    productivity_table,
)
from headwater.overload.joins.policies.linear_program import Warm, cheapest_cover
from headwater.overload.joins.reports.draw import draw
from headwater.overload.joins.reports.report import report
from headwater.overload.joins.simulation.trial import Trial, try_tuples

__all__ = [
    "POLICIES", "Allocation", "BestEffort", "Cost", "Decision", "Hop", "Join", "JoinPlan", "Leaf", "Node",
    "Path", "PathAllowance", "Problem", "Row", "Shortage", "State", "Trial", "UnitCosts", "Warm",
    "best_effort", "best_half_way", "best_multiples", "bushy", "cheapest_cover", "cover_of", "decide",
    "draw", "from_half_ways", "from_paths", "greedy_cover", "greedy_multiples", "grepp", "hashed",
    "holds_lemma_1", "linear", "nested_loop", "parse_problem", "productivity_table", "read_problem",
    "refresh_rates", "report", "saturation", "staleness_bound", "try_tuples", "unit_time_cost",
]  # fmt: skip

"""How many rows of each input may look for partners in a push: a policy's answer for what has arrived.

The streams of an adapted join are joined in the order of FROM. A stream of `rate` rows a second has `rate
* window` of them in its window, and a row that probes finds a result in a share of all combinations of the
others' rows that is the same whichever stream it is of. That share follows from the results for each
probe, as pushes have shown; it is spread evenly over the joins of the tree. No intermediate result is
stored, so none can go stale, and all probes are for throughput.

Under this model every path finds as much as any other if all its rows probe: the rows of a slow stream are
worth more. So the share of matches that a push finds is the mean of the shares of rows that probe.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from string import ascii_uppercase

from headwater.overload.joins.model.join_plan import JoinPlan, State, saturation
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.model.tree import linear, name, nodes, ordered_leaves
from headwater.overload.joins.policies.by_name import Decision, decide

__all__ = ["Arrivals", "allowances", "decision_for", "probes_needed", "problem_of", "share_of_matches"]

Arrivals = Mapping[str, int]  # rows by stream, in the order of FROM


def problem_of(
    rates: Mapping[str, float], window: float, results_per_probe: float, probes_per_second: float
) -> Problem:
    """The streams, in the order of FROM, are called A, B, ... in the problem."""
    letters = dict(zip(ascii_uppercase, rates.values(), strict=False))
    sizes = {letter: max(rate * window, 1.0) for letter, rate in letters.items()}
    tree = linear(*letters)
    selectivity = _selectivity(list(sizes.values()), results_per_probe)
    states = {}
    for node in nodes(tree):
        inside = ordered_leaves(node)
        size = selectivity ** (len(inside) - 1)
        for leaf in inside:
            size *= sizes[leaf]
        states[name(node)] = State(max(size, 1e-9), selectivity)
    del states[name(tree)]
    return Problem(JoinPlan(tree, letters, states), max(probes_per_second, 1e-9))


def _selectivity(sizes: list[float], results_per_probe: float) -> float:
    """Of each join of the tree, so that a probe finds so many results on average over the paths."""
    combinations = 0.0
    for own in range(len(sizes)):
        product = 1.0
        for other, size in enumerate(sizes):
            product *= 1.0 if other == own else size
        combinations += product / len(sizes)
    return float((results_per_probe / combinations) ** (1 / (len(sizes) - 1)))


def probes_needed(arrived: Arrivals, seconds: float, window: float, results_per_probe: float) -> int:
    """How many probes it takes, at all joins of all paths, to find every match of the rows that arrived."""
    rates = {stream: rows / seconds for stream, rows in arrived.items()}
    return ceil(saturation(problem_of(rates, window, results_per_probe, 1.0).plan)[0] * seconds)


def decision_for(problem: Problem, policy: str) -> Decision:
    return decide(problem, policy)


def allowances(
    arrived: Arrivals, seconds: float, window: float, results_per_probe: float, probes: float, policy: str
) -> dict[str, int]:
    """How many of the rows that arrived in some seconds may probe, by stream, with so many probes in all."""
    rates = {stream: rows / seconds for stream, rows in arrived.items()}
    problem = problem_of(rates, window, results_per_probe, probes / seconds)
    decision = decision_for(problem, policy)
    paths = {path.stream: path.allowances[0] * seconds for path in decision.allocation.paths}
    by_stream = zip(arrived.items(), ascii_uppercase, strict=False)
    return {stream: min(rows, round(paths[letter])) for (stream, rows), letter in by_stream}


def share_of_matches(arrived: Arrivals, probed: Mapping[str, int]) -> float:
    """The part of all matches that is found, as the model expects it."""
    shares = [probed[stream] / rows for stream, rows in arrived.items() if rows]
    return sum(shares) / len(shares) if shares else 1.0

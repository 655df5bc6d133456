"""How many rows of each input may look for partners in a push: a policy's answer for what has arrived.

The streams of an adapted join are joined as FROM is written, and are called A, B, ... in a plan.  A stream
of `rate` rows a second has `rate * window` of them in its window, unless it is known how many are `present`.
Selectivities are measured (learn.py).  Until they are, they are assumed: a row that probes finds a result in
a share of all combinations of the others' rows that is the same whichever stream it is of, and that is spread
evenly over the joins of the tree.  No intermediate result is stored, so none can go stale, and all probes are
for throughput.

A policy that considers half-way joins one by one may let rows probe at a join below whose results may not
probe above. Here a row looks for its partners all along its path or not at all, so such a path gets as many
rows as would yield the results that come out at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, prod
from string import ascii_uppercase

from headwater.model import Branch
from headwater.overload.joins.model.allocation import PathAllowance
from headwater.overload.joins.model.join_plan import JoinPlan, Path, State, saturation
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.model.tree import Join, Leaf, Node, joins, linear, name, nodes, ordered_leaves
from headwater.overload.joins.policies.by_name import FRESH, decide

__all__ = [
    "Arrivals", "Present", "allowances", "assumed", "at_rates", "probes_needed", "probing_rows",
    "share_of_matches",
]  # fmt: skip

Arrivals = Mapping[str, int]  # rows by stream, in the order of FROM
Present = Mapping[str, float]  # rows in the window of each stream
_LEAST = 1e-9


def _tree(branch: Branch) -> Node:
    """A tree over positions in FROM, with the streams' letters."""
    if isinstance(branch, int):
        return Leaf(ascii_uppercase[branch])
    left, right = branch
    return Join(_tree(left), _tree(right))


def assumed(
    rates: Mapping[str, float], window: float, results_per_probe: float, branch: Branch | None = None
) -> JoinPlan:
    """The plan before anything is measured; on average over the paths a probe finds so many results."""
    tree = linear(*ascii_uppercase[: len(rates)]) if branch is None else _tree(branch)
    selectivity = _selectivity([max(rate * window, 1.0) for rate in rates.values()], results_per_probe)
    states = {name(node): State(1.0, selectivity ** len(ordered_leaves(node))) for node in nodes(tree)}
    del states[name(tree)]
    return at_rates(JoinPlan(tree, {}, states), rates, window)


def at_rates(
    plan: JoinPlan, rates: Mapping[str, float], window: float, present: Present | None = None
) -> JoinPlan:
    """The same selectivities at other rates: windows are larger or smaller.

    A state of several streams is not stored: its selectivity is that among all combinations of their rows.
    """
    letters = dict(zip(plan.streams, rates.values(), strict=True))
    there = present or {}
    sizes = {
        letter: max(there.get(stream, rate * window), 1.0)
        for letter, (stream, rate) in zip(plan.streams, rates.items(), strict=True)
    }
    states = {
        own: replace(state, size=prod(sizes[letter] for letter in own)) for own, state in plan.states.items()
    }
    return replace(plan, rates=letters, states=states)


def _selectivity(sizes: list[float], results_per_probe: float) -> float:
    """Of each join of the tree, so that a probe finds so many results on average over the paths."""
    combinations = sum(prod(sizes) / own for own in sizes) / len(sizes)
    return float((results_per_probe / combinations) ** (1 / (len(sizes) - 1)))


def probes_needed(plan: JoinPlan, seconds: float) -> int:
    """How many probes it takes, at all joins of all paths, to find every match of some seconds."""
    return ceil(saturation(plan)[0] * seconds)


def allowances(
    plan: JoinPlan, arrived: Arrivals, seconds: float, probes: float, policy: str
) -> dict[str, int]:
    """How many of the rows that arrived in some seconds may probe, by stream, with so many probes in all."""
    rows = probing_rows(plan, probes / seconds, policy)
    return {
        stream: min(there, round(allowed * seconds))
        for (stream, there), allowed in zip(arrived.items(), rows, strict=True)
    }


def probing_rows(plan: JoinPlan, probes_per_second: float, policy: str) -> list[float]:
    """Rows a second of each stream that look for partners all along their path."""
    # Nothing has to be kept fresh: the greedy allocation is the optimum then, and needs no solver.
    greedy = "grepp" if policy in FRESH else policy
    decision = decide(Problem(_with_stored_sizes(plan), max(probes_per_second, _LEAST)), greedy)
    return [_rows(path, allowed) for path, allowed in zip(plan.paths, decision.allocation.paths, strict=True)]


def _with_stored_sizes(plan: JoinPlan) -> JoinPlan:
    """States of several streams as large as if they were stored: some policies ask for selectivities."""
    states = dict(plan.states)
    for join in joins(plan.tree):
        if (own := name(join)) in states:
            size = max(states[name(join.left)].size * states[name(join.right)].productivity, _LEAST)
            states[own] = State(size, states[own].productivity / size)
    return replace(plan, states=states)


def _rows(path: Path, allowed: PathAllowance) -> float:
    """Rows at the leaf whose results come out at the root."""
    last = path.weights[-1]
    return allowed.allowances[-1] / last if last > 0 else allowed.allowances[0]


def share_of_matches(
    arrived: Arrivals, probed: Mapping[str, int], found: Mapping[str, float] | None = None
) -> float:
    """The part of all matches that is found, if a row of each stream finds so many of them.

    Without `found` every path is taken to find as much as any other when all its rows probe.
    """
    if found and any(found.get(stream, 0.0) * rows for stream, rows in arrived.items()):
        most = sum(rows * found.get(stream, 0.0) for stream, rows in arrived.items())
        return sum(probed[stream] * found.get(stream, 0.0) for stream in arrived) / most
    shares = [probed[stream] / rows for stream, rows in arrived.items() if rows]
    return sum(shares) / len(shares) if shares else 1.0

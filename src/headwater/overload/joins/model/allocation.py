"""An allocation: how many tuples per second may probe at each hop of each input path.

There are two kinds.  Path policies give each path resources and divide them so that producers and consumers
match. Half-way policies give each half-way join resources without regard to its neighbours; then tuples flow
up the tree, and at every node a share `min(1, allowance / produced)` of them may probe on.  What is not
consumed is the waste that the paper calls producer-consumer mismatch.

`entering` counts all tuples that a join produces, whether they probe on or not: inserting is cheap and
always done. Invariant: no allowance exceeds what arrives or is produced.  Cost: the sum of the path lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from headwater.overload.joins.model.join_plan import JoinPlan, Path
from headwater.overload.joins.model.tree import name, nodes

__all__ = ["Allocation", "PathAllowance", "from_allowances", "from_half_ways", "from_paths", "nothing"]


@dataclass(frozen=True, slots=True)
class PathAllowance:
    """Tuples per second with which a stream, and what its tuples become, may probe at each hop."""

    stream: str
    productivity: float
    allowances: tuple[float, ...]

    @property
    def resources(self) -> float:
        return sum(self.allowances)


@dataclass(frozen=True, slots=True)
class Allocation:
    """`entering`: tuples/s into each intermediate state. `half_ways`: probes/s of each node."""

    paths: tuple[PathAllowance, ...]
    throughput: float
    entering: Mapping[str, float]
    half_ways: Mapping[str, float]

    @property
    def resources(self) -> float:
        return sum(path.resources for path in self.paths)


def from_allowances(plan: JoinPlan, allowances: Mapping[str, tuple[float, ...]]) -> Allocation:
    """The allocation that gives each path these allowances, hop by hop."""
    entering = dict.fromkeys(plan.susceptible, 0.0)
    half_ways = dict.fromkeys(plan.siblings, 0.0)
    throughput = 0.0
    for path in plan.paths:
        for hop, allowance in zip(path.hops, allowances[path.stream], strict=True):
            half_ways[hop.own] += allowance
            produced, above = allowance * hop.productivity, plan.parents[hop.own]
            if above == plan.root:
                throughput += produced
            else:
                entering[above] += produced
    paths = tuple(
        PathAllowance(path.stream, path.productivity, allowances[path.stream]) for path in plan.paths
    )
    return Allocation(paths, throughput, entering, half_ways)


def from_paths(plan: JoinPlan, resources: Mapping[str, float]) -> Allocation:
    """Producers and consumers matched: each path's resources are divided along it."""
    return from_allowances(
        plan, {path.stream: path.divide(resources.get(path.stream, 0.0)) for path in plan.paths}
    )


def nothing(plan: JoinPlan) -> Allocation:
    """No probes at all."""
    return from_paths(plan, {})


def from_half_ways(plan: JoinPlan, granted: Mapping[str, float]) -> Allocation:
    """Each node's probes limited by themselves; tuples of all paths share a node's allowance alike."""
    share = _shares(plan, granted)
    allowances: dict[str, tuple[float, ...]] = {}
    for path in plan.paths:
        flow = [_leaf_flow(path, granted)]
        for below, hop in pairwise(path.hops):
            flow.append(flow[-1] * below.productivity * share[hop.own])
        allowances[path.stream] = tuple(flow)
    return from_allowances(plan, allowances)


def _shares(plan: JoinPlan, granted: Mapping[str, float]) -> dict[str, float]:
    """The share of its produced tuples that each intermediate node may probe with, children first."""
    probing = {path.stream: _leaf_flow(path, granted) for path in plan.paths}
    productivity = {hop.own: hop.productivity for path in plan.paths for hop in path.hops}
    produced = dict.fromkeys((*plan.susceptible, plan.root), 0.0)
    share: dict[str, float] = {}
    for node in nodes(plan.tree):
        own = name(node)
        if own == plan.root:
            break
        if own in produced:
            total = produced[own]
            probing[own] = min(total, granted.get(own, 0.0))
            share[own] = probing[own] / total if total > 0 else 0.0
        produced[plan.parents[own]] += probing[own] * productivity[own]
    return share


def _leaf_flow(path: Path, granted: Mapping[str, float]) -> float:
    most = granted.get(path.stream, 0.0)
    return most if path.rate is None else min(most, path.rate)

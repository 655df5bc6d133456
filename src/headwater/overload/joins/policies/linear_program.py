"""The allocation as a linear program, solved exactly.

    maximise    sum of productivity_I * X_I                    results a second
    subject to  sum of X_I <= resources
                sum of share_I,S * X_I >= refresh_S            for each susceptible state S
                0 <= X_I <= rate_I * unit_cost_I               a path cannot use more than arrives

X_I are the resources of path I, and share_I,S the part of them spent on tuples of S, which is also the
number of tuples entering S.  In resources rather than tuples all shares lie between 0 and 1, which keeps the
program well scaled.

HiGHS solves it in a millisecond or two.  A solution is then a basis: which paths lie strictly between their
bounds, and which rows bind.  When parameters drift, `Warm` first solves that basis alone (one small linear
system) and checks that it is still feasible and that no other basis could be better; only if not does it
call HiGHS again.  So a warm answer carries its own proof of optimality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headwater.errors import InternalError
from headwater.overload.joins.model.join_plan import JoinPlan

__all__ = ["Basis", "Program", "Warm", "cheapest_cover", "program", "solve"]

Vector = npt.NDArray[np.float64]
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Program:
    """Minimise `cost` . x where `rows` . x <= `limits` and 0 <= x <= `most`."""

    cost: Vector
    rows: Vector
    limits: Vector
    most: Vector


@dataclass(frozen=True, slots=True)
class Basis:
    """The position of each variable (-1 at zero, 0 between, 1 at its most) and the binding rows."""

    stands: tuple[int, ...]
    binding: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    values: Vector
    basis: Basis
    duals: Vector
    warm: bool = False


def program(plan: JoinPlan, resources: float | None, refresh: Mapping[str, float]) -> Program:
    """The program above; without `resources`, the cheapest cover of the refresh rates instead."""
    needed = [state for state in plan.susceptible if refresh.get(state, 0.0) > 0]
    shares = [_shares(plan, state) for state in needed]
    rows = [-share for share in shares]
    limits = [-refresh[state] for state in needed]
    if resources is None:
        cost = np.ones(len(plan.paths))
    else:
        cost = -np.array([path.productivity for path in plan.paths])
        rows.append(np.ones(len(plan.paths)))
        limits.append(resources)
    most = np.array([path.most for path in plan.paths])
    return Program(cost, np.array(rows).reshape(len(rows), len(plan.paths)), np.array(limits), most)


def _shares(plan: JoinPlan, state: str) -> Vector:
    """Tuples into a state for each unit of each path's resources."""
    return np.array(
        [
            sum(weight for hop, weight in zip(path.hops, path.weights, strict=True) if hop.own == state)
            / path.unit_cost
            for path in plan.paths
        ]
    )


def solve(linear: Program, hint: Basis | None = None) -> Solution | None:
    """The optimum, or None if there is none; a `hint` that is still optimal spares the solver."""
    if hint is not None:
        warm = _from_basis(linear, hint)
        if warm is not None:
            return warm
    if not len(linear.limits):
        return _unconstrained(linear)
    return _highs(linear)


def _unconstrained(linear: Program) -> Solution:
    stands = tuple(1 if gain < 0 else -1 for gain in linear.cost)
    values = np.where(linear.cost < 0, linear.most, 0.0)
    return Solution(values, Basis(stands, ()), np.zeros(0))


def _highs(linear: Program) -> Solution | None:
    """Call HiGHS, with rows, limits and gains scaled near 1: long paths span many orders of magnitude."""
    from scipy.optimize import linprog

    weight = np.abs(linear.rows).max(axis=1)
    weight[weight == 0] = 1.0
    unit = max(float((np.abs(linear.limits) / weight).max()), 1e-30)
    gain = max(float(np.abs(linear.cost).max()), 1e-30)
    answer = linprog(
        linear.cost / gain,
        linear.rows / weight[:, None],
        linear.limits / weight / unit,
        bounds=[(0.0, most) for most in (linear.most / unit).tolist()],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if answer.status == 2:
        return None
    if answer.status != 0:
        raise InternalError("HW790", f"the linear program ended with: {answer.message}")
    values = np.clip(np.asarray(answer.x, dtype=np.float64) * unit, 0.0, linear.most)
    duals = -answer.ineqlin.marginals * gain / weight
    return _exactly(linear, values, duals)


def _exactly(linear: Program, values: Vector, duals: Vector) -> Solution:
    """Solve the basis of the solver's answer to full precision.

    A degenerate optimum has no unique basis; the solver's own answer is then used, good to its tolerance.
    """
    for basis in (_basis(linear, values, duals), _dual_basis(linear, values, duals)):
        exact = _from_basis(linear, basis)
        if exact is not None:
            return replace(exact, warm=False)
    return Solution(values, _basis(linear, values, duals), duals)


def _basis(linear: Program, values: Vector, duals: Vector) -> Basis:
    small = _CLOSE * np.maximum(1.0, np.where(np.isfinite(linear.most), linear.most, np.abs(values)))
    stands = np.where(values <= small, -1, np.where(values >= linear.most - small, 1, 0))
    slack = linear.limits - linear.rows @ values
    free, binding = int((stands == 0).sum()), np.argsort(np.where(duals > 0, -1.0, np.abs(slack)))
    return Basis(tuple(int(stand) for stand in stands), tuple(sorted(int(row) for row in binding[:free])))


def _dual_basis(linear: Program, values: Vector, duals: Vector) -> Basis:
    """The basis by prices: right where a path is at its bound without being held there."""
    reduced = linear.cost + duals @ linear.rows
    held = np.abs(reduced) > 1e-7 * (1e-30 + np.abs(linear.cost).max())
    at_most = np.isfinite(linear.most) & (values > linear.most / 2)
    stands = np.where(held, np.where(at_most, 1, -1), 0)
    binding = np.flatnonzero(duals > 1e-9 * (1e-30 + np.abs(duals).max(initial=0.0)))
    return Basis(tuple(int(stand) for stand in stands), tuple(int(row) for row in binding))


def _from_basis(linear: Program, basis: Basis) -> Solution | None:
    """Solve a basis; None unless it is feasible and optimal for this program."""
    stands, binding = np.array(basis.stands), list(basis.binding)
    free = stands == 0
    if len(binding) != free.sum() or len(stands) != len(linear.cost):
        return None
    values = np.where(stands == 1, linear.most, 0.0)
    duals = np.zeros(len(linear.limits))
    if not np.isfinite(values).all():
        return None
    if binding:
        matrix = linear.rows[binding][:, free]
        try:
            values[free] = np.linalg.solve(matrix, linear.limits[binding] - linear.rows[binding] @ values)
            duals[binding] = np.linalg.solve(matrix.T, -linear.cost[free])
        except np.linalg.LinAlgError:
            return None
    return Solution(values, basis, duals, True) if _optimal(linear, values, duals, stands) else None


def _optimal(linear: Program, values: Vector, duals: Vector, stands: npt.NDArray[np.int_]) -> bool:
    """Feasible, with multipliers of the right sign: then no other point is better."""
    size = 1.0 + np.abs(linear.limits)
    reduced = linear.cost + duals @ linear.rows
    close = _CLOSE * (1.0 + np.abs(linear.cost).max())
    return bool(
        (values >= -_CLOSE * (1.0 + np.abs(values).max())).all()
        and (values <= linear.most * (1 + _CLOSE)).all()
        and (linear.rows @ values <= linear.limits + _CLOSE * size).all()
        and (duals >= -close).all()
        and (reduced[stands == -1] >= -close).all()
        and (reduced[stands == 1] <= close).all()
    )


class Warm:
    """Remembers the last basis, so that small drifts cost one small linear system."""

    def __init__(self) -> None:
        self.basis: Basis | None = None
        self.solver_calls = 0

    def resources(
        self, plan: JoinPlan, resources: float, refresh: Mapping[str, float]
    ) -> dict[str, float] | None:
        """Resources of each path at the optimum, or None if the refresh rates cannot be met."""
        solution = solve(program(plan, resources, refresh), self.basis)
        if solution is None:
            return None
        self.solver_calls += not solution.warm
        self.basis = solution.basis
        return _by_stream(plan, solution.values)


def cheapest_cover(
    plan: JoinPlan, refresh: Mapping[str, float]
) -> tuple[dict[str, float], tuple[str, ...]] | None:
    """The least resources that meet all refresh rates, and the states that bind; None if no resources do."""
    solution = solve(program(plan, None, refresh))
    if solution is None:
        return None
    needed = [state for state in plan.susceptible if refresh.get(state, 0.0) > 0]
    binding = tuple(state for state, dual in zip(needed, solution.duals, strict=True) if dual > _CLOSE)
    return _by_stream(plan, solution.values), binding


def _by_stream(plan: JoinPlan, values: Vector) -> dict[str, float]:
    return {path.stream: max(0.0, float(value)) for path, value in zip(plan.paths, values, strict=True)}

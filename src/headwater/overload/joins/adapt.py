"""The adaptation loop: monitor, analyse when something drifted, act when it pays.

    step(loop, sample)  ->  loop        with a new decision, or the same

Analysis runs only when a statistic (an arrival rate, a selectivity, the service rate, or the throughput) has
moved by more than `thresholds.drift` since the last analysis.  It asks the policy again on the estimates.
The answer is put in place only if it promises more than `thresholds.gain` over what the present allowances
would yield on the same estimates, or if these no longer keep freshness and the new ones do.

The loop is a value and a step a pure function, so it runs alike in the simulator, in tests and around a real
engine. Cost: a millisecond or two for each analysis, far less between.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headwater.overload.joins.allocation import Allocation, from_half_ways
from headwater.overload.joins.best_effort import best_effort
from headwater.overload.joins.linear_program import Warm
from headwater.overload.joins.monitor import Monitor, Sample
from headwater.overload.joins.plan import Plan
from headwater.overload.joins.policies import FRESH, Decision, decide
from headwater.overload.joins.problem import Problem
from headwater.overload.joins.thresholds import Thresholds

__all__ = ["Loop", "start", "step"]


@dataclass(frozen=True)
class Loop:
    """`problem` is the question as last analysed; `promise` the throughput and gain promised by the last
    change."""

    problem: Problem
    decision: Decision
    expected: float
    monitor: Monitor = field(default_factory=Monitor)
    thresholds: Thresholds = field(default_factory=Thresholds)
    last_drift: float = 0.0
    promise: tuple[float, float] | None = None
    analyses: int = 0
    actuations: int = 0
    warm: Warm = field(default_factory=Warm)


def start(problem: Problem, policy: str) -> Loop:
    """A loop that has just decided for the first time."""
    warm = Warm()
    decision = _best_effort(problem, policy, warm)
    return Loop(problem, decision, decision.allocation.throughput, warm=warm)


def _best_effort(problem: Problem, policy: str, warm: Warm) -> Decision:
    """The policy's decision; where freshness cannot be kept everywhere, the most fresh results."""
    decision = decide(problem, policy, warm)
    if decision.feasible or policy not in FRESH:
        return decision
    return replace(decision, allocation=best_effort(problem).allocation)


def step(loop: Loop, sample: Sample) -> Loop:
    """Take in a sample; analyse and act if it is time to."""
    loop = replace(loop, monitor=loop.monitor.observe(sample))
    estimate = loop.monitor.estimate(loop.problem.plan)
    drift = _drift(loop, estimate, sample)
    if loop.promise is not None:
        loop = _judge(loop)
    if drift <= loop.thresholds.drift:
        change = abs(drift - loop.last_drift)
        return replace(loop, last_drift=drift, thresholds=loop.thresholds.quiet(change))
    # What was before the change would blur the estimate: look at the newest sample alone.
    fresh = loop.monitor.forget()
    return _analyse(replace(loop, monitor=fresh, last_drift=0.0), fresh.estimate(loop.problem.plan))


def _drift(loop: Loop, estimate: Plan, sample: Sample) -> float:
    """The largest relative change of a statistic since the last analysis."""
    before, changes = loop.problem.plan, [_change(loop.monitor.throughput, loop.expected)]
    changes += [_change(estimate.rates[stream], rate) for stream, rate in before.rates.items()]
    changes += [
        _change(estimate.states[own].selectivity, state.selectivity) for own, state in before.states.items()
    ]
    return max(changes)


def _change(now: float | None, before: float | None) -> float:
    if now is None or before is None or before == now:
        return 0.0
    return abs(now - before) / before if before > 0 else 1.0


def _judge(loop: Loop) -> Loop:
    """Compare what the last change promised with what the first sample after it shows."""
    if loop.promise is None:
        return loop
    before, promised = loop.promise
    found = (
        loop.monitor.samples[-1].results / loop.monitor.samples[-1].seconds / before - 1.0 if before else 0.0
    )
    return replace(loop, promise=None, thresholds=loop.thresholds.judged(min(promised, 1.0), min(found, 1.0)))


def _analyse(loop: Loop, estimate: Plan) -> Loop:
    """Ask the policy again, and act if it pays."""
    problem = replace(loop.problem, plan=estimate)
    decision = _best_effort(problem, loop.decision.policy, loop.warm)
    present = from_half_ways(estimate, loop.decision.allocation.half_ways)
    gain = _change_up(decision.allocation.throughput, present.throughput)
    useful = gain > loop.thresholds.gain or (decision.feasible and _stale(problem, loop.decision, present))
    loop = replace(
        loop,
        problem=problem,
        expected=present.throughput,
        analyses=loop.analyses + 1,
        thresholds=loop.thresholds.analysed(useful=useful),
    )
    if not useful:
        # What is seen is what to expect; the model may be off by a little for good.
        return replace(loop, expected=loop.monitor.throughput)
    throughput = decision.allocation.throughput
    return replace(
        loop,
        decision=decision,
        expected=throughput,
        promise=(present.throughput, gain),
        monitor=Monitor(loop.monitor.length, loop.monitor.enough),
        actuations=loop.actuations + 1,
    )


def _change_up(now: float, before: float) -> float:
    return now / before - 1.0 if before > 0 else (1.0 if now > 0 else 0.0)


def _stale(problem: Problem, decision: Decision, present: Allocation) -> bool:
    """Whether allowances that must keep freshness no longer do."""
    return decision.policy in FRESH and any(
        present.entering[state] < rate * 0.98
        for state, rate in problem.needed.items()
        if state in present.entering
    )

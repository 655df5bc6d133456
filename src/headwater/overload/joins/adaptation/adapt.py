"""The adaptation loop: monitor, analyse when something drifted, act when it pays.

    step(loop, sample)  ->  loop        with a new decision, or the same

Analysis runs only when a statistic (an arrival rate, a selectivity, the service rate, or the throughput) has
changed by more than `thresholds.drift` since the last analysis.  It asks the policy again on the estimates.
The new allowances are put in place only if they should yield more than `thresholds.gain` over what the
present ones would yield on the same estimates, or if the present ones no longer keep results fresh and the
new ones do.

The loop is a value and a step is a pure function, so it runs alike in the simulator, in tests and around a
real engine.  Cost: a millisecond or two for each analysis, far less in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headwater.overload.joins.adaptation.monitor import Monitor, Sample
from headwater.overload.joins.adaptation.thresholds import Thresholds
from headwater.overload.joins.model.allocation import Allocation, from_half_ways
from headwater.overload.joins.model.join_plan import JoinPlan
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.policies.best_effort import best_effort
from headwater.overload.joins.policies.by_name import FRESH, Decision, decide
from headwater.overload.joins.policies.linear_program import Warm

__all__ = ["Loop", "start", "step"]


@dataclass(frozen=True)
class Loop:
    """The problem as last analysed; `forecast`: throughput before the last change, and expected gain."""

    problem: Problem
    decision: Decision
    expected: float
    monitor: Monitor = field(default_factory=Monitor)
    thresholds: Thresholds = field(default_factory=Thresholds)
    last_drift: float = 0.0
    forecast: tuple[float, float] | None = None
    analyses: int = 0
    actuations: int = 0
    warm: Warm = field(default_factory=Warm)


def start(problem: Problem, policy: str) -> Loop:
    """A loop that has just decided for the first time."""
    warm = Warm()
    decision = _best_effort(problem, policy, warm)
    return Loop(problem, decision, decision.allocation.throughput, warm=warm)


def _best_effort(problem: Problem, policy: str, warm: Warm) -> Decision:
    """The policy's decision; if not all results can be kept fresh, the most fresh ones."""
    decision = decide(problem, policy, warm)
    if decision.feasible or policy not in FRESH:
        return decision
    return replace(decision, allocation=best_effort(problem).allocation)


def step(loop: Loop, sample: Sample) -> Loop:
    """Take in a sample; analyse and act if it is time to."""
    loop = replace(loop, monitor=loop.monitor.observe(sample))
    estimate = loop.monitor.estimate(loop.problem.plan)
    drift = _drift(loop, estimate, sample)
    if loop.forecast is not None:
        loop = _judge(loop)
    if drift <= loop.thresholds.drift:
        change = abs(drift - loop.last_drift)
        return replace(loop, last_drift=drift, thresholds=loop.thresholds.quiet(change))
    # Samples from before the change would blur the estimate: use the newest one alone.
    newest = loop.monitor.forget()
    return _analyse(replace(loop, monitor=newest, last_drift=0.0), newest.estimate(loop.problem.plan))


def _drift(loop: Loop, estimate: JoinPlan, sample: Sample) -> float:
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
    """Compare the gain forecast for the last change with the first sample after it."""
    if loop.forecast is None:
        return loop
    before, forecast = loop.forecast
    sample = loop.monitor.samples[-1]
    gain = sample.results / sample.seconds / before - 1.0 if before else 0.0
    return replace(loop, forecast=None, thresholds=loop.thresholds.judged(min(forecast, 1.0), min(gain, 1.0)))


def _analyse(loop: Loop, estimate: JoinPlan) -> Loop:
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
        # Expect what is observed: the model may be off by a little permanently.
        return replace(loop, expected=loop.monitor.throughput)
    throughput = decision.allocation.throughput
    return replace(
        loop,
        decision=decision,
        expected=throughput,
        forecast=(present.throughput, gain),
        monitor=Monitor(loop.monitor.length, loop.monitor.enough),
        actuations=loop.actuations + 1,
    )


def _change_up(now: float, before: float) -> float:
    return now / before - 1.0 if before > 0 else (1.0 if now > 0 else 0.0)


def _stale(problem: Problem, decision: Decision, present: Allocation) -> bool:
    """Whether allowances that must keep results fresh no longer do."""
    return decision.policy in FRESH and any(
        present.entering[state] < rate * 0.98
        for state, rate in problem.needed.items()
        if state in present.entering
    )

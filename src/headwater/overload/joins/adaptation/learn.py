"""What pushes show of an adapted join, and when that changes who probes.

    learn(learnt, seen)  ->  learnt, and what was decided if there was something to decide

After a push a few of the rows that came with it, whether they probed or not, are followed along their paths:
how many rows they become at each join.  So a direction that gets no probes is known as well as any other.
The monitor pools the last few pushes.

**Analysis** runs when a half-way join's productivity, or the results of a push, differ by more than
`thresholds.drift` from what they are taken to be.  **The new estimates are taken over** if the allowances
that follow from them should find more than `thresholds.gain` over what the present ones find, or if there is
no choice to make (then they only say how many probes all matches take).  Both thresholds tune themselves.
Rates and the budget are those of each push and need no memory.

All of it is a pure function of what pushes noted (system/joins): a run that begins goes through the last
hour's notes and stands where the one before stood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headwater.model import Branch
from headwater.overload.joins.adaptation.allowances import Present, assumed, at_rates, probing_rows
from headwater.overload.joins.adaptation.monitor import Monitor, Sample
from headwater.overload.joins.adaptation.thresholds import Thresholds
from headwater.overload.joins.model.join_plan import JoinPlan

__all__ = ["Analysis", "Learnt", "PathSample", "Seen", "learn"]

ENOUGH = 60.0  # rows found by a sample: fewer say little
PRIOR = 1.0  # results of a probe, before any is counted
_COLLAPSED = 0.5  # of the rows that were expected, not even so many were found


@dataclass(frozen=True, slots=True)
class PathSample:
    """Some rows of a stream, and how many rows they become after each join of their path.

    `shown`: of the results at its end, those that come from rows which probed. `present`: how many rows of
    the stream were in its window, halfway through the push; None: unknown.
    """

    rows: int
    after: tuple[float, ...]
    shown: float = 0.0
    present: float | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A push: rows by stream, in the order of FROM. `limited`: not all of them were allowed to probe."""

    at: int
    seconds: float
    arrived: Mapping[str, int]
    probed: Mapping[str, int]
    samples: Mapping[str, PathSample]
    limited: bool

    @property
    def present(self) -> Present:
        """While a load rises windows hold fewer rows than it will bring, and its rows find less."""
        counted = {stream: sample.present for stream, sample in self.samples.items()}
        return {stream: rows for stream, rows in counted.items() if rows is not None}


@dataclass(frozen=True, slots=True)
class Learnt:
    """`plan`: whose selectivities decide; `analysed`: those of the last analysis. None before the first."""

    tree: Branch | None = None
    plan: JoinPlan | None = None
    analysed: JoinPlan | None = None
    monitor: Monitor = field(default_factory=lambda: Monitor(enough=ENOUGH))
    thresholds: Thresholds = field(default_factory=Thresholds)
    last_drift: float = 0.0

    def believed(self, rates: Mapping[str, float], window: float, present: Present | None = None) -> JoinPlan:
        """The plan that decides, at these rates of the streams, in the order of FROM."""
        return self.at(self.plan, rates, window, present)

    def expected(self, rates: Mapping[str, float], window: float, present: Present | None = None) -> JoinPlan:
        """The plan that says how much is found: by the newest estimates, whether they change who probes."""
        return self.at(self.analysed, rates, window, present)

    def at(
        self,
        plan: JoinPlan | None,
        rates: Mapping[str, float],
        window: float,
        present: Present | None = None,
    ) -> JoinPlan:
        """Before anything is measured a probe is taken to find a result, whatever the rates are."""
        known = assumed(rates, window, PRIOR, self.tree) if plan is None else plan
        return at_rates(known, rates, window, present)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a drift led to."""

    taken: bool
    drift: float
    gain: float | None  # None: there was nothing to choose
    reason: str


def learn(
    learnt: Learnt, seen: Seen, window: float, policy: str, names: Mapping[str, str]
) -> tuple[Learnt, Analysis | None]:
    """Take in a push. `names`: of the streams, by their letters."""
    if not seen.samples or seen.seconds <= 0:
        return learnt, None
    rates = {stream: rows / seen.seconds for stream, rows in seen.arrived.items()}
    plan = learnt.believed(rates, window, seen.present)
    analysed = learnt.expected(rates, window, seen.present)
    monitor = learnt.monitor.observe(_sample(analysed, seen))
    learnt = replace(learnt, monitor=monitor)
    first = learnt.plan is None
    estimate = _estimated(monitor, analysed, first)
    drift, what = _drift(analysed, estimate, names)
    if drift <= learnt.thresholds.drift:
        change = abs(drift - learnt.last_drift)
        return replace(learnt, last_drift=drift, thresholds=learnt.thresholds.quiet(change)), None
    newest = monitor.forget()  # samples from before the change would blur the estimate
    estimate = _estimated(newest, analysed, first)
    learnt = replace(learnt, monitor=newest, last_drift=0.0)
    return _analysed(learnt, plan, estimate, seen, policy, (drift, what))


def _analysed(
    learnt: Learnt, plan: JoinPlan, estimate: JoinPlan, seen: Seen, policy: str, cause: tuple[float, str]
) -> tuple[Learnt, Analysis]:
    drift, what = cause
    gain = (
        _gain(plan, estimate, _sample(estimate, seen).resources / seen.seconds, policy)
        if seen.limited
        else None
    )
    least = learnt.thresholds.gain
    first = learnt.plan is None
    taken = first or gain is None or gain > least
    if first:
        then = "measured for the first time, and taken over"
    elif gain is None:
        then = "all rows probe, and it is taken over"
    else:
        then = f"other allowances gain {gain:.1%}, {'more' if taken else 'not more'} than {least:.1%}: " + (
            "taken over" if taken else "kept"
        )
    thresholds = learnt.thresholds.analysed(useful=taken)
    if gain is not None and taken and not first:
        thresholds = thresholds.judged(min(gain, 1.0), min(gain, 1.0) / (1 + drift))
    decided = replace(
        learnt,
        plan=estimate if taken else learnt.plan,
        analysed=estimate,
        thresholds=thresholds,
    )
    return decided, Analysis(taken, drift, gain, f"{what}: {then}")


def _gain(plan: JoinPlan, estimate: JoinPlan, probes: float, policy: str) -> float:
    """Of allowances by the estimates over those by what is believed now, both judged by the estimates."""
    results = []
    for believed in (plan, estimate):
        rows = probing_rows(believed, probes, policy)
        spent = sum(path.unit_cost * probing for path, probing in zip(estimate.paths, rows, strict=True))
        found = sum(
            path.cardinalities[-1] * probing for path, probing in zip(estimate.paths, rows, strict=True)
        )
        results.append(found * min(1.0, probes / spent) if spent > 0 else 0.0)
    before, after = results
    return after / before - 1.0 if before > 0 else (1.0 if after > 0 else 0.0)


def _sample(plan: JoinPlan, seen: Seen) -> Sample:
    """The counts of a push, as the monitor takes them: matches among pairs, by the state that is probed."""
    pairs: dict[str, float] = {}
    matches: dict[str, float] = {}
    results = resources = 0.0
    by_letter = dict(zip(plan.streams, seen.arrived, strict=True))
    for path in plan.paths:
        stream = by_letter[path.stream]
        sample = seen.samples.get(stream)
        if sample is None or not sample.rows:
            continue
        entering = float(sample.rows)
        for hop, after in zip(path.hops, sample.after, strict=True):
            pairs[hop.partner] = pairs.get(hop.partner, 0.0) + entering * plan.states[hop.partner].size
            matches[hop.partner] = matches.get(hop.partner, 0.0) + after
            entering = after
        each = seen.probed[stream] / sample.rows
        results += each * sample.after[-1]
        resources += each * (sample.rows + sum(sample.after[:-1]))
    arrivals = {letter: float(seen.arrived[stream]) for letter, stream in by_letter.items()}
    return Sample(seen.seconds, results, resources, arrivals, pairs, matches)


def _estimated(monitor: Monitor, plan: JoinPlan, first: bool) -> JoinPlan:
    """Selectivities as they were seen, where enough was found, or far less than was measured before."""
    states = {}
    for own, state in plan.states.items():
        pairs = sum(sample.pairs.get(own, 0.0) for sample in monitor.samples)
        matches = sum(sample.matches.get(own, 0.0) for sample in monitor.samples)
        expected = pairs * state.selectivity
        collapsed = not first and expected >= ENOUGH and matches < expected * _COLLAPSED
        if pairs > 0 and (matches >= ENOUGH or collapsed):
            states[own] = replace(state, selectivity=max(matches, 0.5) / pairs)
    return plan.with_states(states)


def _drift(before: JoinPlan, now: JoinPlan, names: Mapping[str, str]) -> tuple[float, str]:
    """The largest relative change of a half-way join, and which one in words."""
    largest, what = 0.0, ""
    for own, state in before.states.items():
        new = now.states[own].selectivity
        change = abs(new - state.selectivity) / state.selectivity
        if change > largest:
            partner = before.siblings[own]
            listed = " ⋈ ".join(names[letter] for letter in partner), " ⋈ ".join(names[x] for x in own)
            largest = change
            what = (
                f"a row of {listed[0]} finds {new * state.size:,.3g} of {listed[1]},"
                f" taken to be {state.productivity:,.3g}"
            )
    return largest, what

"""Window joins before anything runs: can tolerances be kept, and which part of the matches is found?

**Tolerances.** A result is made by a push, and a push begins when the one before has ended. So even with
pushes that follow each other its oldest row may be as old as the window and a push together. A tolerance
shorter than that cannot be kept, and the push would have to be faster. Its fixed costs (planning,
scheduling, committing) no CPU makes faster.

**Matches**, of a join that is adapted: a push may take a part of the promise (overload/budget.py). What
its fixed costs leave of that is for probes, each at the seconds that the joins of the expected push take
for a change. The policy divides them among the input paths as it will when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from headwater.model import JoinWindow, Project, View
from headwater.overload.budget import SHARE
from headwater.overload.joins.adaptation.allowances import assumed
from headwater.overload.joins.model.join_plan import saturation
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.model.tree import Join, Leaf, Node
from headwater.overload.joins.policies.by_name import Decision, decide
from headwater.overload.joins.reports.draw import draw
from headwater.planning.cost.operators import Operators
from headwater.planning.facts.facts import Facts
from headwater.planning.graph.graph import EdgeKind
from headwater.planning.stages.push_plan import ViewPush
from headwater.units import seconds_text

__all__ = ["JoinEstimate", "PathEstimate", "join_estimate"]

_LONGEST = 30 * 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class PathEstimate:
    """An input path: the stream, its rows per second, and the probes per second at each half-way join."""

    stream: str
    rate: float
    partners: tuple[str, ...]
    allowances: tuple[float, ...]
    tolerance: timedelta | None
    oldest: timedelta  # that a row of it may be in a new result
    kept: bool


@dataclass(frozen=True, slots=True)
class JoinEstimate:
    window: timedelta
    rows: int | None  # of a window of rows
    adapted: bool
    policy: str
    problem: Problem
    decision: Decision
    names: Mapping[str, str]  # of the leaves
    paths: tuple[PathEstimate, ...]
    probes_per_second: float  # that there are
    probes_needed: float  # for all matches
    share_of_matches: float
    more_cpu: float | None  # times as much for all tolerances; None: no CPU would do
    push_seconds: float  # that it takes, with what it need not do left out

    @property
    def feasible(self) -> bool:
        probing = self.probes_per_second > 0 or not self.adapted
        return all(path.kept for path in self.paths) and probing

    @property
    def reason(self) -> str:
        """Why it is not feasible, in words."""
        if all(path.kept for path in self.paths):
            stored = f"storing its rows takes {self.push_seconds:.2f} s"
            return f"no time would be left to look for partners: {stored}, more than a push may"
        tightest = min((path for path in self.paths if not path.kept), key=_slack)
        late = ", ".join(path.stream for path in self.paths if not path.kept)
        do = (
            "no CPU would do: the fixed costs of a push alone take longer"
            if self.more_cpu is None
            else f"{self.more_cpu:.1f} times as much CPU would do"
        )
        allowed = tightest.tolerance or timedelta()
        return (
            f"the tolerance of {late} cannot be kept: a result may hold rows up to"
            f" {seconds_text(tightest.oldest.total_seconds())} old, and {tightest.stream} allows"
            f" {seconds_text(allowed.total_seconds())}; {do}"
        )

    def drawn(self) -> str:
        """((nyc ⋈ tokyo) ⋈ london)"""
        return _drawn(self.problem.plan.tree, self.names)

    def picture(self, view: str) -> str:
        """The tree with its allowances, as SVG."""
        return draw(self.problem, self.decision, self.names, f"{view}, ")


def _slack(path: PathEstimate) -> timedelta:
    return (path.tolerance or timedelta.max) - path.oldest


def _drawn(node: Node, names: Mapping[str, str]) -> str:
    match node:
        case Leaf(stream):
            return names[stream]
        case Join(left, right):
            return f"({_drawn(left, names)} ⋈ {_drawn(right, names)})"


def join_estimate(
    view: View, project: Project, facts: Mapping[str, Facts], push: ViewPush, operators: Operators
) -> JoinEstimate | None:
    window = view.window
    if window is None:
        return None
    rates = {stream.name: max(facts[stream.table].rate, 1e-9) for stream in window.streams}
    fixed = _fixed(window, push, operators)
    # A join that is adapted takes no more time than a push may; another takes what it takes.
    longest = max(view.freshness.total_seconds() * SHARE, fixed) if window.adapt else push.seconds
    seconds = timedelta(seconds=min(push.seconds, longest))
    probes = project.overload.probes_per_second or _probes(view, push, operators, fixed)
    plan = assumed(rates, window.seconds, _results_per_change(push), window.tree)
    problem = Problem(plan, max(probes, 1e-9))
    decision = decide(problem, project.overload.join_policy)
    needed, most = saturation(problem.plan)
    names = dict(zip(problem.plan.streams, rates, strict=True))
    paths = tuple(
        PathEstimate(
            stream.name,
            rates[stream.name],
            tuple("".join(names[letter] + " " for letter in hop.partner).strip() for hop in route.hops),
            tuple(allowance if allowance > 1e-6 else 0.0 for allowance in path.allowances),
            stream.tolerance,
            _length(window, rates[stream.name]) + seconds,
            stream.tolerance is None or _length(window, rates[stream.name]) + seconds <= stream.tolerance,
        )
        for stream, path, route in zip(
            window.streams, decision.allocation.paths, problem.plan.paths, strict=True
        )
    )
    share = min(1.0, decision.allocation.throughput / most) if most > 0 else 1.0
    return JoinEstimate(
        window.length, window.rows, window.adapt, project.overload.join_policy, problem, decision, names,
        paths, probes, needed, share if window.adapt else 1.0,
        _more_cpu(paths, seconds, fixed), seconds.total_seconds(),
    )  # fmt: skip


def _length(window: JoinWindow, rate: float) -> timedelta:
    """How old a row becomes in its window; of a stream that hardly brings any, its tolerance says more."""
    if window.rows is None or window.rows / rate > _LONGEST:
        return window.length
    return timedelta(seconds=window.rows / rate)


def _fixed(window: JoinWindow, push: ViewPush, operators: Operators) -> float:
    """Seconds of a push that its rows have no part in; if it is adapted, that its probes have no part in."""
    if window.adapt and push.actions:
        before = sum(action.seconds for action in push.actions[:-1])  # rows are stored, probing or not
        return min(before + operators.action + operators.models[EdgeKind.JOIN].fixed, push.seconds)
    stages = sum(len(action.stages) for action in push.actions)
    fixed = len(push.actions) * operators.action + stages * operators.models[EdgeKind.JOIN].fixed
    return min(fixed, push.seconds)


def _results_per_change(push: ViewPush) -> float:
    if not push.actions:
        return 1.0
    effort = push.actions[-1].stages[-1].effort
    return max(effort.result, 1) / max(effort.changed, 1)


def _probes(view: View, push: ViewPush, operators: Operators, fixed: float) -> float:
    """Probes per second, if a push takes the part of the promise that it may."""
    changed = push.actions[-1].stages[-1].effort.changed if push.actions else 0
    allowed = view.freshness.total_seconds() * SHARE
    each = (push.seconds - fixed) / changed if changed else 0.0
    each = max(each, operators.models[EdgeKind.JOIN].per_tuple)
    return max(allowed - fixed, 0.0) / each / view.freshness.total_seconds()


def _more_cpu(paths: Sequence[PathEstimate], push: timedelta, fixed: float) -> float | None:
    """A tolerance leaves a push the time after which a row has left its window."""
    left = [path.tolerance - (path.oldest - push) for path in paths if path.tolerance is not None]
    seconds, slack = push.total_seconds(), min(left, default=timedelta.max).total_seconds()
    if seconds <= slack:
        return 1.0
    return None if slack <= fixed else (seconds - fixed) / (slack - fixed)

"""The actions of a usual push of all views, their seconds and dollars, and what each view pays.

    a view's push      the actions that bring it, and all it reads, to a time: its critical path
    how often          as late as the promise allows: a push carries x = SLACK * freshness - CP(x) seconds of
                       changes; a stage is pushed as often as the most impatient view that it serves
    CPU dollars        the seconds of each stage and its part of the action's own, on the cores that an action
                       keeps busy; the views that a stage serves pay for it in equal parts
    storage, network   of the relations and copies of the graph, also in equal parts
    a view pays        its parts * (1 + CP / freshness) + the penalty of late tuples        (the paper, Eq. 1)

The search for a plan (planning/search, planning/improve) works on the graph, operator by operator, because
there are thousands of candidates; this prices the one that it chose, as it will be run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from headwater.algebra.stages.stage import Kept, Stage
from headwater.model import RefreshPolicy
from headwater.planning.cost.costs import (
    HOUR,
    Load,
    carried_between,
    network_dollars,
    vertex_cost,
    window,
)
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.predictor import Done, Parts, Predictor
from headwater.planning.cost.price import late_penalty
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, part_of
from headwater.planning.relations.relations import Sharing
from headwater.planning.stages.actions import Action, Level, Mode, actions
from headwater.planning.stages.expected import ExpectedSizes, ExpectedWork, Flow, StageRelations, flows

__all__ = ["PlannedAction", "PlannedStage", "PushPlan", "Staged", "ViewPush", "push_plan"]

LONGEST = timedelta(days=7).total_seconds()
SHORTEST = 1e-3

Levels = Sequence[Level[tuple[Kept, Stage]]]


@dataclass(frozen=True, slots=True)
class Staged:
    """A compiled graph: the stages that views need, where they lie, and which relations they hold."""

    levels: Callable[[Iterable[str]], Levels]  # the stages that some views need
    relations: StageRelations
    sites: Mapping[str, str]  # of stages
    sparks: Mapping[str, str]  # the address of each stage's Spark
    serves: Callable[[str], frozenset[str]]  # the views that need a stage
    policy_of: Callable[[str], RefreshPolicy]


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """A stage in an action: what it reads, what it will do, and for whom."""

    name: str
    site: str
    mode: Mode
    reads: tuple[str, ...]
    serves: tuple[str, ...]
    effort: Effort
    seconds: float  # that it adds to the action
    busy: float  # seconds per second, with its part of the action's own; as usual, so that plans compare


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """One run of Spark, or one copy. Actions of one step run side by side."""

    step: int
    spark: str
    stages: tuple[PlannedStage, ...]
    seconds: float
    every: float  # seconds of changes between two pushes
    dollars: float  # per hour, of CPU

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(stage.name for stage in self.stages)

    def part_of(self, stage: PlannedStage) -> float:
        """A stage's part of the seconds; the action's own are shared evenly."""
        own = self.seconds - sum(each.seconds for each in self.stages)
        return stage.seconds + own / len(self.stages)


@dataclass(frozen=True, slots=True)
class ViewPush:
    """A view's own push: everything that it needs, and nothing else."""

    actions: tuple[PlannedAction, ...]  # carrying as much as the promise allows
    seconds: float
    carries: float  # seconds of changes in a usual push
    smallest: timedelta | None = None  # the least freshness that could be kept; None: none, or not asked for


@dataclass(frozen=True, slots=True)
class PushPlan:
    actions: tuple[PlannedAction, ...]  # of a usual push of all views
    views: Mapping[str, ViewPush]
    dollars: Mapping[str, float]  # per hour, what each view pays
    loads: Mapping[str, Load]  # of sites

    @property
    def seconds(self) -> float:
        """How long a push of all views takes."""
        return _seconds(self.actions)


def push_plan(
    graph: PlanGraph,
    sharings: Sequence[Sharing],
    staged: Staged,
    situation: Situation,
    predictor: Predictor,
    smallest: bool = False,
) -> PushPlan:
    """The plan of keeping some views, when the graph is run as these stages.

    `smallest`: also find the least freshness of each view, which takes a search.
    """
    planner = _Planner(staged, situation, predictor, [sharing.view for sharing in sharings])
    views = {sharing.view: planner.view_push(sharing, smallest) for sharing in sharings}
    carries = {view: push.carries for view, push in views.items()}
    joint = planner.actions([sharing.view for sharing in sharings], planner.periods(carries))
    loads, cpu = planner.cpu(joint)
    storage, stored = _storage(graph, situation, frozenset(views))
    dollars = {}
    for sharing in sharings:
        view, freshness = sharing.view, sharing.freshness.total_seconds()
        parts = cpu.get(view, 0.0) + storage.get(view, 0.0)
        part = part_of(graph, view)
        late = late_penalty(part, sharing, situation, carries[view]) if sharing.penalty else 0.0
        dollars[view] = (parts * (1.0 + views[view].seconds / freshness) + late) * HOUR
    sites = dict.fromkeys((*loads, *stored))
    return PushPlan(
        joint, views, dollars, {site: Load(loads.get(site, 0.0), stored.get(site, 0.0)) for site in sites}
    )


def _seconds(actions: Sequence[PlannedAction]) -> float:
    return _total((action.step, _lane(action), action.seconds) for action in actions)


def _lane(action: PlannedAction) -> str:
    return action.spark if action.stages[0].mode is not Mode.COPY else action.names[0]


def _total(timed: Iterable[tuple[int, str, float]]) -> float:
    """Steps one after the other, the lanes of a step side by side: one for each Spark and each copy."""
    lanes: defaultdict[tuple[int, str], float] = defaultdict(float)
    for step, lane, seconds in timed:
        lanes[step, lane] += seconds
    steps: defaultdict[int, float] = defaultdict(float)
    for (step, _), seconds in lanes.items():
        steps[step] = max(steps[step], seconds)
    return sum(steps.values())


def _done(action: Action[ExpectedWork]) -> dict[str, Done]:
    return {work.name: Done(work.mode, work.effort) for work in action.works}


class _Planner:
    def __init__(
        self, staged: Staged, situation: Situation, predictor: Predictor, views: Sequence[str]
    ) -> None:
        self.staged, self.situation, self.predictor = staged, situation, predictor
        self.stages = [stage for level in staged.levels(views) for _, stage in level]
        self.flows: Mapping[str, Flow] = flows(staged.levels(views), staged.relations, situation)
        wanted = set(views)
        self.serves = {stage.name: tuple(sorted(staged.serves(stage.name) & wanted)) for stage in self.stages}

    def view_push(self, sharing: Sharing, smallest: bool) -> ViewPush:
        levels = self.staged.levels([sharing.view])
        names = [stage.name for level in levels for _, stage in level]

        @cache
        def path(seconds: float) -> float:
            return _total(self._timed(levels, dict.fromkeys(names, seconds)))

        most = window(sharing.freshness)
        fullest = self._actions(levels, dict.fromkeys(names, most))
        longest = _seconds(fullest)
        carries = carried_between(path(0.0), longest, most)
        return ViewPush(fullest, longest, carries, _smallest(path) if smallest else None)

    def _timed(self, levels: Levels, carries: Mapping[str, float]) -> Iterator[tuple[int, str, float]]:
        """The step, lane and seconds of each action of a push, and nothing else of it."""
        for number, step in enumerate(actions(levels, self._sizes(carries)), 1):
            for action in (action for lane in step.lanes for action in lane):
                first = action.works[0]
                parts = self.predictor.parts(_done(action))
                lane = action.spark if first.mode is not Mode.COPY else first.name
                yield number, lane, parts.action + sum(parts.stages.values())

    def _sizes(self, carries: Mapping[str, float]) -> ExpectedSizes:
        copies = self.staged.relations.copies
        return ExpectedSizes(self.flows, carries, copies, self.staged.sparks, self._recomputes)

    def periods(self, carries: Mapping[str, float]) -> dict[str, float]:
        """The seconds of changes that a usual push of each stage carries."""
        return {name: min(carries[view] for view in views) for name, views in self.serves.items()}

    def actions(self, views: Sequence[str], carries: Mapping[str, float]) -> tuple[PlannedAction, ...]:
        return self._actions(self.staged.levels(views), carries)

    def _actions(self, levels: Levels, carries: Mapping[str, float]) -> tuple[PlannedAction, ...]:
        return tuple(
            self._action(number, action, carries)
            for number, step in enumerate(actions(levels, self._sizes(carries)), 1)
            for lane in step.lanes
            for action in lane
        )

    def _recomputes(self, stage: Stage, by_delta: Effort, anew: Effort) -> bool:
        return self.predictor.recomputes(stage, by_delta, anew, self.staged.policy_of(stage.name))

    def _action(self, step: int, action: Action[ExpectedWork], carries: Mapping[str, float]) -> PlannedAction:
        works = _done(action)
        parts, usual = self.predictor.parts(works), self.predictor.parts(works, as_usual=True)
        every = min(carries[work.name] for work in action.works)
        often = sum(1.0 / max(carries[work.name], SHORTEST) for work in action.works)
        stages = tuple(
            PlannedStage(
                work.name,
                self.staged.sites[work.name],
                work.mode,
                work.reads,
                self.serves[work.name],
                work.effort,
                parts.stages[work.name],
                self._busy(usual, work.name, carries[work.name], every, often),
            )
            for work in action.works
        )
        seconds = parts.action + sum(parts.stages.values())
        dollars = sum(stage.busy * self._core_second(stage.site) for stage in stages)
        return PlannedAction(step, action.spark, stages, seconds, every, dollars * HOUR)

    def _busy(self, parts: Parts, stage: str, carries: float, every: float, often: float) -> float:
        """An action runs as often as its most impatient stage; each pays as often as it is pushed."""
        own = parts.stages[stage] / max(carries, SHORTEST)
        return own + parts.action / max(every, SHORTEST) / max(carries, SHORTEST) / often

    def _core_second(self, site: str) -> float:
        price = float(self.situation.sites[site].prices.core_hour) / HOUR
        return price * self.predictor.cpu_per_second

    def cpu(self, joint: Sequence[PlannedAction]) -> tuple[dict[str, float], dict[str, float]]:
        """Cores busy at each site, and dollars per second of each view."""
        cores: defaultdict[str, float] = defaultdict(float)
        dollars: defaultdict[str, float] = defaultdict(float)
        for action in joint:
            for stage in action.stages:
                cores[stage.site] += stage.busy * self.predictor.cpu_per_second
                for view in stage.serves:
                    dollars[view] += stage.busy * self._core_second(stage.site) / len(stage.serves)
        return dict(cores), dict(dollars)


def _storage(
    graph: PlanGraph, situation: Situation, wanted: frozenset[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Dollars per second of each view for what is stored and sent; gigabytes of each site."""
    dollars: defaultdict[str, float] = defaultdict(float)
    gigabytes: defaultdict[str, float] = defaultdict(float)

    def pay(views: frozenset[str], price: float) -> None:
        """What serves none of the wanted views serves a view that they read: all of them pay."""
        paying = views & wanted or wanted
        for view in paying:
            dollars[view] += price / len(paying)

    for vertex, views in graph.vertices.items():
        price, stored = vertex_cost(vertex, situation)
        gigabytes[vertex.site] += stored
        pay(views, price)
    for edge, views in graph.edges.items():
        pay(views, network_dollars(edge, situation))
    return dict(dollars), dict(gigabytes)


def _smallest(path: Callable[[float], float]) -> timedelta | None:
    """The least freshness F with CP(SLACK * F) <= F, rounded up to hundredths of a second.

    CP is nearly a straight line, so F is guessed from two of its points; where the guess is confirmed on
    both sides, the search is over.
    """
    empty = path(0.0)  # no push is shorter than one without changes

    def needed(seconds: float) -> float:
        return path(window(timedelta(seconds=seconds)))

    def kept(seconds: float) -> bool:
        return seconds >= empty and needed(seconds) <= seconds

    high = max(empty, 0.01)
    while not kept(high):
        high *= 2
        if high > LONGEST:
            return None
    low = high / 2 if high > empty else 0.0
    slope = (needed(high) - needed(low)) / (high - low)
    guess = high if slope >= 1.0 else (needed(high) - slope * high) / (1.0 - slope)
    below, above = _narrowed(low, high, lambda seconds: seconds >= guess)
    if kept(below) or not kept(above):
        _, above = _narrowed(low, high, kept)
    return timedelta(seconds=math.ceil(above * 100) / 100)


def _narrowed(low: float, high: float, enough: Callable[[float], bool]) -> tuple[float, float]:
    """Two values at most 0.005 apart, the higher of them enough, found by halving."""
    while high - low > 0.005:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low, high

"""What the stages of a plan are expected to do in a push, from rates and sizes, before anything has run.

A join scans, for the changes of each input, the rows of the others that cannot be skipped.  An aggregate
scans its own groups.  Any other tail scans everything that it is computed from.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.algebra.plans.nodes import Aggregate
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.algebra.stages.states import is_mergeable
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.stage_seconds import shape_of
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.relations.relations import Relation, Sharing
from headwater.planning.stages.actions import Level, Mode

__all__ = ["ExpectedSizes", "ExpectedWork", "Flow", "StageRelations", "flows"]


@dataclass(frozen=True, slots=True)
class StageRelations:
    """The relations that stages hold: shared ones, the views themselves, and replicas of either."""

    shared: Mapping[str, Relation]
    sharings: Mapping[str, Sharing]
    copies: Mapping[str, str]
    facts: Mapping[str, Facts] = field(default_factory=dict)  # of shared stages that hold no join

    def original(self, name: str) -> str:
        return self.copies.get(name, name)

    def of(self, name: str) -> Relation | None:
        """The join at the bottom of a stage, if the planner knows one."""
        name = self.original(name)
        if name in self.shared:
            return self.shared[name]
        sharing = self.sharings.get(name)
        return None if sharing is None or sharing.also else sharing.core


@dataclass(frozen=True, slots=True)
class Flow:
    """What flows through a relation: its changes per second, its rows, what it reads, what a push scans.

    A delta holds the net change.  Ten customers that change a thousand times, each with ten thousand orders,
    do not make ten million changes of the orders with their customers: every row that is there goes at most
    once and comes back at most once, and only what is read anew can add others.
    """

    result: float  # changes per second, each counted by itself
    rows: float
    scanned: float = 0.0
    reads: tuple[Flow, ...] = ()  # none: a source

    def made(self, seconds: float) -> float:
        """The changes of a push that carries so many seconds of them."""
        if not self.reads:
            return self.result * seconds
        return min(self.result * seconds, 2 * self.rows + self.read(seconds))

    def read(self, seconds: float) -> float:
        """The changes that such a push reads."""
        return sum(flow.made(seconds) for flow in self.reads)

    def recompute(self, changed: int) -> Effort:
        """The effort of recomputing the stage."""
        inputs = sum(flow.rows for flow in self.reads)
        return Effort(0, round(inputs + self.rows), max(round(self.rows), changed))

    def effort(self, seconds: float) -> Effort:
        """The effort of a push that carries so many seconds of changes."""
        return Effort(round(self.read(seconds)), round(self.scanned), round(self.made(seconds)))


def flows(
    levels: Sequence[Level[tuple[Kept, Stage]]], relations: StageRelations, situation: Situation
) -> dict[str, Flow]:
    """The flow of each stage."""
    stages = [stage for level in levels for _, stage in level]
    read = (name for stage in stages for name in stage.reads if name in situation.facts)
    relation_flows = {
        name: Flow(situation.facts[name].rate, situation.facts[name].rows) for name in dict.fromkeys(read)
    }
    for stage in stages:
        relation_flows[stage.name] = _flow(stage, relation_flows, relations, situation)
    return {stage.name: relation_flows[stage.name] for stage in stages}


def _flow(
    stage: Stage, read_flows: Mapping[str, Flow], relations: StageRelations, situation: Situation
) -> Flow:
    inputs = tuple(read_flows[name] for name in stage.reads if name != stage.name)
    if stage.name in relations.copies:
        changes, rows = sum(flow.result for flow in inputs), sum(flow.rows for flow in inputs)
        return Flow(changes, rows, reads=inputs)
    rows, result = _size(stage, inputs, relations, situation)
    scanned = _scanned(stage, read_flows, relations, situation)
    if stage.kind in (StageKind.LINEAR, StageKind.GROUPS):
        scanned += rows
    return Flow(result, rows, scanned, inputs)


def _size(
    stage: Stage, inputs: Sequence[Flow], relations: StageRelations, situation: Situation
) -> tuple[float, float]:
    """Rows, and changes per second."""
    if stage.name in situation.facts:
        facts = situation.facts[stage.name]
        return facts.rows, facts.rate
    if stage.name in relations.facts:
        return relations.facts[stage.name].rows, relations.facts[stage.name].rate
    if (relation := relations.of(stage.name)) is not None:
        size = situation.size(relation)
        return size.rows, size.rate
    return max((flow.rows for flow in inputs), default=0.0), sum(flow.result for flow in inputs)


def _scanned(
    stage: Stage, read_flows: Mapping[str, Flow], relations: StageRelations, situation: Situation
) -> float:
    reads = [name for name in stage.reads if name != stage.name]
    shape = shape_of(stage)
    if shape.lookups or (stage.kind is StageKind.GROUPS and not _merges(stage, relations)):
        return sum(read_flows[name].rows for name in reads)
    relation = relations.of(stage.name)
    if not shape.joins or relation is None:
        return 0.0
    parts = [(part, read_flows[name].rows) for name in reads for part in _parts(name, relation, relations)]
    return sum(
        situation.read_share(changed, beside, relation) * rows
        for changed, _ in parts
        for beside, rows in parts
        if beside is not changed
    )


def _merges(stage: Stage, relations: StageRelations) -> bool:
    """Whether new rows alone would do: most changes are new rows, but fragments come back changed."""
    states = stage.plan.aggregates if isinstance(stage.plan, Aggregate) else ()
    return all(map(is_mergeable, states)) and relations.facts.keys().isdisjoint(stage.reads)


def _parts(read: str, whole: Relation, relations: StageRelations) -> Iterator[Relation]:
    """The parts of a join that are read from a stored relation: a shared part, or some of the inputs."""
    name = relations.original(read)
    if name in relations.shared:
        yield relations.shared[name]
        return
    inputs = [input for input in whole.inputs if input.relation == name]
    if inputs:
        yield from (Relation((input,)) for input in inputs)
    elif (core := relations.of(name)) is not None:
        yield core  # a view that is the stored relation of its join


@dataclass(frozen=True, slots=True)
class ExpectedWork:
    """What a usual push has to do for a stage."""

    name: str
    mode: Mode
    spark: str
    effort: Effort
    reads: tuple[str, ...]
    likeness: Hashable = None


@dataclass(frozen=True, slots=True)
class ExpectedSizes:
    """A usual push: all stages were computed before, and all sources have changed."""

    flows: Mapping[str, Flow]
    carries: Mapping[str, float]  # seconds of changes in a usual push of each stage
    copies: Mapping[str, str]
    sparks: Mapping[str, str]  # the address of each stage's Spark
    recomputes: Callable[[Stage, Effort, Effort], bool]  # rather than pushing its delta

    def works(self, level: Level[tuple[Kept, Stage]], held: Mapping[str, int]) -> list[ExpectedWork]:
        return [self._work(stage) for _, stage in level]

    def hold(self, works: Sequence[ExpectedWork]) -> dict[str, int]:
        return {work.name: work.effort.result for work in works}

    def _work(self, stage: Stage) -> ExpectedWork:
        flow = self.flows[stage.name]
        effort, mode = flow.effort(self.carries[stage.name]), Mode.INCREMENTAL
        if stage.name in self.copies:
            mode = Mode.COPY
        elif stage.kind is StageKind.PROBES:
            mode = Mode.PROBE
        elif self.recomputes(stage, effort, anew := flow.recompute(effort.changed)):
            effort, mode = anew, Mode.FULL
        return ExpectedWork(stage.name, mode, self.sparks[stage.name], effort, stage.reads)

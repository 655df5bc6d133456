"""Let compiled views share partial aggregates: their trees become shared stages like any other.

    compiled                          woven
    v1  Aggregate over quotes         quotes~7a3b  Aggregate [fragment, symbol] over quotes
    v2  Aggregate over quotes         v1, v2       Aggregate over quotes~7a3b

What is planned, priced, placed, pushed, compacted, verified and billed after this does not know the
difference.  A stage's name holds a fingerprint of its plan, so the same tree finds what it stored before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from headwater.algebra.plans.nodes import Aggregate
from headwater.algebra.plans.walks import reads, scan_rows
from headwater.algebra.stages.stage import Kept, Stage
from headwater.algebra.weaving.shared_parts import stage_kind
from headwater.algebra.weaving.woven import parts_relation, woven
from headwater.errors import InternalError
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.relations.relations import Sharing
from headwater.planning.stages.compile import Compiled
from headwater.planning.weaving.candidates import Candidate, Types, candidates_of
from headwater.planning.weaving.costs import Rates, edge_rate
from headwater.planning.weaving.decide import Bucket, Known, Tree, WeaveSettings, decide
from headwater.planning.windows.workload import OPTIMIZER_NAMES, no_such_optimizer

__all__ = ["TreeChange", "Weaver", "Woven", "WovenTree", "stage_name", "tree_changes"]


@dataclass(frozen=True, slots=True)
class WovenTree:
    """A tree as it runs. Costs are the paper's operations per second."""

    stage: str
    site: str
    relation: str
    tree: Tree
    edge_rate: float  # fragments that end in a second
    cost_alone: float  # of its views, each a tree of its own
    cost: float
    facts: Facts  # of the stage

    @property
    def views(self) -> tuple[str, ...]:
        return self.tree.views


@dataclass(frozen=True, slots=True)
class Woven:
    """Compiled views over the trees that they share, and why the other aggregates share none."""

    compiled: Compiled
    trees: tuple[WovenTree, ...] = ()
    apart: Mapping[str, str] = field(default_factory=dict)

    @property
    def known(self) -> tuple[Known, ...]:
        """The trees, to be kept from now on."""
        return tuple(Known(tree.views, tree.tree.plan) for tree in self.trees)

    @property
    def site_costs(self) -> dict[str, float]:
        """The cost of each site that has trees: of these, added up."""
        costs: dict[str, float] = {}
        for tree in self.trees:
            costs[tree.site] = costs.get(tree.site, 0.0) + tree.cost
        return costs

    @property
    def facts(self) -> dict[str, Facts]:
        """How large the shared stages are and how fast they change."""
        return {tree.stage: tree.facts for tree in self.trees}


@dataclass(frozen=True, slots=True)
class TreeChange:
    """What becomes of a tree when views come: it goes on with more views, or its stage is computed anew."""

    stage: str
    views: tuple[str, ...]  # that join it; all, if it is new
    anew: bool


def tree_changes(before: Woven, after: Woven) -> tuple[TreeChange, ...]:
    """The trees that are not as they were."""
    known = {tree.stage: frozenset(tree.views) for tree in before.trees}
    changes = (
        TreeChange(
            tree.stage, tuple(view for view in tree.views if view not in joined), tree.stage not in known
        )
        for tree in after.trees
        for joined in (known.get(tree.stage, frozenset()),)
    )
    return tuple(change for change in changes if change.views)


@dataclass(frozen=True, slots=True)
class Weaver:
    """Weaves compiled views; the same views, facts and running trees give the same stages."""

    situation: Situation
    types: Types
    settings: WeaveSettings = WeaveSettings()
    known: Sequence[Known] = ()

    def __post_init__(self) -> None:
        if self.settings.optimizer not in (*OPTIMIZER_NAMES, "off"):
            raise no_such_optimizer(self.settings.optimizer)

    def weave(self, compiled: Compiled, sharings: Mapping[str, Sharing]) -> Woven:
        if self.settings.optimizer == "off":
            return Woven(compiled)
        candidates = candidates_of(compiled, sharings, self.types)
        rates = {
            (candidate.site, candidate.grouping.relation): self._rates(candidate, compiled)
            for candidate in candidates.woven
        }
        decided = decide(candidates.woven, rates, self.settings, self.known)
        apart = {**candidates.apart, **decided.apart}
        trees = tuple(_woven_tree(tree, rates) for tree in decided.trees)
        return Woven(_with_trees(compiled, trees), trees, apart)

    def _rates(self, candidate: Candidate, compiled: Compiled) -> Rates:
        relation = compiled.copies.get(candidate.grouping.relation, candidate.grouping.relation)
        facts = self.situation.facts.get(relation)
        if facts is None:
            stored = compiled.relations.get(relation)
            size = None if stored is None else self.situation.size(stored)
            facts = Facts(0.0, 0.0) if size is None else Facts(size.rows, size.rate)
        return Rates(facts, self.situation.operators, self.settings.always)


def stage_name(site: str, plan: Aggregate) -> str:
    """The name of a tree's stage: its relation, and a fingerprint of all that it holds."""
    fingerprint = hashlib.sha256(repr((site, plan)).encode()).hexdigest()[:8]
    return f"{parts_relation(plan)}~{fingerprint}"


def _woven_tree(tree: Tree, rates: Mapping[Bucket, Rates]) -> WovenTree:
    site, relation = tree.members[0].site, parts_relation(tree.plan)
    given = rates[site, relation]
    period = given.period(tree.needs)
    touched = given.touched(tree.plan, tree.edges, period)
    share = touched / given.facts.rate if given.facts.rate else 1.0
    return WovenTree(
        stage_name(site, tree.plan),
        site,
        relation,
        tree,
        edge_rate(tree.edges),
        sum(map(given.operations_alone, tree.members)),
        given.operations(tree.plan, tree.edges, tree.overlap),
        Facts(max(1.0, given.facts.rows * share), 2.0 * touched),
    )


def _with_trees(compiled: Compiled, trees: Sequence[WovenTree]) -> Compiled:
    kept, shared, sites = dict(compiled.kept), dict(compiled.shared), dict(compiled.sites)
    for tree in trees:
        plan = tree.tree.plan
        stage = Stage(tree.stage, stage_kind(plan), plan.columns, plan, reads(plan))
        finish = scan_rows(tree.stage, plan.columns)
        empty = ("",) * len(plan.columns)
        shared[tree.stage] = Kept(tree.stage, (stage,), finish, plan.columns, empty, stage.reads)
        sites[tree.stage] = tree.site
        for member in tree.tree.members:
            kept[member.view] = _over(kept[member.view], member, stage)
    return replace(compiled, kept=kept, shared=shared, sites=sites)


def _over(kept: Kept, member: Candidate, parts: Stage) -> Kept:
    """A view over the stage of its tree: the same columns, merged from parts."""
    (stage,) = kept.stages
    plan = woven(member.grouping, parts.name, parts.plan)  # type: ignore[arg-type]
    if plan is None or plan.columns != stage.columns:
        raise InternalError("HW948", f'the stage "{parts.name}" does not hold what "{member.view}" needs')
    return replace(kept, stages=(replace(stage, plan=plan, reads=reads(plan)),))

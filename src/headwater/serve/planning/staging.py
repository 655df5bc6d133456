"""From a graph to what runs: views over the stages that they share, and what those stages hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from headwater.catalog import Catalog, share
from headwater.planning.graph.graph import PlanGraph
from headwater.planning.relations.relations import Sharing
from headwater.planning.relations.sharings import block_of
from headwater.planning.stages.compile import compile_plan
from headwater.planning.stages.expected import StageRelations
from headwater.planning.stages.push_plan import Staged
from headwater.planning.weaving.decide import Known, WeaveSettings
from headwater.planning.weaving.weave import Weaver, Woven
from headwater.planning.windows.best.best_placement import Objective
from headwater.serve.planning.situation import Survey

__all__ = ["Staging", "staging", "staging_of", "weaver_of"]


@dataclass(frozen=True, slots=True)
class Staging:
    """The catalog that a run would keep, and its stages as the planner sees them."""

    catalog: Catalog
    staged: Staged
    woven: Woven


def staging(
    catalog: Catalog,
    graph: PlanGraph,
    sharings: Mapping[str, Sharing],
    homes: Mapping[str, str],
    weaver: Weaver | None = None,
) -> Staging:
    """Let the views of a catalog (one that shares nothing yet) share what the graph says, and weave them."""
    types = catalog.types()
    blocks = {
        name: block
        for name in graph.views
        if name in catalog.kept and (block := block_of(catalog.kept[name], types)) is not None
    }
    compiled = compile_plan(graph, sharings, blocks, catalog.kept, homes)
    woven = Woven(compiled) if weaver is None else weaver.weave(compiled, sharings)
    shared = share(catalog, woven.compiled)
    relations = StageRelations(compiled.relations, sharings, compiled.copies, woven.facts)
    return Staging(shared, _staged(shared, relations), woven)


def weaver_of(catalog: Catalog, given: Survey, known: Sequence[Known] = ()) -> Weaver:
    """Weaves a project's views as its settings say; `known` are the trees that run."""
    weaving = catalog.project.weaving
    settings = WeaveSettings(weaving.optimizer, Objective(weaving.objective), weaving.always)
    return Weaver(given.situation, catalog.types(), settings, known)


def staging_of(
    catalog: Catalog,
    views: Collection[str],
    graph: PlanGraph,
    sharings: Mapping[str, Sharing],
    homes: Mapping[str, str],
    weaver: Weaver | None = None,
) -> Staging:
    """The same for some of the views, as if there were no others."""
    # A thousand views are planned alone, one after the other: then the others are not looked at.
    names = views if len(views) == 1 else [name for name in catalog.kept if name in views]
    kept = {name: catalog.kept[name] for name in names}
    return staging(catalog.changed(kept=kept), graph, sharings, homes, weaver)


def _staged(catalog: Catalog, relations: StageRelations) -> Staged:
    names = [stage.name for _, stage in catalog.stages()]
    return Staged(
        catalog.levels,
        relations,
        {name: catalog.site_of(name) for name in names},
        {name: catalog.spark_of(name) for name in names},
        catalog.serves,
        catalog.policy_of,
    )

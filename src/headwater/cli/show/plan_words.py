"""What views share, in a few words, for people; `--json` has it in full."""

from __future__ import annotations

from collections.abc import Collection

from headwater.algebra.stages.choosing import table_of
from headwater.cli.show.trees import tree_words
from headwater.planning.graph.graph import Vertex
from headwater.planning.improve.plumbing import Step
from headwater.planning.relations.relations import Relation
from headwater.planning.stages.actions import Mode
from headwater.planning.stages.push_plan import PlannedStage
from headwater.serve.planning.planned import Planned
from headwater.units import counted

__all__ = ["shared_words", "step_words"]


def shared_words(planned: Planned) -> list[str]:
    """A line for each stage that serves several views, the most wanted first."""
    views = {view.view.name for view in planned.views}
    trees = {tree.stage: tree for tree in planned.woven.trees}
    stages = [stage for action in planned.keeps.actions for stage in action.stages if len(stage.serves) > 1]
    stages.sort(key=lambda stage: -len(stage.serves))
    return list(
        dict.fromkeys(
            tree_words(trees[stage.name]) if stage.name in trees else _shared(stage, views)
            for stage in stages
        )
    )


def _shared(stage: PlannedStage, views: Collection[str]) -> str:
    if stage.name in views:
        readers = [view for view in stage.serves if view != stage.name]
        return f"{stage.name}, which {_and(readers)} read{'s' if len(readers) == 1 else ''}"
    if stage.mode is Mode.COPY:
        return f"a copy of {_and(stage.reads)} at site {stage.site}, for {_and(stage.serves)}"
    if (table := table_of(stage.name)) != stage.name:
        return f"what is shown of {table}, chosen once for {_and(stage.serves)}"
    inputs = stage.name.split("~")[0].split("+")
    made = "filtered" if len(inputs) == 1 else "joined"
    return f"{_and(inputs)}, {made} once for {_and(stage.serves)}"


def _and(names: Collection[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _relation(relation: Relation) -> str:
    """`order_items ⋈ orders[…]`, where `[…]` stands for filters; or a view's name."""
    return relation.view or " ⋈ ".join(
        f"{input.name}[…]" if input.filters else input.name for input in relation.inputs
    )


def _vertex(vertex: Vertex) -> str:
    return f"{'Δ ' if vertex.delta else ''}{_relation(vertex.relation)}"


def step_words(step: Step, views: Collection[str]) -> str:
    """What a step changed for some views, and what is no longer needed."""
    more = step.edges_removed < 0
    gone = f"{counted(abs(step.edges_removed), 'operator')} {'more' if more else 'less'}"
    whom = f" for {', '.join(sorted(views))}" if views else ""
    halves = [_relation(source.driven) for source in step.sources if source.driven is not None]
    match step.kind:
        case "union" if len(halves) == len(step.sources):
            return f"{_vertex(step.target)} made of {' and '.join(halves)}{whom}; {gone}"
        case "copy" | "filter" | "join" | "union":
            taken = " and ".join(_vertex(source) for source in step.sources)
            return f"{_vertex(step.target)} by {step.kind} from {taken}{whom}; {gone}"
        case _:
            return f"{step.text}; {gone}"

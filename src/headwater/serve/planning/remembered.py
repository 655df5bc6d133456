"""The plan that runs keep to, in warehouse/plan.txt, and what it costs now.

Statistics change all the time, and a run that planned differently from the one before would have to recompute
shared stages, and views from them.  So a plan is remembered.  Views that are gone, or are declared
differently, leave it; new ones join it at the least cost; nothing else moves.

The file is the plan's text (planning/graph/text.py) below a comment for each view: its name, and what its
place in the plan depends on; and a line for each tree of woven views, with the plan of its stage.  If it
cannot be read, that is logged and the views are planned anew: a plan saves work, and no run may fail for want
of it.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headwater.algebra.plans.nodes import Aggregate, Plan
from headwater.algebra.text.show import parse, show
from headwater.catalog import Catalog
from headwater.errors import HeadwaterError
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.graph import PlanGraph, without_views
from headwater.planning.graph.text import parse_graph, show_graph
from headwater.planning.improve.adding import add_view
from headwater.planning.improve.global_plan import GlobalPlan, restored
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.admission import eased_promise
from headwater.planning.weaving.decide import Known
from headwater.storage.warehouse import Warehouse

__all__ = ["Remembered", "continued", "remember", "remembered"]

TREE = "#= "
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    identities: Mapping[str, str]  # of its views
    graph: PlanGraph
    trees: tuple[Known, ...] = ()  # of woven views


def continued(
    last: Remembered, catalog: Catalog, sharings: Mapping[str, Sharing], situation: Situation
) -> GlobalPlan:
    """The remembered plan with the views that are there now."""
    now = _identities(catalog)
    gone = {name for name in last.graph.views if now.get(name) != last.identities.get(name)}
    graph = without_views(last.graph, *gone)
    there = {name: sharing for name, sharing in sharings.items() if name in graph.views}
    plan = restored(graph, there, situation)
    for name, sharing in sharings.items():
        if name not in graph.views:
            more = add_view(plan, sharing, situation)
            if (eased := eased_promise(sharing, more.admission)) != sharing:
                more = add_view(plan, eased, situation)
            plan = more.plan
    return plan


def _identities(catalog: Catalog) -> dict[str, str]:
    """What a view's place in a plan depends on: its definition, and where it and its sources lie."""
    return {
        name: " ".join((catalog.versions[name], catalog.site_of(name), *map(catalog.site_of, kept.reads)))
        for name, kept in catalog.kept.items()
    }


def _path(warehouse: Warehouse) -> str:
    return os.path.join(warehouse.root, "plan.txt")


def remember(warehouse: Warehouse, catalog: Catalog, graph: PlanGraph, trees: Iterable[Known] = ()) -> None:
    """Keep to this plan from now on."""
    os.makedirs(warehouse.root, exist_ok=True)
    draft = f"{_path(warehouse)}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8") as file:
        file.writelines(
            f"# {name} {identity}\n" for name, identity in _identities(catalog).items() if name in graph.views
        )
        file.writelines(f"{TREE}{text}\n" for tree in trees if (text := _tree_text(tree)))
        file.write(show_graph(graph))
    os.replace(draft, _path(warehouse))


def remembered(warehouse: Warehouse) -> Remembered | None:
    """The plan that the last run kept to; None if there was none."""
    path = _path(warehouse)
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        identities = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# "))
        trees = tuple(_tree(line.removeprefix(TREE)) for line in lines if line.startswith(TREE))
        graph = parse_graph("\n".join(line for line in lines if not line.startswith(("# ", TREE))))
    except FileNotFoundError:
        return None
    except (HeadwaterError, ValueError, LookupError):
        logger.warning("the plan in %s cannot be read: the views are planned anew", path, exc_info=True)
        return None
    return Remembered(identities, graph, trees)


def _tree_text(tree: Known) -> str:
    """A tree on one line; nothing if its text would say something else: then it is woven anew."""
    text = show(tree.plan, types=True)
    return json.dumps({"views": tree.views, "plan": text}) if _reads_back(text, tree.plan) else ""


def _reads_back(text: str, plan: Plan) -> bool:
    try:
        same = repr(parse(text)) == repr(plan)
    except HeadwaterError:
        same = False
    if not same:
        logger.warning("a tree of woven views cannot be remembered: %s", text)
    return same


def _tree(line: str) -> Known:
    fields = json.loads(line)
    plan = parse(fields["plan"])
    if not isinstance(plan, Aggregate):
        raise ValueError(f"the stage of a tree is an aggregate, not {fields['plan']}")
    return Known(tuple(fields["views"]), plan)

"""Every plan that the search could find, one by one: the yardstick for small cases.

All left-deep connected join sequences, all sites of every intermediate result, and all sites at which a
step may join: factorially many.  Nothing is shared with the search but how graphs are built and priced, so
that the two can be compared.  A delta is not copied back to where it came from.

    3 inputs on 3 sites   up to 102 plans
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from headwater.planning.cost.costs import Load
from headwater.planning.cost.price import dollars
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.build import JoinStep, build
from headwater.planning.relations.parts import is_connected
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.search import PricedPlan, check_sites

__all__ = ["all_plans", "all_sequences"]


def all_plans(
    sharing: Sharing, situation: Situation, taken: Mapping[str, Load] | None = None
) -> Iterator[PricedPlan]:
    """Every plan with its price."""
    check_sites(sharing, situation)
    for steps in all_sequences(sharing, situation):
        graph = build(sharing, steps, situation)
        yield PricedPlan(graph, dollars(graph, sharing, situation, taken))


def all_sequences(sharing: Sharing, situation: Situation) -> Iterator[tuple[JoinStep, ...]]:
    """The decisions of every plan."""
    for first, input in enumerate(sharing.core.inputs):
        yield from _continued(sharing, situation, (JoinStep(first, "", situation.home(input)),))


def _continued(
    sharing: Sharing, situation: Situation, steps: tuple[JoinStep, ...]
) -> Iterator[tuple[JoinStep, ...]]:
    inputs = sharing.core.inputs
    if len(steps) == len(inputs):
        yield steps
        return
    last = len(steps) + 1 == len(inputs)
    source = steps[-1].result
    for at in _next(sharing, [step.input for step in steps]):
        for result in (sharing.site,) if last else tuple(situation.sites):
            others = situation.sites if last else ()
            for site in dict.fromkeys((situation.home(inputs[at]), source, result, *others)):
                if not steps[-1].at == site != source:
                    yield from _continued(sharing, situation, (*steps, JoinStep(at, site, result)))


def _next(sharing: Sharing, done: list[int]) -> list[int]:
    """Inputs that a condition connects with those that are joined already; if there are none, all others."""
    names = [input.name for input in sharing.core.inputs]
    left = [at for at in range(len(names)) if at not in done]
    linked = [
        at
        for at in left
        if any(is_connected(sharing.core, frozenset((names[at], names[other]))) for other in done)
    ]
    return linked or left

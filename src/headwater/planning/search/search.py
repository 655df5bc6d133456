"""The search for a plan: which inputs to join in which order, and at which site.

The paper's JoinCost is a dynamic program over <R, m>: the best plan for the join R of some inputs at site m
is the best plan for R without an input a at some site, extended by a join with a (extensions.py).  Join
sequences are left-deep and connected; a cross product is taken only when nothing else is left.

    users * tweets * urls for a view at m3, users at m1, tweets at m2, urls at m2

    1 input   <users, m1>  <tweets, m2>  <urls, m2>
    2 inputs  <users*tweets, m1..m3>  <tweets*urls, m1..m3>          (users*urls would be a cross product)
    3 inputs  <users*tweets*urls, m3>  from each of the six

Here a state keeps not one plan but those that none other beats in both dollars and time, the fastest and the
cheapest always among them, thinned to WIDTH.  So one run gives

    DPT   the plan with the shortest critical path (exact: time is a max-plus recursion over the states)
    DPD   the plan that is cheapest by Eq. (1)
    and the plans between, which admission needs when the cheapest plan is too slow

Where it is not exact: Eq. (1) multiplies the (additive) resource dollars by 1 + CP / s, so a plan that is
neither cheapest nor fastest may win; the search finds it unless thinning lost it.  Times in the search are
those of a push that carries SLACK * freshness seconds of changes, dollars too; the plans of the last state
are then priced exactly.  Limited capacities are checked along the way, but a plan dropped for its dollars
is gone even if it used another site, as in the paper's program; so if nothing fits, a second run prices
sites by how little is left of them and looks for what fits best.  It too may miss a plan that fits.

Cost: subsets * inputs * sites^2 * 3 * WIDTH; six relations and six sites take well below 2 s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum

from headwater.errors import InputError, did_you_mean
from headwater.model import Prices
from headwater.planning.cost.costs import HOUR, MONTH, Load, Path
from headwater.planning.cost.price import Price, dollars
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.build import JoinStep, build
from headwater.planning.graph.graph import PlanGraph
from headwater.planning.relations.relations import Sharing
from headwater.planning.search.states import States, steps_of

__all__ = [
    "WIDTH",
    "Aim",
    "PricedPlan",
    "check_sites",
    "dollars_then_time",
    "frontier",
    "search",
    "time_then_dollars",
]

WIDTH = 12


class Aim(Enum):
    DOLLARS = "DPD"
    TIME = "DPT"


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """A plan of one view, priced as if it were alone."""

    graph: PlanGraph
    price: Price

    @property
    def dollars(self) -> float:
        """Per hour; infinite if a site lacks the capacity."""
        return self.price.per_hour

    @property
    def critical_path(self) -> Path:
        return self.price.path


def time_then_dollars(plan: PricedPlan) -> tuple[float, float]:
    return plan.critical_path.seconds, plan.price.per_second


def dollars_then_time(plan: PricedPlan) -> tuple[float, float]:
    return plan.price.per_second, plan.critical_path.seconds


def search(
    sharing: Sharing,
    situation: Situation,
    by: Aim = Aim.DOLLARS,
    taken: Mapping[str, Load] | None = None,
) -> PricedPlan:
    """The cheapest or the fastest plan. If no site has room, its price is infinite and says why."""
    if by is Aim.TIME:
        return min(frontier(sharing, situation, taken, 1), key=time_then_dollars)
    return min(frontier(sharing, situation, taken), key=dollars_then_time)


def frontier(
    sharing: Sharing, situation: Situation, taken: Mapping[str, Load] | None = None, width: int = WIDTH
) -> tuple[PricedPlan, ...]:
    """The plans worth having, from cheap to fast. Width 1 gives the fastest alone."""
    check_sites(sharing, situation)
    if len(sharing.core.inputs) == 1:
        return (_priced(sharing, situation, (JoinStep(0),), taken),)
    names = tuple(situation.sites)

    def run(searched: Situation, used: Mapping[str, Load]) -> tuple[PricedPlan, ...]:
        labels = States(sharing, searched, used, width).run()
        return tuple(_priced(sharing, situation, steps_of(label, names), taken) for label in labels)

    plans = run(situation, taken or {})
    if all(plan.price.lacking for plan in plans):
        plans += run(_scarce(situation, taken or {}), taken or {})
    if not plans:  # plan as if there were room, so that the price can say what is lacking
        plans = run(_unlimited(situation), {})
    return plans


def _scarce(situation: Situation, taken: Mapping[str, Load]) -> Situation:
    """Sites priced by the share of what is left that is used: cheapest then means what fits best."""
    sites = {}
    for name, site in situation.sites.items():
        used = taken.get(name, Load())
        core, gb = _per_unit(site.cores, used.cores), _per_unit(site.gb, used.gb)
        sites[name] = replace(site, prices=Prices(Decimal(core * HOUR), Decimal(0), Decimal(gb * MONTH)))
    return replace(situation, sites=sites)


def _per_unit(limit: float | None, used: float) -> float:
    return 0.0 if limit is None else 1.0 / max(limit - used, 1e-9)


def _unlimited(situation: Situation) -> Situation:
    sites = {name: replace(site, cores=None, gb=None) for name, site in situation.sites.items()}
    return replace(situation, sites=sites)


def check_sites(sharing: Sharing, situation: Situation) -> None:
    """The sites of the view and of all that it reads must exist."""
    for name in (sharing.site, *map(situation.home, sharing.core.inputs)):
        if name not in situation.sites:
            hint = did_you_mean(name, situation.sites)
            raise InputError(
                "HW123", f'view {sharing.view} needs site "{name}", which does not exist', hint=hint
            )


def _priced(
    sharing: Sharing, situation: Situation, steps: Sequence[JoinStep], taken: Mapping[str, Load] | None
) -> PricedPlan:
    graph = build(sharing, steps, situation)
    return PricedPlan(graph, dollars(graph, sharing, situation, taken))

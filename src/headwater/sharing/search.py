"""The search for a plan: which inputs to join in which order, at which site, copied or in place.

The paper's JoinCost is a dynamic program over <R, m>: the best way to have the join R of some inputs at site
m is the best way to have R without an input a at some site, and then one of four cases (see steps.py).  Join
sequences are left-deep and connected; a cross product is taken only when nothing else is left.

    users * tweets * urls for a view at m3, users at m1, tweets at m2, urls at m2

    1 input   <users, m1>  <tweets, m2>  <urls, m2>
    2 inputs  <users*tweets, m1..m3>  <tweets*urls, m1..m3>          (users*urls would be a cross product)
    3 inputs  <users*tweets*urls, m3>  from each of the six

Here a state keeps not one plan but those that none other beats in both dollars and time, the fastest and the
cheapest always among them, thinned to WIDTH.  So one run gives

    DPT   the plan with the shortest critical path (exact: time is a max-plus recursion over the states)
    DPD   the plan that is cheapest by Eq. (1)
    and what lies between, which admission needs when the cheapest plan is too slow

Where it is not exact: Eq. (1) multiplies the (additive) resource dollars by 1 + CP / s, so a plan that is
neither cheapest nor fastest may win; it is found unless thinning lost it.  Times in the search are those of
a push that carries SLACK * freshness seconds of changes, dollars too; the plans of the last state are then
priced exactly.  Limited capacities are checked along the way, but a plan dropped for its dollars is gone even
if it used another site, as in the paper's program; so if nothing fits, a second run prices sites by how
little is left of them and looks for what fits best.  It too may miss a plan that fits.

Cost: subsets * inputs * sites^2 * 4 * WIDTH; six relations and six sites take well below 2 s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum

from headwater.errors import InputError, did_you_mean
from headwater.model import Prices
from headwater.sharing.build import Move, build
from headwater.sharing.costs import HOUR, MONTH, Load, Path
from headwater.sharing.graph import PlanGraph
from headwater.sharing.price import Price, dollars
from headwater.sharing.relations import Sharing
from headwater.sharing.situation import Situation
from headwater.sharing.states import States, moves_of

__all__ = ["WIDTH", "Aim", "Planned", "check", "frontier", "search"]

WIDTH = 12


class Aim(Enum):
    DOLLARS = "DPD"
    TIME = "DPT"


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan for one view, priced as if it were alone."""

    graph: PlanGraph
    price: Price

    @property
    def dollars(self) -> float:
        """Per hour; infinite if a site lacks the capacity."""
        return self.price.per_hour

    @property
    def critical_path(self) -> Path:
        return self.price.path


def search(
    sharing: Sharing,
    situation: Situation,
    by: Aim = Aim.DOLLARS,
    taken: Mapping[str, Load] | None = None,
) -> Planned:
    """The cheapest or the fastest plan. If no site has room its price is infinite and says what lacks."""
    found = frontier(sharing, situation, taken, 1 if by is Aim.TIME else WIDTH)
    if by is Aim.TIME:
        return min(found, key=lambda one: (one.critical_path.seconds, one.price.per_second))
    return min(found, key=lambda one: (one.price.per_second, one.critical_path.seconds))


def frontier(
    sharing: Sharing, situation: Situation, taken: Mapping[str, Load] | None = None, width: int = WIDTH
) -> tuple[Planned, ...]:
    """The plans worth having, from cheap to fast. Width 1 gives the fastest alone."""
    check(sharing, situation)
    if len(sharing.core.inputs) == 1:
        return (_priced(sharing, situation, (Move(0),), taken),)
    names = tuple(situation.sites)

    def run(judged: Situation, used: Mapping[str, Load]) -> tuple[Planned, ...]:
        labels = States(sharing, judged, used, width).run()
        return tuple(_priced(sharing, situation, moves_of(label, names), taken) for label in labels)

    found = run(situation, taken or {})
    if all(one.price.lacking for one in found):
        found += run(_scarce(situation, taken or {}), taken or {})
    if not found:  # plan as if there were room, so that the price can say what lacks
        found = run(_roomy(situation), {})
    return found


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


def _roomy(situation: Situation) -> Situation:
    sites = {name: replace(site, cores=None, gb=None) for name, site in situation.sites.items()}
    return replace(situation, sites=sites)


def check(sharing: Sharing, situation: Situation) -> None:
    """Every site that the plan could use must be known."""
    for name in (sharing.site, *(situation.home(one) for one in sharing.core.inputs)):
        if name not in situation.sites:
            hint = did_you_mean(name, situation.sites)
            raise InputError(
                "HW302", f'view {sharing.view} needs site "{name}", which is not there', hint=hint
            )


def _priced(
    sharing: Sharing, situation: Situation, moves: Sequence[Move], taken: Mapping[str, Load] | None
) -> Planned:
    graph = build(sharing, moves, situation)
    return Planned(graph, dollars(graph, sharing, situation, taken))

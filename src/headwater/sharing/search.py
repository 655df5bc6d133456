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
if it used another site: then a feasible plan may be missed (the paper's program does the same).

Cost: subsets * inputs * sites^2 * 4 * WIDTH; six relations and six sites take well below 2 s.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import inf
from operator import add, gt
from typing import NamedTuple

from headwater.errors import InputError, did_you_mean
from headwater.model import Site
from headwater.sharing.build import Move, build
from headwater.sharing.costs import Load, Path, window
from headwater.sharing.graph import PlanGraph
from headwater.sharing.price import Price, dollars
from headwater.sharing.relations import Relation, Sharing
from headwater.sharing.situation import Situation
from headwater.sharing.steps import Lies, Pair, Step, Surroundings, lies_as_base, lies_as_made

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


class Label(NamedTuple):
    """A way to a state: what it costs, when its delta is there, and how it came about."""

    dollars: float
    time: float
    use: tuple[float, ...]
    before: Label | None
    input: int
    step: Step | None
    site: int

    @property
    def arose(self) -> int:
        """The site from which the delta was copied to where it is now; else -1."""
        return -1 if self.step is None or self.step.at == self.site else self.step.at


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
    last = _Search(sharing, situation, taken or {}, width).run()
    if not last:  # no room: plan as if there were, so that the price can say what lacks
        roomy = {name: replace(site, cores=None, gb=None) for name, site in situation.sites.items()}
        last = _Search(sharing, replace(situation, sites=roomy), {}, width).run()
    names = tuple(situation.sites)
    return tuple(_priced(sharing, situation, _moves(label, names), taken) for label in last)


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


def _moves(label: Label, names: Sequence[str]) -> tuple[Move, ...]:
    """The decisions that led to a label, first things first."""
    step = label.step
    at = "" if step is None or step.at < 0 else names[step.at]
    move = Move(label.input, at, names[label.site])
    return (move,) if label.before is None else (*_moves(label.before, names), move)


class _Search:
    """One run. Sets of inputs are bit masks, sites are numbers."""

    def __init__(self, sharing: Sharing, situation: Situation, taken: Mapping[str, Load], width: int) -> None:
        self.sharing, self.situation, self.width = sharing, situation, width
        sites = situation.sites
        limited = any(one.cores is not None or one.gb is not None for one in sites.values())
        self.around = Surroundings(situation, tuple(sites), window(sharing.freshness), limited)
        self.room = tuple(_room(sites[name], taken.get(name, Load())) for name in sites) if limited else ()
        self.limits = tuple(limit for pair in self.room for limit in pair)
        inputs = sharing.core.inputs
        self.homes = [self.around.names.index(situation.home(one)) for one in inputs]
        self.ready = [situation.delays.get(one.relation, 0.0) for one in inputs]
        self.bases = [lies_as_base(one, situation) for one in inputs]
        self.beside = [self._beside(at) for at in range(len(inputs))]

    def _beside(self, at: int) -> int:
        """The inputs that a condition connects with one."""
        inputs = self.sharing.core.inputs
        pairs = (frozenset((inputs[at].name, other.name)) for other in inputs)
        return sum(1 << other for other, pair in enumerate(pairs) if self.sharing.connected(pair))

    def run(self) -> list[Label]:
        """The labels of the whole join at the view's site, cheapest first."""
        count, sites = len(self.homes), range(len(self.around.names))
        nothing = (0.0,) * len(self.limits)
        level: dict[int, dict[int, list[Label]]] = {
            1 << at: {self.homes[at]: [Label(0.0, self.ready[at], nothing, None, at, None, self.homes[at])]}
            for at in range(count)
        }
        goal = self.around.names.index(self.sharing.site)
        for size in range(2, count + 1):
            wanted = (goal,) if size == count else tuple(sites)
            found: defaultdict[int, defaultdict[int, list[Label]]] = defaultdict(lambda: defaultdict(list))
            for done, states in level.items():
                for at in self._next(done):
                    self._extend(done, states, at, wanted, found[done | 1 << at])
            level = {
                mask: {site: thin(labels, self.width) for site, labels in states.items()}
                for mask, states in found.items()
            }
        return level.get((1 << count) - 1, {}).get(goal, [])

    def _next(self, done: int) -> list[int]:
        """The inputs that may come next: connected ones, any other only if there are none."""
        left = [at for at in range(len(self.homes)) if not done >> at & 1]
        return [at for at in left if self.beside[at] & done] or left

    def _extend(
        self,
        done: int,
        states: Mapping[int, Sequence[Label]],
        at: int,
        wanted: Sequence[int],
        found: Mapping[int, list[Label]],
    ) -> None:
        pair = self._pair(done, at)
        last = len(wanted) == 1
        for source, labels in states.items():
            for result in wanted:
                fresh = found[result]
                for step in pair.steps(source, result, last):
                    brought = self.homes[at] if step.at < 0 else step.at
                    for label in labels:
                        if label.arose == brought != source:
                            continue  # there and back again: the state where it arose does without
                        use = label.use
                        if use:
                            use = tuple(map(add, use, step.use))
                            if any(map(gt, use, self.limits)):
                                continue
                        time = max(step.alpha, label.time + step.beta)
                        fresh.append(Label(label.dollars + step.dollars, time, use, label, at, step, result))

    def _pair(self, done: int, at: int) -> Pair:
        names = self._names(done)
        left = self.bases[done.bit_length() - 1] if len(names) == 1 else self._made(names)
        right = self.bases[at]
        whole = self.situation.size(self._part(names | self._names(1 << at)))
        return Pair(self.around, left, right, self.homes[at], self.ready[at], whole)

    def _made(self, names: frozenset[str]) -> Lies:
        return lies_as_made(self._part(names), self.situation)

    def _part(self, names: frozenset[str]) -> Relation:
        core = self.sharing.core
        return core if len(names) == len(core.inputs) else self.sharing.part(names)

    def _names(self, mask: int) -> frozenset[str]:
        inputs = self.sharing.core.inputs
        return frozenset(inputs[at].name for at in range(len(inputs)) if mask >> at & 1)


def _room(site: Site, taken: Load) -> tuple[float, float]:
    """What is left of a site."""
    return (
        inf if site.cores is None else site.cores - taken.cores,
        inf if site.gb is None else site.gb - taken.gb,
    )


def thin(labels: list[Label], width: int) -> list[Label]:
    """Those that none other beats in both dollars and time, at most `width`, with the fastest of all.

    Of more than one the cheapest stays, too, and what is between is kept at even steps.
    """
    labels.sort(key=lambda label: label[:2])
    kept: list[Label] = []
    for label in labels:
        if not kept or label.time < kept[-1].time:
            kept.append(label)
    if len(kept) <= width:
        return kept
    if width == 1:
        return kept[-1:]
    return [kept[round(at * (len(kept) - 1) / (width - 1))] for at in range(width)]

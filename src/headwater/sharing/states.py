"""The dynamic program of the search: states <inputs joined, site>, each with the labels worth keeping.

A label is a way to a state: dollars per second, the time at which the state's delta is there, and the label
and step that it came from.  A state keeps those labels that none other beats in both numbers.  States are
worked through by the number of inputs joined, so only one level is held at a time; sets of inputs are bit
masks, sites are numbers, and a label is a few numbers: no graph is copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf
from operator import add, gt
from typing import NamedTuple

from headwater.model import Site
from headwater.sharing.build import Move
from headwater.sharing.costs import Load, window
from headwater.sharing.relations import Relation, Sharing
from headwater.sharing.situation import Situation
from headwater.sharing.steps import Lies, Pair, Step, Surroundings, lies_as_base, lies_as_made

__all__ = ["Label", "States", "moves_of", "thin"]


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


def moves_of(label: Label, names: Sequence[str]) -> tuple[Move, ...]:
    """The decisions that led to a label, first things first."""
    step = label.step
    at = "" if step is None or step.at < 0 else names[step.at]
    move = Move(label.input, at, names[label.site])
    return (move,) if label.before is None else (*moves_of(label.before, names), move)


class States:
    """One run of the program for a view."""

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
        whole = self._part(names | self._names(1 << at))
        parts = self._part(names), self._part(self._names(1 << at))
        return Pair(
            self.around,
            left,
            right,
            self.homes[at],
            self.ready[at],
            self.situation.size(whole),
            self.situation.read_share(parts[1], parts[0], whole),
            self.situation.read_share(*parts, whole),
        )

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

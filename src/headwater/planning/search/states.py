"""The dynamic program of the search: states <inputs joined, site>, each with the labels worth keeping.

A label is a path to a state: dollars per second, the time at which the state's delta is there, and the
label and extension that it came from.  A state keeps those labels that none other beats in both numbers.
States are worked through by the number of inputs joined, so only one level is held at a time; sets of
inputs are bit masks, sites are numbers, and a label is a few numbers: no graph is copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf
from operator import add, gt
from typing import NamedTuple

from headwater.model import Site
from headwater.planning.cost.costs import Load, window
from headwater.planning.facts.situation import Situation
from headwater.planning.graph.build import JoinStep
from headwater.planning.relations.parts import is_connected, part
from headwater.planning.relations.relations import Names, Sharing
from headwater.planning.search.extensions import (
    Extension,
    NumberedSites,
    Pair,
    joined_side,
    source_side,
)

__all__ = ["Label", "States", "steps_of", "thin"]


class Label(NamedTuple):
    """A path to a state: what it costs, when its delta is there, and how it came about."""

    dollars: float
    time: float
    use: tuple[float, ...]
    before: Label | None
    input: int
    extension: Extension | None
    site: int

    @property
    def copied_from(self) -> int:
        """The site from which the delta was copied to where it is now; else -1."""
        return -1 if self.extension is None or self.extension.at == self.site else self.extension.at


def steps_of(label: Label, names: Sequence[str]) -> tuple[JoinStep, ...]:
    """The decisions that led to a label, first things first."""
    extension = label.extension
    step = JoinStep(label.input, "" if extension is None else names[extension.at], names[label.site])
    return (step,) if label.before is None else (*steps_of(label.before, names), step)


class States:
    """One run of the program for a view."""

    def __init__(self, sharing: Sharing, situation: Situation, taken: Mapping[str, Load], width: int) -> None:
        self.core, self.situation, self.width = sharing.core, situation, width
        names, limited = tuple(situation.sites), situation.is_limited
        self.sites = NumberedSites(situation, names, window(sharing.freshness), limited)
        self.goal = names.index(sharing.site)
        self.limits = (
            tuple(left for name in names for left in _room(situation.sites[name], taken.get(name, Load())))
            if limited
            else ()
        )
        inputs = self.core.inputs
        self.homes = [names.index(situation.home(input)) for input in inputs]
        self.ready = [situation.delays.get(input.relation, 0.0) for input in inputs]
        self.sources = [source_side(input, situation) for input in inputs]
        self.neighbours = [self._neighbours(at) for at in range(len(inputs))]

    def _neighbours(self, at: int) -> int:
        """The inputs that a condition connects with one."""
        inputs = self.core.inputs
        pairs = (frozenset((inputs[at].name, other.name)) for other in inputs)
        return sum(1 << other for other, pair in enumerate(pairs) if is_connected(self.core, pair))

    def run(self) -> list[Label]:
        """The labels of the whole join at the view's site, cheapest first."""
        count, sites = len(self.homes), range(len(self.sites.names))
        nothing = (0.0,) * len(self.limits)
        level: dict[int, dict[int, list[Label]]] = {
            1 << at: {self.homes[at]: [Label(0.0, self.ready[at], nothing, None, at, None, self.homes[at])]}
            for at in range(count)
        }
        for size in range(2, count + 1):
            wanted = (self.goal,) if size == count else tuple(sites)
            reached: defaultdict[int, defaultdict[int, list[Label]]] = defaultdict(lambda: defaultdict(list))
            for done, states in level.items():
                for at in self._next(done):
                    self._extend(done, states, at, wanted, reached[done | 1 << at])
            level = {
                mask: {site: thin(labels, self.width) for site, labels in states.items()}
                for mask, states in reached.items()
            }
        return level.get((1 << count) - 1, {}).get(self.goal, [])

    def _next(self, done: int) -> list[int]:
        """The inputs that may come next: connected ones, any other only if there are none."""
        left = [at for at in range(len(self.homes)) if not done >> at & 1]
        return [at for at in left if self.neighbours[at] & done] or left

    def _extend(
        self,
        done: int,
        states: Mapping[int, Sequence[Label]],
        at: int,
        wanted: Sequence[int],
        reached: Mapping[int, list[Label]],
    ) -> None:
        pair = self._pair(done, at)
        last = len(wanted) == 1
        for source, labels in states.items():
            for result in wanted:
                fresh = reached[result]
                for extension in pair.extensions(source, result, last):
                    for label in labels:
                        if label.copied_from == extension.at != source:
                            continue  # there and back again: the state where it arose does without
                        use = label.use
                        if use:
                            use = tuple(map(add, use, extension.use))
                            if any(map(gt, use, self.limits)):
                                continue
                        dollars = label.dollars + extension.dollars
                        time = max(extension.alpha, label.time + extension.beta)
                        fresh.append(Label(dollars, time, use, label, at, extension, result))

    def _pair(self, done: int, at: int) -> Pair:
        names, added = self._names(done), self._names(1 << at)
        joined, input = part(self.core, names), part(self.core, added)
        whole = part(self.core, names | added)
        is_source = len(names) == 1
        return Pair(
            self.sites,
            self.sources[done.bit_length() - 1] if is_source else joined_side(joined, self.situation),
            self.sources[at],
            self.homes[at],
            self.ready[at],
            self.situation.size(whole),
            self.situation.read_share(input, joined, whole),
            self.situation.read_share(joined, input, whole),
        )

    def _names(self, mask: int) -> Names:
        inputs = self.core.inputs
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

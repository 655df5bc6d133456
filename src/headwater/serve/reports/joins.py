"""Adapted joins: which part of the matches they find, which rows look for partners, and why.

Read from what pushes noted, without Spark. A stale result cannot be shown: that no row had outlived its
tolerance is among the conditions by which a view shows a result. Rows that came too late for any are
counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from headwater.catalog import Catalog
from headwater.model import JoinWindow
from headwater.overload.joins.adaptation.allowances import assumed, share_of_matches
from headwater.storage.choosing.choices import Choice, choices_since
from headwater.storage.choosing.probes import Probes, probes_since
from headwater.storage.warehouse import Warehouse

__all__ = ["Adaptation", "JoinStatus", "StreamAllowance", "join_statuses", "share_found"]

LOOKED_BACK = 3_600_000_000  # microseconds
SHOWN = 10
_ORDER = ("entered", "chose", "adapted", "kept", "left")  # of what one push notes


@dataclass(frozen=True, slots=True)
class HalfWay:
    """A join on an input path: so many probes of `partner` there were in the newest push.

    As the rows that were followed have shown; None: none were.
    """

    partner: str
    probes: int | None


@dataclass(frozen=True, slots=True)
class StreamAllowance:
    """Of the newest push. `allowance` None: all rows may probe."""

    stream: str
    arrived: int
    probed: int
    allowance: int | None
    half_ways: tuple[HalfWay, ...] = ()


@dataclass(frozen=True, slots=True)
class Adaptation:
    """When it began or ceased to choose, or looked at its allowances anew, and why."""

    at: int
    event: str  # entered, adapted, kept, left
    share_of_matches: float  # of that push
    reason: str


@dataclass(frozen=True, slots=True)
class JoinStatus:
    """Over the pushes of the last hour.

    `measured`: the share of matches is counted on a sample of the rows that came; else the model expects it.
    """

    view: str
    share_of_matches: float
    measured: bool
    stale_results: int
    late_rows: int
    allowances: tuple[StreamAllowance, ...]
    freshness_share: float  # of the probes: no intermediate result is stored, so none is spent on freshness
    throughput_share: float  # the rest
    choosing: bool
    exact_since: int | None  # matches from then on are all found; None: not now
    adaptations: tuple[Adaptation, ...]
    weight: float = 1.0  # OVERLOAD WEIGHT
    share: float | None = None  # of the time that stages which choose had in the newest push


def join_statuses(catalog: Catalog, warehouse: Warehouse, now: int) -> tuple[JoinStatus, ...]:
    views = catalog.project.views.values()
    adapted = {view.name: view.window for view in views if view.window and view.window.adapt}
    if not adapted:
        return ()
    since = now - LOOKED_BACK
    noted = list(probes_since(warehouse, since))
    return tuple(
        _status(
            name,
            window,
            [probes for probes in noted if probes.view == name],
            choices_since(warehouse, name, since),
        )
        for name, window in adapted.items()
    )


def _status(view: str, window: JoinWindow, noted: Sequence[Probes], choices: Sequence[Choice]) -> JoinStatus:
    pushes = _by_push(noted)
    partial = [push.at for push in pushes if push.partial]
    exact = next((push.at for push in pushes if not partial or push.at > partial[-1]), None)
    shares = {push.at: push.share for push in pushes}
    return JoinStatus(
        view,
        _share(pushes),
        all(push.counted for push in pushes if push.partial),
        0,
        sum(probes.late for probes in noted),
        tuple(
            StreamAllowance(
                probes.stream, probes.arrived, probes.probed, probes.allowance, _half_ways(window, probes)
            )
            for probes in (pushes[-1].inputs if pushes else ())
        ),
        0.0,
        1.0,
        bool(pushes) and pushes[-1].partial,
        exact,
        tuple(
            Adaptation(choice.at, choice.event, shares.get(choice.at, 1.0), choice.reason)
            for choice in sorted(choices, key=lambda choice: (choice.at, _ORDER.index(choice.event)))
        )[-SHOWN:],
        window.weight,
        pushes[-1].inputs[0].share if pushes and pushes[-1].partial else None,
    )


def _half_ways(window: JoinWindow, probes: Probes) -> tuple[HalfWay, ...]:
    """A row that probes is one probe at its first join, at each later one as many as it has become."""
    names = [stream.name for stream in window.streams]
    if probes.stream not in names:
        return ()
    plan = assumed(dict.fromkeys(names, 1.0), 1.0, 1.0, window.tree)
    by_letter, path = dict(zip(plan.streams, names, strict=True)), plan.paths[names.index(probes.stream)]
    partners = [" ".join(by_letter[letter] for letter in hop.partner) for hop in path.hops]
    if not probes.sampled or not probes.after or len(probes.after) != len(partners):
        return tuple(HalfWay(partner, None) for partner in partners)
    rows = (1.0, *(became / probes.sampled for became in probes.after[:-1]))
    return tuple(
        HalfWay(partner, round(probes.probed * row)) for partner, row in zip(partners, rows, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Push:
    inputs: tuple[Probes, ...]

    @property
    def at(self) -> int:
        return self.inputs[0].at

    @property
    def partial(self) -> bool:
        """Whether some rows did not look for partners, whatever they would have found."""
        return any(probes.probed < probes.arrived for probes in self.inputs)

    @property
    def counted(self) -> bool:
        """Whether matches of all streams that brought rows were counted, on a sample."""
        return all(probes.matches is not None for probes in self.inputs if probes.arrived)

    @property
    def matches(self) -> tuple[float, float]:
        """Those of all rows that came, and those that were found."""
        counted = [probes.matches for probes in self.inputs if probes.matches is not None]
        return sum(every for every, _ in counted), sum(found for _, found in counted)

    @property
    def share(self) -> float:
        every, found = self.matches
        if every > 0:
            return min(found / every, 1.0)
        arrived = {probes.stream: probes.arrived for probes in self.inputs}
        return share_of_matches(arrived, {probes.stream: probes.probed for probes in self.inputs})


def share_found(noted: Sequence[Probes]) -> float:
    """The part of the matches that was found: by matches, or, while none were counted, by rows."""
    return _share(_by_push(noted))


def _by_push(noted: Sequence[Probes]) -> list[_Push]:
    return [_Push(tuple(of_push)) for _, of_push in groupby(noted, key=lambda probes: probes.at)]


def _share(pushes: Sequence[_Push]) -> float:
    every = sum(push.matches[0] for push in pushes)
    if every > 0:
        return min(sum(push.matches[1] for push in pushes) / every, 1.0)
    rows = [sum(probes.arrived for probes in push.inputs) for push in pushes]
    shares = sum(push.share * arrived for push, arrived in zip(pushes, rows, strict=True))
    return shares / sum(rows) if sum(rows) else 1.0

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
from headwater.overload.joins.adaptation.allowances import share_of_matches
from headwater.storage.choosing.probes import Probes, probes_since
from headwater.storage.warehouse import Warehouse

__all__ = ["Adaptation", "JoinStatus", "StreamAllowance", "join_statuses"]

LOOKED_BACK = 3_600_000_000  # microseconds
SHOWN = 10


@dataclass(frozen=True, slots=True)
class StreamAllowance:
    """Of the newest push. `allowance` None: all rows may probe."""

    stream: str
    arrived: int
    probed: int
    allowance: int | None


@dataclass(frozen=True, slots=True)
class Adaptation:
    """A push by which it changed how many rows probe."""

    at: int
    share_of_matches: float  # expected, of that push
    reason: str


@dataclass(frozen=True, slots=True)
class JoinStatus:
    """`share_of_matches` is expected by the model, over the pushes of the last hour."""

    view: str
    share_of_matches: float
    stale_results: int
    late_rows: int
    allowances: tuple[StreamAllowance, ...]
    freshness_share: float  # of the probes: no intermediate result is stored, so none is spent on freshness
    choosing: bool
    exact_since: int | None  # matches from then on are all found; None: not now
    adaptations: tuple[Adaptation, ...]


def join_statuses(catalog: Catalog, warehouse: Warehouse, now: int) -> tuple[JoinStatus, ...]:
    adapted = [view.name for view in catalog.project.views.values() if view.window and view.window.adapt]
    if not adapted:
        return ()
    noted = list(probes_since(warehouse, now - LOOKED_BACK))
    return tuple(_status(name, [probes for probes in noted if probes.view == name]) for name in adapted)


def _status(view: str, noted: Sequence[Probes]) -> JoinStatus:
    pushes = [list(of_push) for _, of_push in groupby(noted, key=lambda probes: probes.at)]
    shares = [_share(push) for push in pushes]
    choosing = bool(shares) and shares[-1] < 1.0
    partial = [push[0].at for push, share in zip(pushes, shares, strict=True) if share < 1.0]
    exact = next((push[0].at for push in pushes if not partial or push[0].at > partial[-1]), None)
    arrived = [sum(probes.arrived for probes in push) for push in pushes]
    total = sum(arrived)
    return JoinStatus(
        view,
        sum(share * rows for share, rows in zip(shares, arrived, strict=True)) / total if total else 1.0,
        0,
        sum(probes.late for probes in noted),
        tuple(
            StreamAllowance(probes.stream, probes.arrived, probes.probed, probes.allowance)
            for probes in (pushes[-1] if pushes else ())
        ),
        0.0,
        choosing,
        exact,
        tuple(_adaptations(pushes, shares))[-SHOWN:],
    )


def _share(push: Sequence[Probes]) -> float:
    arrived = {probes.stream: probes.arrived for probes in push}
    return share_of_matches(arrived, {probes.stream: probes.probed for probes in push})


def _adaptations(pushes: Sequence[Sequence[Probes]], shares: Sequence[float]) -> list[Adaptation]:
    """Pushes with other allowances than the one before."""
    changed: list[Adaptation] = []
    before: object = None
    for push, share in zip(pushes, shares, strict=True):
        allowances = {probes.stream: probes.allowance for probes in push}
        limited = any(allowance is not None for allowance in allowances.values())
        if allowances != before and (limited or changed):
            changed.append(Adaptation(push[0].at, share, push[0].reason))
        before = allowances
    return changed

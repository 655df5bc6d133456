"""Random catalogs: views over sources, shared stages and each other, at sites; no SQL stands behind them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from headwater.algebra.plans.nodes import Scan
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.catalog import Catalog
from headwater.model import Project, SqlText, Table, View

__all__ = ["added", "changed", "dropped", "random_catalog"]

LONGEST = 40  # the longest promise is at most so many times the shortest


def random_catalog(chance: random.Random, shortest: timedelta) -> Catalog:
    """`shortest` is the promise of at least one view."""
    sites = [f"site{number}" for number in range(chance.choice((1, 1, 2, 3)))]
    tables = {f"t{number}": Table(f"t{number}", ()) for number in range(chance.randint(1, 4))}
    project = Project("simulated", "", "", tables, {}, {}, {})
    shared = {}
    for number in range(chance.randint(0, 2)):
        reads = chance.sample(sorted(tables), min(len(tables), chance.randint(1, 2)))
        shared[f"s{number}"] = _kept(f"s{number}", reads)
    versions = {**dict.fromkeys(tables, "1"), **dict.fromkeys(shared, "1")}
    catalog = Catalog(project, {}, versions, shared, {name: chance.choice(sites) for name in shared})
    for number in range(chance.randint(1, 6)):
        promise = shortest if number == 0 else shortest * chance.uniform(1, chance.choice((2, LONGEST)))
        catalog = added(catalog, f"v{number}", promise, chance.choice(sites), chance)
    return catalog


def _kept(name: str, reads: list[str]) -> Kept:
    stage = Stage(name, StageKind.ROWS, ("a",), None, tuple(reads))
    return Kept(name, (stage,), Scan(name, name, ("a",)), ("a",), ("bigint",), tuple(reads))


def added(catalog: Catalog, name: str, promise: timedelta, site: str, chance: random.Random) -> Catalog:
    """With one view more."""
    below = [*catalog.project.tables, *catalog.shared, *catalog.kept]
    reads = chance.sample(below, min(len(below), chance.choice((1, 1, 2, 3))))
    view = View(name, SqlText(""), promise, site=site)
    return _with(
        catalog, {**catalog.project.views, name: view}, {**catalog.kept, name: _kept(name, reads)},
        {**catalog.versions, name: f"{chance.random()}"}, {**catalog.sites, name: site},
    )  # fmt: skip


def dropped(catalog: Catalog, name: str) -> Catalog | None:
    """Without a view; None if others read it."""
    if any(name in kept.reads for view, kept in catalog.kept.items() if view != name):
        return None
    return _with(
        catalog,
        {view: declared for view, declared in catalog.project.views.items() if view != name},
        {view: kept for view, kept in catalog.kept.items() if view != name},
        {view: version for view, version in catalog.versions.items() if view != name},
        catalog.sites,
    )


def changed(catalog: Catalog, name: str, chance: random.Random) -> Catalog | None:
    """With another definition of a view, which starts anew; None if others read it."""
    without = dropped(catalog, name)
    view = catalog.project.views[name]
    return None if without is None else added(without, name, view.freshness, view.site, chance)


def _with(
    catalog: Catalog,
    views: Mapping[str, View],
    kept: Mapping[str, Kept],
    versions: Mapping[str, str],
    sites: Mapping[str, str],
) -> Catalog:
    project = replace(catalog.project, views=views)
    return catalog.changed(project=project, kept=kept, versions=versions, sites=sites)

"""What keeping a project's views will take, said before it is done: `headwater plan`. No Spark is started.

Views that are only asked about (EXPLAIN CREATE MATERIALIZED VIEW, `--with`) are priced as if they were
there; what they add to the hourly price is the difference to the project without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from headwater.algebra.delta import delta
from headwater.algebra.passes import optimize
from headwater.algebra.stages import Kept, Stage
from headwater.algebra.text import show
from headwater.catalog import Catalog, build
from headwater.model import Project, View
from headwater.serve.measured import inputs
from headwater.sharing.estimate import Estimate, Inputs, estimate
from headwater.sharing.facts import Facts
from headwater.storage.warehouse import Warehouse

__all__ = ["Planned", "PlannedView", "Will", "asking", "plan", "will_run"]


@dataclass(frozen=True, slots=True)
class PlannedView:
    """A view, how it is kept, and what that is expected to take."""

    view: View
    kept: Kept
    estimate: Estimate
    asked: bool  # only asked about, not kept
    used: Mapping[str, Facts]  # of the sources it depends on

    @property
    def refresh(self) -> str:
        return "full" if self.kept.obstacles else "incremental"

    @property
    def chosen(self) -> str:
        """What the time model would choose for the push that the critical path is made for."""
        ways = {"full" if step.full else "incremental" for step in self.estimate.own}
        return ways.pop() if len(ways) == 1 else "mixed"

    @property
    def reason(self) -> str:
        """Why the view is admitted or refused, in words."""
        one, freshness = self.estimate, self.view.freshness.total_seconds()
        path = f"a push is expected to take {_seconds(one.critical_path.total_seconds())}"
        if one.admitted and one.tight:
            return (
                f"{path}, more than half of the {freshness:g} s promised: admitted, but with a push always"
                f" under way it would be up to {_seconds(2 * one.critical_path.total_seconds())} stale"
            )
        if one.admitted:
            return f"{path}, within the {freshness:g} s promised"
        if one.smallest is None:
            return f"{path}; changes come faster than they can be applied, so no freshness can be promised"
        smallest = one.smallest.total_seconds()
        return f"{path}, longer than the {freshness:g} s promised; {smallest:g} s would be admitted"


@dataclass(frozen=True, slots=True)
class Planned:
    """The whole answer. `vertices` and `edges` count the stored relations and who reads whom."""

    project: str
    views: tuple[PlannedView, ...]
    sources: Mapping[str, Facts]
    vertices: int
    edges: int
    dollars_per_hour: float  # of the views that are kept
    dollars_per_hour_with: float  # with those asked about
    busy_cores: float
    core_hour: float

    @property
    def admitted(self) -> bool:
        return all(one.estimate.admitted for one in self.views)


@dataclass(frozen=True, slots=True)
class Will:
    """What a push of a stage runs when one relation changed, as text."""

    stage: str
    changed: str
    text: str


def asking(project: Project) -> Project:
    """The project with the views that EXPLAIN statements ask about among its own, after all others.

    A question about a view that is there already is asked under another name, so both can be compared.
    """
    views = dict(project.views)
    for view in project.explained:
        name = view.name
        while name.lower() in {known.lower() for known in views}:
            name += " (asked)"
        views[name] = replace(view, name=name)
    return replace(project, views=views, explained=())


def plan(kept: Project, asked: Project, warehouse: Warehouse) -> Planned:
    """Plan the views of `kept`, and those that only `asked` has as if they were kept too."""
    now = build(kept)
    whole = now if asked.views.keys() == kept.views.keys() else build(asked)
    given = inputs(whole, warehouse)
    every = estimate(given)
    before = every if whole is now else estimate(_only(given, now))
    return Planned(
        project=kept.name,
        views=tuple(_planned(whole, given, every[name], name not in kept.views) for name in whole.kept),
        sources=given.sources,
        vertices=len({one for pair in _edges(now) for one in pair}),
        edges=len(set(_edges(now))),
        dollars_per_hour=sum(one.dollars_per_hour for one in before.values()),
        dollars_per_hour_with=sum(one.dollars_per_hour for one in every.values()),
        busy_cores=sum(one.busy_cores for one in every.values()),
        core_hour=float(given.core_hour),
    )


def _only(given: Inputs, catalog: Catalog) -> Inputs:
    return replace(given, kept=catalog.kept, views=catalog.project.views)


def _planned(catalog: Catalog, given: Inputs, one: Estimate, asked: bool) -> PlannedView:
    used = {name: given.sources[name] for name in sorted(catalog.sources(one.view))}
    return PlannedView(catalog.project.views[one.view], catalog.kept[one.view], one, asked, used)


def _edges(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Who reads whom, among sources and stages."""
    for kept in catalog.kept.values():
        for stage in kept.stages:
            yield from ((read, stage.name) for read in stage.reads if read != stage.name)


def will_run(kept: Kept) -> tuple[Will, ...]:
    """What a push of each of the view's stages runs, for each relation that may change."""
    return tuple(one for stage in kept.stages for one in _will(stage))


def _will(stage: Stage) -> Iterable[Will]:
    if stage.plan is None:
        text = f"recompute, and store the difference:\n{stage.sql.strip()}"
        return (Will(stage.name, ", ".join(stage.reads), text),)
    return tuple(
        Will(stage.name, read, _delta_text(stage, read)) for read in stage.reads if read != stage.name
    )


def _delta_text(stage: Stage, changed: str) -> str:
    found = delta(stage, frozenset({changed}))
    return "nothing: the change cannot be seen" if found is None else show(optimize(found))


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"

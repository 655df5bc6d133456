"""One look at the views: how far they, what they read and their sources are. Each log is asked once."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from headwater.catalog import Catalog
from headwater.engine.executor.runner import Runner
from headwater.engine.executor.times import Times
from headwater.engine.executor.view_state import ViewState
from headwater.scheduling.forecast import Forecast
from headwater.scheduling.schedule import NEVER, Moment, ViewNow

__all__ = ["Look", "captured_up_to"]

logger = logging.getLogger(__name__)


def captured_up_to(catalog: Catalog, watermarks: Mapping[str, int], view: str, now: int) -> int:
    """The time up to which everything that a view depends on has been captured (the paper's MINTS)."""
    return min((watermarks.get(source, NEVER) for source in catalog.below(view)), default=now)


@dataclass(slots=True)
class Look:
    catalog: Catalog
    runner: Runner
    watermarks: Mapping[str, int]
    moment: Moment
    times: Times = field(init=False)
    _forecasts: dict[frozenset[str], Forecast] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.times = Times(self.catalog, self.runner)

    def view(self, state: ViewState) -> ViewNow:
        """A view as the scheduler wants to know it; raises if a log cannot be read."""
        name, moment = state.name, self.moment
        view = ViewNow(
            name, self.catalog.project.views[name].freshness, state.time, NEVER, NEVER,
            running=state.running, alone=state.alone, reachable=self._reachable(name),
            retry_at=state.retry_at, moved_at=state.moved_at, tried_at=state.tried_at,
        )  # fmt: skip
        if view.running or not view.reachable or moment.monotonic < view.retry_at:
            return view  # nothing will be done for it now, so nothing need be read
        time = self.times.of(name)
        state.seen(time, moment.monotonic, clock_is_behind=time > moment.now)
        view = replace(view, moved_at=state.moved_at)
        target = captured_up_to(self.catalog, self.watermarks, name, moment.now)
        if time == NEVER:
            return replace(view, time=time, target=target, floor=self.times.floor([name]))
        return replace(
            view,
            time=time,
            target=target,
            floor=self.times.floor([name]),
            forecast=self._usual_forecast(state, max(target, time)) if moment.common_free else Forecast(),
            unread=not moment.warm and self._unread(name, time, target),
        )

    def _usual_forecast(self, state: ViewState, until: int) -> Forecast:
        """Of a push in the company that the view was last pushed in, or by itself if that has no forecast."""
        company = frozenset({state.name, *state.company} & self.catalog.kept.keys())
        try:
            return self._remembered_forecast(company, until)
        except Exception:
            if company == {state.name}:
                raise
            logger.warning("no forecast for %s", ", ".join(sorted(company)), exc_info=True)
            return self._remembered_forecast(frozenset({state.name}), until)

    def _remembered_forecast(self, views: frozenset[str], until: int) -> Forecast:
        """Views that were pushed together share a forecast."""
        if views not in self._forecasts:
            self._forecasts[views] = self.runner.forecast(views, until)
        return self._forecasts[views]

    def forecast(self, views: Collection[str], until: int) -> Forecast:
        """Of a push that is about to be started. What cannot be foreseen is expected to be quick."""
        try:
            return self.runner.forecast(views, until)
        except Exception:
            logger.warning("no forecast for %s", ", ".join(sorted(views)), exc_info=True)
            return Forecast()

    def _reachable(self, view: str) -> bool:
        """Whether every site that a view's stages lie at answers; if not, it waits and the others go on."""
        stages = (stage.name for level in self.catalog.levels([view]) for _, stage in level)
        return self.runner.reachable({self.catalog.site_of(name) for name in stages})

    def _unread(self, view: str, after: int, until: int) -> bool:
        return any(self.runner.has_changes(source, after, until) for source in self.catalog.below(view))

"""One look at the views: how far they, what they read and their sources are. Each log is asked once."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from headwater.algebra.stages.choosing import shown
from headwater.catalog import Catalog
from headwater.engine.executor.runner import Runner
from headwater.engine.executor.times import Times
from headwater.engine.executor.view_state import ViewState
from headwater.scheduling.forecast import Forecast
from headwater.scheduling.schedule import NEVER, Moment, ViewNow

__all__ = ["Look", "captured_up_to"]

logger = logging.getLogger(__name__)

FEW_ROWS = 500_000  # of sources: a first computation that reads no more takes some seconds at most


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
        reachable = self.runner.reachable(self.catalog.sites_under(name))
        time, target, floor = state.time, NEVER, NEVER
        forecast, unread, light = Forecast(), False, False
        # Else nothing will be done for it now, so nothing need be read.
        if reachable and not state.running and moment.monotonic >= state.able_at:
            time = self.times.of(name)
            state.seen(time, moment.monotonic, clock_is_behind=time > moment.now)
            target = captured_up_to(self.catalog, self.watermarks, name, moment.now)
            floor = self.times.floor([name])
            if time != NEVER:
                forecast = (
                    self._usual_forecast(state, max(target, time)) if moment.common_free else Forecast()
                )
                unread = not moment.warm and self._unread(name, time, target)
            else:
                light = self._rows_below(name, target) <= FEW_ROWS
        return ViewNow(
            name, self.catalog.project.views[name].freshness, time, target, floor, forecast, state.running,
            state.alone, reachable, unread, light, state.able_at, state.moved_at, state.tried_at,
        )  # fmt: skip

    def _usual_forecast(self, state: ViewState, until: int) -> Forecast:
        """The forecast of a push with the views it was last pushed with; by itself, if that has none."""
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
        """The forecast of a push that is about to start. What cannot be foreseen is expected to be quick."""
        try:
            return self.runner.forecast(views, until)
        except Exception:
            logger.warning("no forecast for %s", ", ".join(sorted(views)), exc_info=True)
            return Forecast()

    def _unread(self, view: str, after: int, until: int) -> bool:
        return any(self.runner.changes(source, after, until) for source in self.catalog.below(view))

    def _rows_below(self, view: str, until: int) -> int:
        """The rows under a view; of an update stream only those shown, however many updates it had."""
        stages = self.catalog.stages_under(view)
        relations = (
            shown(source) if shown(source) in stages and self.times.of(shown(source)) != NEVER else source
            for source in self.catalog.below(view)
        )
        return sum(self.runner.changes(relation, NEVER, until) for relation in relations)

"""How far stages and sources have got, as one look at all views sees it: each log is asked once."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.engine.push import Pushing
from headwater.storage.delta_log import BEGINNING

__all__ = ["Times"]


class Times:
    def __init__(self, pushing: Pushing) -> None:
        self._pushing = pushing
        self._stages: dict[str, int] = {}
        self._gathered: dict[str, int] = {}

    def of(self, stage: str) -> int:
        """A view's or a stage's time; BEGINNING before it is computed."""
        if stage not in self._stages:
            self._stages[stage] = self._pushing.timeline(stage).time()
        return self._stages[stage]

    def floor(self, views: Iterable[str]) -> int:
        """The earliest time that views can be pushed to: what they share may be ahead of them.

        A stage that was pushed for another view, or before a crash, is at a later time, and so are changes
        that were gathered.  A view whose sources are not captured that far yet has to wait: a change that is
        still being committed must not end up before the view's time.
        """
        catalog = self._pushing.catalog
        stages = {stage.name for level in catalog.levels(views) for _, stage in level}
        sources = {name for view in views for name in catalog.below(view)}
        return max((*map(self.of, stages), *map(self._gathered_up_to, sources)), default=BEGINNING)

    def _gathered_up_to(self, source: str) -> int:
        if source not in self._gathered:
            self._gathered[source] = self._pushing.warehouse.source(source).gathered()
        return self._gathered[source]

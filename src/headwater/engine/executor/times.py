"""How far stages and sources have got, as one look at them sees it: each log is asked once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from headwater.catalog import Catalog
from headwater.clock import instant_text
from headwater.errors import HeadwaterError
from headwater.scheduling.schedule import NEVER

__all__ = ["Logs", "Times", "not_captured"]


class Logs(Protocol):
    def time_of(self, stage: str) -> int:
        """How far a view or a stage has been pushed, as its log says."""
        ...

    def earliest(self, source: str) -> int:
        """A source can no longer be read as of an earlier time: changes before it were put together."""
        ...


@dataclass(slots=True)
class Times:
    catalog: Catalog
    logs: Logs
    _times: dict[str, int] = field(default_factory=dict, init=False)
    _earliest: dict[str, int] = field(default_factory=dict, init=False)

    def of(self, stage: str) -> int:
        """A view's or a stage's time; NEVER before it is computed."""
        if stage not in self._times:
            self._times[stage] = self.logs.time_of(stage)
        return self._times[stage]

    def floor(self, views: Iterable[str]) -> int:
        """The earliest time that views can be pushed to: what they read may be ahead of them.

        A stage that was pushed for another view, or before a crash, is at a later time, and a source may no
        longer know what it was before changes were put together.  A view whose sources are not captured that
        far yet has to wait: a change that is still being committed must not end up before the view's time.
        """
        times = [self.of(stage) for view in views for stage in self.catalog.stages_under(view)]
        times += [self._earliest_of(source) for view in views for source in self.catalog.below(view)]
        return max(times, default=NEVER)

    def _earliest_of(self, source: str) -> int:
        if source not in self._earliest:
            self._earliest[source] = self.logs.earliest(source)
        return self._earliest[source]


def not_captured(view: str, captured: int, needed: int) -> HeadwaterError:
    """A view cannot be pushed to `needed` yet."""
    return HeadwaterError(
        "HW833",
        f'view "{view}" is waiting for its sources: {_waiting_text(captured, needed)}',
        detail="What it shares with other views is ahead of it.",
        hint="It is tried again by itself; if this stays, look at the captures' errors.",
    )


def _waiting_text(captured: int, needed: int) -> str:
    """Both instants, to the second if that tells them apart, without the day if it is the same."""
    both = (instant_text(captured), instant_text(needed))
    start = 11 if both[0][:10] == both[1][:10] else 0
    end = 19 if both[0][:19] != both[1][:19] else 26
    return f"captured up to {both[0][start:end]}, needed {both[1][start:end]}"

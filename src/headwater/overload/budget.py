"""How much a stage that chooses may take in a push: one controller for all of them, pure.

A push of everything is forecast.  If it fits the time that the promise leaves for a push, everything is
taken. If not, the stage gets as many units (keys of an update stream, probes of a join) as fit, found by
bisection on the forecast, which grows with them.  A user may set units per second instead; then no
forecast is asked.

**How long may a push take?**  A view is as stale as the time since its last push began, and is stalest
when the next one ends.  With a push always under way that is twice a push: a push that takes SHARE of the
promise leaves the view within twice that, and the rest is room for what a forecast does not know.  A view
that is late already gets less, but never less than LEAST: otherwise nothing but fixed costs would be left
to spend.

**If hardly anything fits.**  What a push costs however little it takes may itself be longer than the
promise allows. Then the promise is broken either way, and taking next to nothing would never catch up: a
push gets WORTHWHILE of those fixed costs.

**It does not flap.**  Overload begins when more waits than fits.  It ends when what waits is less than
ENOUGH of what fits; in between everything is taken, and the stage goes on as one that chooses.  Whether
it was choosing is the only memory, and it is stored with what waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

__all__ = ["EVERYTHING", "Budget", "Load", "allowed_time", "by_forecast", "by_rate", "overloaded"]

SHARE = 0.4  # of the promise: what a push may take
LEAST = 0.1  # of the promise: what a push may take however late the view is
ENOUGH = 0.7  # of what fits: if less waits, the overload is over
WORTHWHILE = 1.25  # of a push that takes next to nothing: what a push may take at least
FEWEST = 1  # units, however little fits: what waits must not wait for ever

ForecastOf = Callable[[int], timedelta]  # of a push that takes so many units


@dataclass(frozen=True, slots=True)
class Load:
    """What stands before a stage that chooses: at most so many units, and whether it was choosing."""

    units: int
    choosing: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """What a stage may take; `units` None: everything. `cost`: seconds for each of them."""

    units: int | None = None
    cost: float = 0.0
    reason: str = ""


EVERYTHING = Budget()


def allowed_time(freshness: timedelta, stale: timedelta) -> timedelta:
    """How long a push may take of a view that is `stale` when it begins."""
    return max(min(freshness * SHARE, freshness - stale), freshness * LEAST)


def by_forecast(
    load: Load, allowed: timedelta, forecast: ForecastOf, all_at_once: timedelta | None = None
) -> Budget:
    """As many units as fit the time.

    `all_at_once`: how long a push takes that need not choose, if that is not as long as choosing everything.
    """
    everything = forecast(load.units) if all_at_once is None else all_at_once
    allowed = max(allowed, forecast(FEWEST) * WORTHWHILE) if everything > allowed else allowed
    said = f"everything would take {_seconds(everything)}, and a push has {_seconds(allowed)}"
    if everything <= allowed * (ENOUGH if load.choosing else 1.0):
        return Budget(reason=said)
    units = load.units if everything <= allowed else _most_that_fit(load.units, allowed, forecast)
    return Budget(units, allowed.total_seconds() / max(units, 1), said)


def _most_that_fit(units: int, allowed: timedelta, forecast: ForecastOf) -> int:
    """By bisection, to a fiftieth."""
    low, high = FEWEST, max(units, FEWEST)
    while high - low > max(low // 50, 1):
        middle = (low + high) // 2
        low, high = (middle, high) if forecast(middle) <= allowed else (low, middle)
    return low


def by_rate(load: Load, per_second: float, seconds: float, what: str = "updates") -> Budget:
    """As many units as the user allows for the seconds that a push carries."""
    units = max(int(per_second * seconds), FEWEST)
    said = f"{per_second:,g} {what} per second are allowed, {units:,} for the {seconds:,.1f} s of this push"
    if load.units <= units * (ENOUGH if load.choosing else 1.0):
        return Budget(reason=said)
    return Budget(units, 1.0 / per_second, said)


def overloaded(budget: Budget, waiting: int, choosing: bool) -> bool:
    """Whether a stage is choosing, now that it is known how many units wait."""
    if budget.units is None:
        return False
    return waiting > budget.units * (ENOUGH if choosing else 1.0)


def _seconds(time: timedelta) -> str:
    return f"{time.total_seconds():.1f} s"

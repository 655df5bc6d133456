"""How much stages that choose may take in a push: one controller for all of them, pure.

A push of everything is forecast.  If it fits the time that the promise leaves for a push, everything is
taken. If not, the stage gets as many units (keys of an update stream, probes of a join) as fit, found by
interpolation on the forecast, which grows with them.  A user may set units per second instead; then no
forecast is asked.  Several stages share the time (`share_time`) by weight and by worth (sharing.py).

**How long may a push take?**  A view is as stale as the time since its last push began, and is stalest
when the next one ends.  With a push always under way that is twice a push: a push that takes SHARE of the
promise leaves the view within twice that, and the rest is room for what a forecast does not know.  If the
push before took longer than that, the view is staler when the next one begins: that one has to end by SAFE
of the promise, so that one overrun does not make two.  A view that is late already gets less, but never
less than LEAST: otherwise nothing but fixed costs would be left to spend.

**If hardly anything fits.**  What a push costs however little it takes may itself be longer than it may
take.  A little on top of that still keeps the promise, by the room that is left (SOME of those fixed costs).
If they are HOPELESS times as long as a push may take, the promise is broken either way, and taking next to
nothing would never catch up: a push gets WORTHWHILE of them.

**It does not flap.**  Overload begins when more waits than fits.  It ends when what waits is less than
ENOUGH of what fits; in between everything is taken, and the stage goes on as one that chooses.  Whether
it was choosing is the only memory, and it is stored with what waits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache

from headwater.overload.sharing import Contender, Part, divided

__all__ = [
    "ENOUGH", "EVERYTHING", "Budget", "Claim", "Load", "allowed_time", "by_forecast", "by_rate", "overloaded",
    "share_time",
]  # fmt: skip

SHARE = 0.35  # of the promise: what a push may take
SAFE = 0.85  # of the promise: by then a push should have ended, by a cautious forecast
LEAST = 0.1  # of the promise: what a push may take however late the view is
ENOUGH = 0.7  # of what fits: if less waits, the overload is over
SOME = 1.05  # of a push that takes next to nothing: what a push may take at least
HOPELESS = 1.5  # times what a push may take: if one that takes next to nothing is longer, the promise is lost
WORTHWHILE = 1.25  # of such a push: what it may take then
FEWEST = 1  # units, however little fits: what waits must not wait for ever

LEAST_COST = 1e-9  # seconds: a forecast may think that a unit costs nothing
ROUNDING = 1e-9
PARTS = 100_000  # of the time that everything would take: what is counted out when several share it

ForecastOf = Callable[[int], timedelta]  # of a push that takes so many units
ForecastOfAll = Callable[[Mapping[str, int]], timedelta]  # of so many units for each stage; all of the others


@dataclass(frozen=True, slots=True)
class Load:
    """What stands before a stage that chooses: at most so many units, and whether it was choosing."""

    units: int
    choosing: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """What a stage may take; `units` None: everything. `cost`: seconds for each of them.

    `share`: of the time that stages which choose have in this push; None: nobody had to choose.
    """

    units: int | None = None
    cost: float = 0.0
    reason: str = ""
    share: float | None = None


EVERYTHING = Budget()


def allowed_time(freshness: timedelta, stale: timedelta) -> timedelta:
    """How long a push may take of a view that is `stale` when it begins."""
    return max(min(freshness * SHARE, freshness * SAFE - stale), freshness * LEAST)


def by_forecast(
    load: Load, allowed: timedelta, forecast: ForecastOf, all_at_once: timedelta | None = None
) -> Budget:
    """As many units as fit the time.

    `all_at_once`: how long a push takes that need not choose, if that is not as long as choosing everything.
    """
    everything = forecast(load.units) if all_at_once is None else all_at_once
    fits = everything <= allowed * (ENOUGH if load.choosing else 1.0)
    if not fits and everything > allowed:
        least = forecast(FEWEST)
        worth = WORTHWHILE if least > allowed * HOPELESS else SOME
        # If choosing would take longer, it is no use.
        fits, allowed = everything <= least, max(allowed, least * worth)
    said = f"everything would take {_seconds(everything)}, and a push has {_seconds(allowed)}"
    if fits:
        return Budget(reason=said)
    units = load.units if everything <= allowed else _most_that_fit(load.units, allowed, forecast)
    return Budget(units, allowed.total_seconds() / max(units, 1), said)


def _most_that_fit(units: int, allowed: timedelta, forecast: ForecastOf) -> int:
    """To a fiftieth: where a straight line would be, and by bisection where the forecast is none."""
    low, high = FEWEST, max(units, FEWEST)
    least, most = forecast(low), forecast(high)
    by_line = True
    while high - low > max(low // 50, 1):
        share = (allowed - least) / (most - least) if by_line and least < allowed < most else 0.5
        # Just below what the line says, so that both ends close in.
        middle = min(max(low + int((high - low) * share * 0.99), low + 1), high - 1)
        took = forecast(middle)
        by_line = not by_line
        if took <= allowed:
            low, least = middle, took
        else:
            high, most = middle, took
    return low


def by_rate(load: Load, per_second: float, seconds: float, what: str = "updates") -> Budget:
    """As many units as the user allows for the seconds that a push carries."""
    units = max(int(per_second * seconds), FEWEST)
    said = f"{per_second:,g} {what} per second are allowed, {units:,} for the {seconds:,.1f} s of this push"
    if load.units <= units * (ENOUGH if load.choosing else 1.0):
        return Budget(reason=said)
    return Budget(units, 1.0 / per_second, said)


@dataclass(frozen=True, slots=True)
class Claim:
    """A stage that competes for the time of a push.

    `likely`: as many of its units as the forecast takes for all of them. `keys`: of an update stream, those
    over which its updates are spread.
    """

    name: str
    load: Load
    likely: int
    weight: float = 1.0
    keys: int | None = None


def share_time(claims: Sequence[Claim], allowed: timedelta, forecast: ForecastOfAll) -> dict[str, Budget]:
    """What each stage may take, so that all of it fits the time."""
    contenders = cache(  # only asked for if not everything fits
        lambda: _contenders(_of_use(claims, forecast), forecast)
    )

    def given(parts: int) -> dict[str, Part]:
        return divided(contenders(), sum(contender.need for contender in contenders()) * parts / PARTS)

    def units(parts: int) -> dict[str, int]:
        shares = given(parts)
        return {claim.name: _units(claim, shares[claim.name]) for claim in claims if claim.name in shares}

    choosing = any(claim.load.choosing for claim in claims)
    whole = by_forecast(
        Load(PARTS, choosing), allowed, lambda parts: forecast(units(parts)), all_at_once=forecast({})
    )
    if whole.units is None:
        return {claim.name: whole for claim in claims}
    shares = given(whole.units)
    return {
        claim.name: _granted(claim, shares[claim.name], whole)
        if claim.name in shares
        else Budget(reason=f"{whole.reason}, and to choose would take longer than to take all")
        for claim in claims
    }


def _of_use(claims: Sequence[Claim], forecast: ForecastOfAll) -> list[Claim]:
    """Without those for whom to choose, however little, takes longer than to take everything."""
    left = list(claims)
    for claim in claims:
        others = [other for other in left if other is not claim]
        if forecast(_few(others)) <= forecast(_few(left)):
            left = others
    return left


def _few(claims: Sequence[Claim]) -> dict[str, int]:
    return {claim.name: FEWEST for claim in claims}


def _contenders(claims: Sequence[Claim], forecast: ForecastOfAll) -> list[Contender]:
    """With what a unit of each costs: what all of them add to a push that takes next to nothing."""
    few = _few(claims)
    least = forecast(few)

    def cost(claim: Claim) -> float:
        added = forecast({**few, claim.name: claim.likely}) - least
        return max(added.total_seconds() / max(claim.likely, FEWEST), LEAST_COST)

    return [
        Contender(
            claim.name,
            max(claim.likely, FEWEST),
            cost(claim) if len(claims) > 1 else 1.0,  # alone, whatever it costs
            claim.weight,
            claim.keys,
        )
        for claim in claims
    ]


def _units(claim: Claim, part: Part) -> int:
    """All, if as many as the forecast counts may be taken."""
    if part.units >= max(claim.likely, FEWEST) * (1 - ROUNDING):
        return claim.load.units
    return max(int(part.units), FEWEST)


def _granted(claim: Claim, part: Part, whole: Budget) -> Budget:
    """A stage that gets all it needs while others do not need not choose."""
    assert whole.units is not None
    units, seconds = _units(claim, part), whole.cost * whole.units
    alone = part.share >= 1.0
    said = "" if alone else f", of which {claim.name} gets {part.share:.0%} of what there is to divide"
    budget = Budget(units, seconds * part.share / max(units, 1), whole.reason + said, part.share)
    enough = not claim.load.choosing or part.seconds <= part.entitled * ENOUGH
    return replace(budget, units=None) if units >= claim.load.units and enough and not alone else budget


def overloaded(budget: Budget, waiting: int, choosing: bool) -> bool:
    """Whether a stage is choosing, now that it is known how many units wait."""
    if budget.units is None:
        return False
    return waiting > budget.units * (ENOUGH if choosing else 1.0)


def _seconds(time: timedelta) -> str:
    return f"{time.total_seconds():.1f} s"

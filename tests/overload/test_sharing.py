"""Stages that compete divide the time of a push by their weights, and update streams by what an update is worth."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import timedelta

import pytest

from headwater.overload.budget import Claim, Load, share_time
from headwater.overload.sharing import Contender, divided

CASES = 150


def contenders(chance: random.Random, streams: bool) -> list[Contender]:
    return [
        Contender(
            f"c{number}",
            units=chance.randint(1, 10_000),
            cost=chance.uniform(1e-5, 1e-2),
            weight=chance.choice((0.5, 1.0, 1.0, 3.0)),
            keys=chance.randint(1, 5_000) if streams and chance.random() < 0.7 else None,
        )
        for number in range(chance.randint(1, 5))
    ]


@pytest.mark.parametrize("seed", range(CASES))
def test_all_the_time_is_given_and_nobody_gets_more_than_needed(seed: int) -> None:
    chance = random.Random(seed)
    group = contenders(chance, streams=True)
    needed = sum(contender.need for contender in group)
    seconds = needed * chance.choice((0.01, 0.3, 0.8, 1.0, 2.0))
    parts = divided(group, seconds)
    assert sum(part.seconds for part in parts.values()) == pytest.approx(min(seconds, needed), rel=1e-6)
    assert sum(part.share for part in parts.values()) == pytest.approx(1.0)
    for contender in group:
        assert parts[contender.name].seconds <= contender.need * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(CASES))
def test_joins_that_want_more_get_time_by_weight_and_none_less_than_its_weight_says(seed: int) -> None:
    chance = random.Random(seed)
    group = contenders(chance, streams=False)
    seconds = sum(contender.need for contender in group) * chance.uniform(0.05, 0.95)
    parts = divided(group, seconds)
    hungry = [contender for contender in group if parts[contender.name].seconds < contender.need * (1 - 1e-9)]
    levels = {round(parts[contender.name].seconds / contender.weight, 9) for contender in hungry}
    assert len(levels) <= 1 or max(levels) - min(levels) < 1e-6 * max(levels)
    for contender in group:
        part = parts[contender.name]
        assert part.seconds >= min(contender.need, part.entitled) * (1 - 1e-9)


def staleness(contender: Contender, refreshes: float) -> float:
    """The sum over its keys, of a stream whose keys are refreshed whenever they have been stale for a while."""
    keys = contender.keys or 1.0
    often, every = contender.units / keys, refreshes / keys
    stale = max(1.0 / every - 1.0 / often, 0.0)
    return keys * stale * stale * every / 2.0


@pytest.mark.parametrize("seed", range(CASES))
def test_streams_of_one_weight_are_divided_so_that_keys_are_least_stale(seed: int) -> None:
    """Whatever is moved from one to another, the sum of staleness is not less."""
    chance = random.Random(seed)
    group = [
        Contender(
            f"c{number}",
            chance.randint(10, 10_000),
            chance.uniform(1e-5, 1e-2),
            1.0,
            chance.randint(5, 9_000),
        )
        for number in range(3)
    ]
    parts = divided(group, sum(contender.need for contender in group) * chance.uniform(0.05, 0.95))
    best = sum(staleness(contender, parts[contender.name].units) for contender in group)
    for giver in group:
        for taker in group:
            moved = min(parts[giver.name].seconds * 0.05, taker.need - parts[taker.name].seconds)
            if giver is taker or moved <= 0:
                continue
            units = {contender.name: parts[contender.name].units for contender in group}
            units[giver.name] -= moved / giver.cost
            units[taker.name] += moved / taker.cost
            assert sum(staleness(member, units[member.name]) for member in group) >= best * (1 - 1e-9)


def test_what_is_superseded_is_worth_nothing() -> None:
    """Ten keys that are updated a thousand times each do not starve ten thousand that are updated once."""
    few, many = Contender("few", 10_000, 0.001, 1.0, 10), Contender("many", 10_000, 0.001, 1.0, 10_000)
    parts = divided([few, many], 4.0)
    assert parts["few"].units < 20
    assert parts["many"].units > 3_980


FIXED, ALLOWED = 1.0, timedelta(seconds=3)
CLAIMS = [
    Claim("quotes", Load(9_000), 9_000, weight=3.0, keys=9_000),
    Claim("arbitrage", Load(50_000), 50_000),
]
COSTS = {"quotes": 0.001, "arbitrage": 0.0001}


def push(units: Mapping[str, int], claims: list[Claim]) -> timedelta:
    taken = {claim.name: units.get(claim.name, claim.likely) for claim in claims}
    return timedelta(seconds=FIXED + sum(taken[name] * COSTS[name] for name in taken))


def test_a_stream_and_a_join_share_by_weight() -> None:
    shared = share_time(CLAIMS, ALLOWED, lambda units: push(units, CLAIMS))
    quotes, arbitrage = shared["quotes"], shared["arbitrage"]
    assert quotes.share == pytest.approx(0.75, rel=0.03)
    assert arbitrage.share == pytest.approx(0.25, rel=0.03)
    assert quotes.units is not None
    assert arbitrage.units is not None
    assert quotes.units == pytest.approx(1_500, rel=0.05)
    assert arbitrage.units == pytest.approx(5_000, rel=0.05)
    assert push({"quotes": quotes.units, "arbitrage": arbitrage.units}, CLAIMS) <= ALLOWED
    assert "quotes gets 75%" in quotes.reason


def test_who_needs_little_need_not_choose() -> None:
    claims = [CLAIMS[0], Claim("arbitrage", Load(100), 100)]
    shared = share_time(claims, ALLOWED, lambda units: push(units, claims))
    assert shared["arbitrage"].units is None
    assert shared["quotes"].units == pytest.approx(1_990, rel=0.03)


def test_a_stream_that_chooses_goes_on_until_its_share_is_more_than_enough() -> None:
    """What it needs is below what its weight entitles it to, but not much: it takes all, and does not flap."""
    for needed, leaves in ((450, False), (200, True)):
        claims = [
            Claim("quotes", Load(needed, choosing=True), needed, weight=1.0, keys=needed),
            Claim("arbitrage", Load(50_000), 50_000, weight=3.0),
        ]
        shared = share_time(claims, ALLOWED, lambda units, claims=claims: push(units, claims))  # type: ignore[misc]
        assert shared["quotes"].units == (None if leaves else needed)


def test_who_would_take_longer_to_choose_takes_everything_and_keeps_nobody_from_choosing() -> None:
    """To choose among few quotes takes two seconds by itself: that must not make a long join pay."""
    claims = [Claim("quotes", Load(100), 100, keys=100), Claim("arbitrage", Load(50_000), 50_000)]

    def forecast(units: Mapping[str, int]) -> timedelta:
        return push(units, claims) + timedelta(seconds=5 if "quotes" in units else 0)

    shared = share_time(claims, ALLOWED, forecast)
    assert shared["quotes"].units is None
    assert "longer" in shared["quotes"].reason
    assert shared["arbitrage"].units == pytest.approx(19_000, rel=0.03)


def test_alone_it_is_as_it_was() -> None:
    claims = [CLAIMS[0]]
    (budget,) = share_time(claims, ALLOWED, lambda units: push(units, claims)).values()
    assert budget.units == pytest.approx(2_000, rel=0.03)
    assert budget.cost == pytest.approx(3.0 / (budget.units or 1))
    assert budget.share == 1.0
    (everything,) = share_time(claims, timedelta(seconds=20), lambda units: push(units, claims)).values()
    assert (everything.units, everything.share) == (None, None)

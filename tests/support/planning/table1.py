"""The nine relations and 25 sharings of the paper's Table 1, on six sites, at 1,000 tweets a second."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from headwater.model import Prices, Site
from headwater.planning.facts.facts import Facts, Origin
from headwater.planning.facts.situation import Situation
from headwater.planning.relations.relations import Input, Relation, Sharing

TWEETS = 7_000_000.0
PER_TWEET = {
    "users": 0.3, "tweets": 1.0, "socnet": 0.25, "loc": 0.02, "curloc": 0.1,
    "urls": 0.2, "hashtags": 0.2, "photos": 0.05, "foursq": 0.02,
}  # fmt: skip
BYTES = {
    "users": 30.0, "tweets": 90.0, "socnet": 16.0, "loc": 30.0, "curloc": 24.0,
    "urls": 50.0, "hashtags": 24.0, "photos": 50.0, "foursq": 16.0,
}  # fmt: skip
BY_USER = {"users", "tweets", "socnet", "loc"}
BY_TWEET = {"tweets", "curloc", "urls", "hashtags", "photos", "foursq"}
TABLE_1 = (
    "users socnet", "users tweets curloc", "users tweets urls", "users tweets urls curloc", "users tweets",
    "tweets curloc", "urls curloc", "tweets photos", "foursq tweets", "hashtags tweets",
    "foursq users tweets curloc", "foursq users tweets", "foursq users tweets loc", "tweets loc",
    "users loc tweets curloc", "foursq users tweets socnet", "users loc", "users tweets photos curloc",
    "users tweets hashtags curloc", "users tweets hashtags photos curloc", "users tweets foursq photos curloc",
    "foursq curloc", "photos curloc", "hashtags curloc", "hashtags users tweets",
)  # fmt: skip
SITES = tuple(f"m{number}" for number in range(1, 7))


def joined(names: Sequence[str]) -> Relation:
    """A natural join: everything about users on uid, everything about tweets on tid."""
    inputs = tuple(sorted(Input(name, name) for name in names))
    groups = (
        tuple(f"{input.name}.{column}" for input in inputs if input.name in having)
        for column, having in (("tid", BY_TWEET), ("uid", BY_USER))
    )
    return Relation(inputs, tuple(group for group in groups if len(group) > 1))


def facts(rate: float = 1000.0, tweets: float = TWEETS) -> dict[str, Facts]:
    def source_facts(name: str) -> Facts:
        share = PER_TWEET[name]
        distinct = {"tid": tweets} if name in BY_TWEET else {}
        distinct |= {"uid": tweets * PER_TWEET["users"]} if name in BY_USER else {}
        keys = (("uid",),) if name == "users" else (("tid",),) if name == "tweets" else ()
        return Facts(
            share * tweets, share * rate, Origin.EXPECTED, Origin.EXPECTED, BYTES[name], distinct, keys
        )

    return {name: source_facts(name) for name in PER_TWEET}


def situation(
    rate: float = 1000.0, tweets: float = TWEETS, sites: Sequence[str] = SITES, prices: Prices | None = None
) -> Situation:
    homes = {name: sites[at % len(sites)] for at, name in enumerate(PER_TWEET)}
    return Situation(
        {name: Site(name, prices=prices or Prices()) for name in sites}, facts(rate, tweets), homes
    )


def sharings(
    freshness: float = 45.0, sites: Sequence[str] = SITES, penalty: str = "0", copies: int = 1
) -> tuple[Sharing, ...]:
    """S1 to S25, each at a site; `copies` places them all again on further sites (Figure 11c)."""
    return tuple(
        Sharing(
            f"S{at + 1}" + (f"_{copy + 1}" if copy else ""),
            joined(names.split()),
            sites[(at * 5 + at // 6 + copy) % len(sites)],
            timedelta(seconds=freshness),
            Decimal(penalty),
        )
        for copy in range(copies)
        for at, names in enumerate(TABLE_1)
    )

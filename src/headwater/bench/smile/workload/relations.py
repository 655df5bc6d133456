"""The nine base relations of the SMILE paper, generated in slices of so many tweets with their rows.

New rows per tweet are RATIOS.  A tweet's user is new with probability 0.3; else one of the users so far,
drawn with a skew: the user of rank r (the oldest has rank 1) has a probability proportional to r ** -SKEW.
Rows of curloc, urls, hashtags, photos and foursq belong to tweets of their own slice, rows of socnet and loc
to users who tweet in it; ids only grow.

Invariant: a slice is a function of the seed, the position (tweets and users so far) and its number of tweets,
and nothing else.  So two runs that are cut into the same slices get the same rows.

Cost: about a second per million tweets, and the memory of one slice.

Doubt: SKEW is a choice.  At 0.5 the busiest of 2 million users writes one tweet in a thousand; at 1 it
would be one in twenty, and users * tweets * foursq * socnet would grow with the square of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["RATIOS", "SCHEMAS", "SKEW", "Position", "Slice", "slice_of", "slices"]

Ints = np.ndarray[Any, np.dtype[np.int64]]

RATIOS: Mapping[str, float] = {
    "tweets": 1.0,
    "users": 0.3,
    "socnet": 0.25,
    "loc": 0.02,
    "curloc": 0.1,
    "urls": 0.2,
    "hashtags": 0.2,
    "photos": 0.05,
    "foursq": 0.02,
}
SCHEMAS: Mapping[str, Mapping[str, str]] = {
    "users": {"uid": "BIGINT", "name": "STRING"},
    "tweets": {"tid": "BIGINT", "uid": "BIGINT", "text": "STRING"},
    "socnet": {"uid": "BIGINT", "uid2": "BIGINT"},
    "loc": {"uid": "BIGINT", "place": "STRING"},
    "curloc": {"tid": "BIGINT", "lat": "DOUBLE", "lng": "DOUBLE"},
    "urls": {"tid": "BIGINT", "url": "STRING"},
    "hashtags": {"tid": "BIGINT", "tag": "STRING"},
    "photos": {"tid": "BIGINT", "url": "STRING"},
    "foursq": {"tid": "BIGINT", "rid": "BIGINT"},
}
SKEW = 0.5
WORDS_OF_A_TEXT = 6  # of nine letters on average: about 60 characters
PLACES, TAGS, RESTAURANTS = 2_000, 20_000, 50_000


@dataclass(frozen=True, slots=True)
class Position:
    """How far the stream of tweets has come. Ids start at 1."""

    tweets: int = 0
    users: int = 0


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows of a number of tweets, by table, and the position after them."""

    rows: Mapping[str, pa.Table]
    after: Position

    @property
    def size(self) -> int:
        return sum(table.num_rows for table in self.rows.values())


def slices(seed: int, position: Position, tweets: int, each: int) -> Iterator[Slice]:
    """That many tweets in slices of `each`."""
    while tweets > 0:
        part = slice_of(seed, position, min(each, tweets))
        yield part
        position, tweets = part.after, tweets - each


def slice_of(seed: int, position: Position, tweets: int) -> Slice:
    """The next `tweets` tweets with their rows."""
    chance = np.random.default_rng((seed, position.tweets, position.users))
    tids = np.arange(position.tweets + 1, position.tweets + tweets + 1)
    uids, newest = _users_of_tweets(chance, position, tweets)
    after = Position(position.tweets + tweets, newest)

    def count(table: str) -> int:
        """Rounded over the entire stream, not within a slice, so that small slices keep the ratio too."""
        return int(after.tweets * RATIOS[table] + 1e-6) - int(position.tweets * RATIOS[table] + 1e-6)

    active = np.unique(uids)
    rows = {
        "users": _users(np.arange(position.users + 1, newest + 1)),
        "tweets": pa.table({"tid": tids, "uid": uids, "text": _texts(chance, tweets)}),
        "socnet": _socnet(chance, active, newest, count("socnet")),
        "loc": _loc(chance, active, count("loc")),
        "curloc": _curloc(chance, _sample(chance, tids, count("curloc"))),
        "urls": _with_links(chance, _sample(chance, tids, count("urls")), "https://t.co/"),
        "hashtags": _hashtags(chance, np.sort(chance.choice(tids, count("hashtags")))),
        "photos": _with_links(chance, _sample(chance, tids, count("photos")), "https://twitpic.com/"),
        "foursq": _foursq(chance, _sample(chance, tids, count("foursq"))),
    }
    return Slice(rows, after)


def _users_of_tweets(chance: np.random.Generator, position: Position, tweets: int) -> tuple[Ints, int]:
    """The user of each tweet, and the newest user afterwards."""
    new = chance.random(tweets) < RATIOS["users"]
    new[0] |= position.users == 0  # the very first tweet has nobody else
    newest = position.users + np.cumsum(new)
    return np.where(new, newest, _skewed(chance, newest)), int(newest[-1])


def _skewed(chance: np.random.Generator, newest: Ints) -> Ints:
    """A user for each tweet among the first `newest`: rank r with a density proportional to r ** -SKEW."""
    drawn = newest * chance.random(len(newest)) ** (1 / (1 - SKEW))
    return np.minimum(drawn.astype(np.int64) + 1, newest)


def _sample(chance: np.random.Generator, ids: Ints, count: int) -> Ints:
    """That many different ids, in order."""
    return np.sort(chance.choice(ids, min(count, len(ids)), replace=False))


def _users(uids: Ints) -> pa.Table:
    spread = uids * 2_654_435_761 % len(_words())
    first = _words().take(pa.array(spread))
    return pa.table(
        {"uid": uids, "name": pc.binary_join_element_wise(first, pa.array(uids.astype("U20")), "_")}
    )


def _socnet(chance: np.random.Generator, active: Ints, newest: int, count: int) -> pa.Table:
    """Who follows whom: a user who just tweeted, and any other."""
    followed = _skewed(chance, np.full(count, newest, np.int64))
    return pa.table({"uid": np.sort(chance.choice(active, count)), "uid2": followed})


def _loc(chance: np.random.Generator, active: Ints, count: int) -> pa.Table:
    places = pc.binary_join_element_wise(
        _words().take(pa.array(chance.integers(0, PLACES, count))), "City", " "
    )
    return pa.table({"uid": _sample(chance, active, count), "place": places})


def _curloc(chance: np.random.Generator, tids: Ints) -> pa.Table:
    lat = np.round(chance.uniform(-60, 70, len(tids)), 6)
    return pa.table({"tid": tids, "lat": lat, "lng": np.round(chance.uniform(-180, 180, len(tids)), 6)})


def _with_links(chance: np.random.Generator, tids: Ints, prefix: str) -> pa.Table:
    tail = pa.array(chance.integers(16**9, 16**10, len(tids)).astype("U20"))
    return pa.table({"tid": tids, "url": pc.binary_join_element_wise(prefix, tail, "")})


def _hashtags(chance: np.random.Generator, tids: Ints) -> pa.Table:
    ranks = _skewed(chance, np.full(len(tids), TAGS, np.int64)) - 1
    return pa.table(
        {"tid": tids, "tag": pc.binary_join_element_wise("#", _words().take(pa.array(ranks)), "")}
    )


def _foursq(chance: np.random.Generator, tids: Ints) -> pa.Table:
    return pa.table({"tid": tids, "rid": chance.integers(1, RESTAURANTS + 1, len(tids))})


def _texts(chance: np.random.Generator, count: int) -> pa.Array:
    words = [
        _words().take(pa.array(chance.integers(0, len(_words()), count))) for _ in range(WORDS_OF_A_TEXT)
    ]
    return pc.binary_join_element_wise(*words, " ")


@cache
def _words() -> pa.Array:
    """A vocabulary: invented words of six to twelve letters, all different."""
    chance = np.random.default_rng(20_140_324)
    syllables = np.array([a + b for a in "bcdfghklmnprstvz" for b in "aeiou"])
    words: dict[str, None] = {}
    while len(words) < TAGS:
        lengths = chance.integers(3, 7, 4_096)
        for length, row in zip(lengths, chance.choice(syllables, (4_096, 6)), strict=True):
            words["".join(row[:length])] = None
    return pa.array(list(words)[:TAGS])

"""The 25 sharings of the paper's Table 1, as SQL: natural joins by uid and tid, every column once.

    S5   users * tweets     SELECT tweets.tid, tweets.uid, text, name FROM tweets JOIN users ON ...

Relations are joined in the order of ORDER, each on a column that an earlier one has: tweets connect users
and tweet contents; without tweets, contents join each other on tid.  Columns of equal name that are not
joined on are renamed: photos.url is `photo_url`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.bench.smile.workload.relations import SCHEMAS

__all__ = ["APPS", "App", "app", "select"]

ORDER = ("tweets", "users", "socnet", "loc", "foursq", "hashtags", "urls", "photos", "curloc")
KEYS = ("tid", "uid")
NAMES = {("photos", "url"): "photo_url"}


@dataclass(frozen=True, slots=True)
class App:
    """A sharing: its number in Table 1, the app that wants it, and what it joins."""

    number: int
    app: str
    relations: frozenset[str]

    @property
    def name(self) -> str:
        """`s01_twitaholic`: also in order when sorted."""
        return f"s{self.number:02d}_{self.app}"

    @property
    def sql(self) -> str:
        return select(sorted(self.relations, key=ORDER.index))


def select(relations: Sequence[str]) -> str:
    """The natural join of relations, each column once and with a unique name."""
    columns: dict[str, str] = {}
    lines: list[str] = []
    for relation in relations:
        own = SCHEMAS[relation]
        shared = [(key, columns[key]) for key in KEYS if key in own and key in columns]
        conditions = " AND ".join(f"{relation}.{key} = {other}" for key, other in shared)
        lines.append(f"JOIN {relation} ON {conditions}" if lines else f"FROM {relation}")
        for column in own:
            columns.setdefault(NAMES.get((relation, column), column), f"{relation}.{column}")
    shown = [
        origin if origin.endswith(f".{name}") else f"{origin} AS {name}" for name, origin in columns.items()
    ]
    return "\n  ".join([f"SELECT {', '.join(shown)}", *lines])


def _app(number: int, app: str, relations: str) -> App:
    return App(number, app, frozenset(relations.split()))


APPS: tuple[App, ...] = (
    _app(1, "twitaholic", "users socnet"),
    _app(2, "twellow", "users tweets curloc"),
    _app(3, "tweetmeme", "users tweets urls"),
    _app(4, "twitdom", "users tweets urls curloc"),
    _app(5, "tweetstats", "users tweets"),
    _app(6, "nearbytweets", "tweets curloc"),
    _app(7, "nearbyurls", "urls curloc"),
    _app(8, "twitpic", "tweets photos"),
    _app(9, "checkoutcheckins", "foursq tweets"),
    _app(10, "monitter", "hashtags tweets"),
    _app(11, "arrivaltracker", "foursq users tweets curloc"),
    _app(12, "route", "foursq users tweets"),
    _app(13, "loccus", "foursq users tweets loc"),
    _app(14, "locafollow", "tweets loc"),
    _app(15, "twittervision", "users loc tweets curloc"),
    _app(16, "yelp", "foursq users tweets socnet"),
    _app(17, "twittermap", "users loc"),
    _app(18, "twitter360", "users tweets photos curloc"),
    _app(19, "hashtagsorg", "users tweets hashtags curloc"),
    _app(20, "nearbytagphotos", "users tweets hashtags photos curloc"),
    _app(21, "nearbycheckinphotos", "users tweets foursq photos curloc"),
    _app(22, "nearbycheckins", "foursq curloc"),
    _app(23, "twitxr", "photos curloc"),
    _app(24, "nearbytags", "hashtags curloc"),
    _app(25, "twistroi", "hashtags users tweets"),
)


def app(number: int) -> App:
    """A sharing by its number in Table 1."""
    return APPS[number - 1]

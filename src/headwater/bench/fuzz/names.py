"""Random names, from plain ones to those that no table can have; and how SQL writes them."""

from __future__ import annotations

import random
from collections.abc import Container
from dataclasses import dataclass

__all__ = ["Name", "random_folder", "random_name"]

PLAIN = ("orders", "id", "name", "Total", "x1", "a_b", "CamelCase", "t", "n", "value", "k9", "UPPER")
BEYOND_ASCII = (
    "naïve",
    "größe",
    "имя",
    "数量",
    "é",
    "Ünïcode",
    "ñandú",
    "ﬁeld",
    "İstanbul",
    "straße",
    "Ελλάδα",
)
KEYWORDS = (
    "select", "order", "group", "table", "user", "date", "timestamp", "interval", "window", "left", "join",
    "from", "where", "case", "end", "null", "true", "values", "using", "view", "limit", "all", "in", "is",
    "row", "rows", "year", "count", "sum", "cast", "current_date", "key", "primary", "default", "with", "as",
)  # fmt: skip
STRANGE = (
    "with space", "a'b", 'a"b', "a`b", "a.b", "a-b", "$1", "a@b", "1st", "_hidden", "", " ", "a\nb", "tab\tb",
    "..", "a/b", "../up", "%41", "a;b", "a,b", "(a)", "{a}", "a=b", "back\\slash", "😀", "e\u0301", "\u200b",
    "_weight", "_time", "x" * 128, "x" * 300, "ж" * 100, "-- c", "/* c", "NUL", "a$1@b",
)  # fmt: skip
FOLDERS = (
    "shop",
    "with space",
    "größe",
    "it's",
    'quo"te',
    "a;b",
    "$HOME",
    "-dash",
    "a&b",
    "[x]",
    "100%",
    "ж",
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name and whether SQL writes it in quotes."""

    text: str
    quoted: bool

    @property
    def sql(self) -> str:
        return "`" + self.text.replace("`", "``") + "`" if self.quoted else self.text


def random_name(chance: random.Random, wild: bool, taken: Container[str] = ()) -> Name:
    """A name that is not taken, without regard to case; a `wild` one may be none that can be used."""
    while True:
        name = _drawn(chance, wild)
        if name.text.lower() not in taken:
            return name


def _drawn(chance: random.Random, wild: bool) -> Name:
    share = chance.random()
    if wild and share < 0.15:
        return Name(chance.choice(STRANGE), quoted=chance.random() < 0.8)
    if wild and share < 0.25:
        return Name(chance.choice(KEYWORDS), quoted=False)
    if share < 0.4:
        return Name(_varied(chance, chance.choice(KEYWORDS)), quoted=True)
    words = BEYOND_ASCII if share < 0.65 else PLAIN
    return Name(_varied(chance, chance.choice(words)), quoted=chance.random() < 0.4)


def _varied(chance: random.Random, word: str) -> str:
    varied = chance.choice((word, word.upper(), word.capitalize(), word))
    return varied if chance.random() < 0.4 else f"{varied}_{chance.randint(0, 99)}"


def random_folder(chance: random.Random) -> str:
    return chance.choice(FOLDERS) if chance.random() < 0.5 else "shop"

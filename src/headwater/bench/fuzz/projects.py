"""A random project: its files, what is fed to it, and whether anything about it is broken on purpose."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.bench.fuzz.names import random_folder
from headwater.bench.fuzz.tables import RandomTable, random_table
from headwater.bench.fuzz.views import RandomView, random_view

__all__ = ["RandomProject", "random_project"]

SETTINGS = (
    "name: shop\n",
    "name: 'größe'\nfreshness: 30 seconds\n",
    "name: shop\nprices: {core_hour: 1}\nretention: {history: 1 hour}\n",
    "name: shop\ndurability: fast\nstorage: ./where it is\n",
)
WRONG_SETTINGS = (
    "", "name:\n", "name: [1\n", "name: shop\nfreshness: soon\n", "name: shop\nmaster: local\n",
    'name: shop\nspark: {master: "lcoal[*]"}\n', "- a\n", "name: shop\nstorage: s3://bucket/x\n",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RandomProject:
    seed: int
    folder: str
    files: Mapping[str, str]  # headwater.yml and SQL files; {root} stands for the folder
    tables: tuple[RandomTable, ...]
    views: tuple[RandomView, ...]
    more: RandomView  # to be added later
    intact: bool  # nothing was broken on purpose, and every name can be used

    @property
    def may_fail(self) -> bool:
        """Whether a run may find something that it cannot apply."""
        return any(view.may_fail for view in (*self.views, self.more))


def random_project(seed: int) -> RandomProject:
    chance = random.Random(seed)
    wild = chance.random() < 0.5
    taken: set[str] = set()
    tables = [random_table(chance, wild, taken, number) for number in range(chance.randint(1, 3))]
    views: list[RandomView] = []
    for _ in range(chance.randint(1, 4)):
        views.append(random_view(chance, wild, taken, tables, views))
    more = random_view(chance, wild, taken, tables, views)
    files = {
        "headwater.yml": chance.choice(SETTINGS),
        "tables.sql": "\n".join(table.sql for table in tables) + "\n",
        "views.sql": "\n".join(view.sql for view in views) + "\n",
    }
    broken = wild and chance.random() < 0.5
    if broken:
        files |= _broken(chance, files)
    return RandomProject(
        seed, random_folder(chance), files, tuple(tables), tuple(views), more, intact=not wild
    )


def _broken(chance: random.Random, files: Mapping[str, str]) -> dict[str, str]:
    """One file made wrong, perhaps."""
    name = chance.choice(list(files))
    if name == "headwater.yml":
        return {name: chance.choice(WRONG_SETTINGS)}
    text = files[name]
    at = chance.randrange(len(text))
    match chance.randint(0, 4):
        case 0:
            return {name: text[:at] + text[at + 1 :]}
        case 1:
            return {name: text[:at]}
        case 2:
            return {name: text[:at] + chance.choice("';()`\"\\,.é\x00- ") + text[at:]}
        case 3:
            words = text.split(" ")
            words.insert(chance.randrange(len(words)), chance.choice(words))
            return {name: " ".join(words)}
        case _:
            return {name: ""}

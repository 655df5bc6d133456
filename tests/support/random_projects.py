"""Random projects: tables, views over tables and views, joined, filtered and grouped, at one site or several."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import headwater
from headwater.api import Headwater
from headwater.clock import ManualClock

SITES = (
    {},
    {"here": "", "there": ""},  # which share the project's Spark
    {"here": "", "there": "sc://there:15002", "yonder": "sc://yonder:15002"},
)


def random_project(
    folder: Path,
    seed: int,
    tables_of: tuple[int, int] = (2, 4),
    views_of: tuple[int, int] = (2, 6),
    sites_of: Sequence[Mapping[str, str]] = SITES,
) -> Headwater:
    """Opened, with a clock that moves when told; every column is a BIGINT."""
    chance = random.Random(seed)
    sites = sites_of[seed % len(sites_of)]
    tables = [f"t{number}" for number in range(chance.randint(*tables_of))]
    lines = [
        f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, a BIGINT, b BIGINT){_at(chance, sites)};"
        for name in tables
    ]
    relations = list(tables)
    for number in range(chance.randint(*views_of)):
        name = f"v{number}"
        lines.append(
            f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '{chance.randint(60, 120)}' SECOND"
            f"{_at(chance, sites)} AS {_select(chance, relations)};"
        )
        relations.append(name)
    (folder / "project.sql").write_text("\n".join(lines))
    placed = "".join(
        f"\n  {name}: {{storage: ./{name}{f', spark: {spark!r}' if spark else ''}}}"
        for name, spark in sites.items()
    )
    (folder / "headwater.yml").write_text(f"name: random{f'{chr(10)}sites:{placed}' if sites else ''}\n")
    return headwater.open(str(folder), ManualClock())


def _at(chance: random.Random, sites: Mapping[str, str]) -> str:
    return f" AT SITE {chance.choice(list(sites))}" if sites else ""


def _select(chance: random.Random, relations: list[str]) -> str:
    """Columns id, a and b, whatever it is."""
    inputs = chance.sample(relations, min(len(relations), chance.randint(1, 3)))
    views = [name for name in inputs if name.startswith("v")]
    inputs = [name for name in inputs if name not in views[1:]]  # joins of views would grow without end
    joins = f"{inputs[0]} x0"
    for number, name in enumerate(inputs[1:], 1):
        other = chance.randrange(number)
        joins += f" JOIN {name} x{number} ON x{number}.a = x{other}.{chance.choice(['a', 'b', 'id'])}"
    where = f" WHERE x0.b > {chance.randint(-3, 1)}" if chance.random() < 0.4 else ""
    last = f"x{len(inputs) - 1}"
    if chance.random() < 0.35:
        return f"SELECT x0.a AS id, count(*) AS a, sum({last}.b) AS b FROM {joins}{where} GROUP BY x0.a"
    return f"SELECT x0.id AS id, {last}.a AS a, {last}.b AS b FROM {joins}{where}"


def random_rows(chance: random.Random, start: int, count: int = 8) -> list[dict[str, int]]:
    """New rows whose values meet those that are there."""
    return [
        {"id": start + number, "a": chance.randint(0, 40), "b": chance.randint(0, 40)}
        for number in range(count)
    ]

"""Random sharings over a few small sources, made so that they have much in common."""

from __future__ import annotations

import random
from datetime import timedelta

from headwater.algebra.expressions.tree import Column, Expr, Literal, call, spark_sql
from headwater.model import Site
from headwater.planning.facts.facts import Facts
from headwater.planning.facts.situation import Situation
from headwater.planning.relations.relations import Input, Relation, Sharing

SOURCES = ("r0", "r1", "r2", "r3", "r4")
SCHEMAS = dict.fromkeys(SOURCES, ("k", "a", "b"))
SITES = ("m1", "m2", "m3")
HOMES = {name: SITES[at % len(SITES)] for at, name in enumerate(SOURCES)}

VALUES = {"k": 200_000.0, "a": 200_000.0, "b": 100.0}
# Of different sizes, so that plans differ; r0 is large and slow, r4 small and fast.
FACTS = {name: Facts(2e5 / (at + 1), 5.0 * 2**at, distinct=VALUES) for at, name in enumerate(HOMES)}
SITUATION = Situation({name: Site(name) for name in SITES}, FACTS, HOMES)


def random_sharings(
    seed: int, count: int = 4, largest: int = 4, sites: tuple[str, ...] = SITES
) -> list[Sharing]:
    randomly = random.Random(seed)
    return [_sharing(f"S{number}", randomly, largest, sites) for number in range(1, count + 1)]


def _sharing(view: str, randomly: random.Random, largest: int, sites: tuple[str, ...]) -> Sharing:
    names = randomly.sample(SOURCES, randomly.randint(1, largest))
    if randomly.random() < 0.15:
        names.append(f"{names[0]}#2")
    names.sort()
    inputs = tuple(Input(name, name.split("#")[0], _filters(name, randomly)) for name in names)
    core = Relation(inputs, _classes(names, randomly), _conditions(names, randomly))
    tail = "aggregate" if randomly.random() < 0.15 else ""
    return Sharing(
        view, core, randomly.choice(sites), timedelta(seconds=randomly.choice((20, 45, 90))), tail=tail
    )


def _filters(name: str, randomly: random.Random) -> tuple[Expr, ...]:
    if randomly.random() < 0.6:
        return ()
    column = Column(f"{name}.{randomly.choice('ab')}")
    value = randomly.randrange(2)
    return (call(randomly.choice(("gt", "gte", "eq", "lte")), column, Literal(value, str(value))),)


def _conditions(names: list[str], randomly: random.Random) -> tuple[Expr, ...]:
    if len(names) < 2 or randomly.random() < 0.85:
        return ()
    left, right = randomly.sample(names, 2)
    return tuple(sorted((call("lte", Column(f"{left}.b"), Column(f"{right}.b")),), key=spark_sql))


def _classes(names: list[str], randomly: random.Random) -> tuple[tuple[str, ...], ...]:
    """Mostly all on k; sometimes a chain with a = k, which makes several classes."""
    if len(names) < 2:
        return ()
    if randomly.random() < 0.6:
        return (tuple(f"{name}.k" for name in names),)
    pairs = zip(names, names[1:], strict=False)
    return tuple(sorted(tuple(sorted((f"{left}.a", f"{right}.k"))) for left, right in pairs))

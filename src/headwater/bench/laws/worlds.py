"""A random world: sources with rows, views over them and over each other, and batches of changes.

A batch inserts, deletes and updates rows, leaves some sources alone, and sometimes only inserts.  A delete
removes one copy of a row that is there, so a source never holds a negative weight.

Every push has its time, and some of the instants that views compare with move along: localtimestamp().

In a poisoned world expressions fail for some values: such rows come now and then, and go soon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

from headwater.algebra.expressions.tree import Column, Expr, Literal, call, transform
from headwater.algebra.expressions.values import Row
from headwater.algebra.oracle.zsets import ZSet, add, consolidate
from headwater.algebra.plans.expressions import with_expressions
from headwater.algebra.plans.nodes import Filter, Plan, Scan
from headwater.algebra.plans.walks import rewrite_up
from headwater.bench.laws.random_expressions import TYPES, Typed, value
from headwater.bench.laws.random_plans import Generator, TypedPlan

__all__ = ["World", "poisoned_world", "random_world"]

_START = datetime(2024, 1, 1) - datetime(1970, 1, 1)
FAILING, POISON = 0.35, 0.06  # how many expressions can fail, and how many values they fail for


@dataclass(frozen=True, slots=True)
class World:
    """`batches` hold one delta for each source that the batch names as changed (it may be empty)."""

    seed: int
    sources: dict[str, Typed]
    start: dict[str, ZSet]
    views: dict[str, TypedPlan]
    batches: tuple[dict[str, ZSet], ...]

    def time(self, push: int) -> int:
        """The time of a push, in microseconds since 1970; the first computation is push 0."""
        return (_START + timedelta(seconds=3 + push * (1 + self.seed % 4))) // timedelta(microseconds=1)


def random_world(seed: int) -> World:
    world = _world(seed, Random(seed), 0.0, None)
    moving, relations = Random(seed), dict(world.sources)
    views = {}
    for name, view in world.views.items():
        views[name] = replace(view, plan=_moving(moving, view.plan, relations))
        relations[name] = view.typed
    return replace(world, views=views)


def _moving(random: Random, plan: Plan, relations: Mapping[str, Typed]) -> Plan:
    """The plan with half of its instants so far before or after the time of a push, and some more of them."""

    def moved(part: Expr) -> Expr:
        instant = isinstance(part, Literal) and isinstance(part.value, datetime)
        return _moment(random) if instant and random.random() < 0.5 else part

    def step(node: Plan) -> Plan:
        node = with_expressions(node, lambda expr: transform(expr, moved))
        times = _times(node, relations) if isinstance(node, Scan) and random.random() < 0.4 else []
        if not times:
            return node
        comparison = random.choice(("lt", "lte", "gt", "gte", "gt", "eq"))
        return Filter(node, call(comparison, Column(random.choice(times)), _moment(random)))

    return rewrite_up(plan, step)


def _moment(random: Random) -> Expr:
    seconds = random.randint(0, 6)
    length = Literal(timedelta(seconds=seconds), f"INTERVAL '{seconds}' SECOND")
    return call(random.choice(("add", "sub")), call("localtimestamp"), length)


def _times(scan: Scan, relations: Mapping[str, Typed]) -> list[str]:
    kinds = dict(relations[scan.relation])
    return [f"{scan.alias}.{name}" for name in scan.names if kinds[name] == "timestamp"]


def poisoned_world(seed: int) -> World:
    """One whose expressions fail for some rows."""
    return _world(seed, Random(seed), FAILING, POISON)


def _world(seed: int, random: Random, failing: float, poison: float | None) -> World:
    sources = {name: _columns(random) for name in ("r", "s", "t")[: random.randint(1, 3)]}
    start = {name: consolidate(_rows(random, columns, 6, poison)) for name, columns in sources.items()}
    relations, views = dict(sources), {}
    for name in ("v", "w")[: random.choice((1, 1, 2))]:
        views[name] = Generator(random, relations, failing).view(random.randint(1, 4))
        relations[name] = views[name].typed
    batches = tuple(_batches(random, sources, start, random.randint(1, 3), poison))
    return World(seed, sources, start, views, batches)


def _columns(random: Random) -> Typed:
    kinds = random.sample(TYPES, random.randint(2, 4))
    if "int" not in kinds:
        kinds[0] = "int"  # something to join on
    return tuple((f"x{index}", kind) for index, kind in enumerate(kinds))


def _rows(
    random: Random, columns: Typed, most: int, poison: float | None = None
) -> Iterator[tuple[Row, int]]:
    for _ in range(random.randint(0, most)):
        yield tuple(value(random, kind, poison) for _, kind in columns), random.choice((1, 1, 1, 2))


def _batches(
    random: Random,
    sources: dict[str, Typed],
    start: dict[str, ZSet],
    number: int,
    poison: float | None,
) -> Iterator[dict[str, ZSet]]:
    now = dict(start)
    for _ in range(number):
        batch: dict[str, ZSet] = {}
        inserts_only = random.random() < 0.3
        for name, columns in sources.items():
            if random.random() < 0.7:
                batch[name] = _delta(random, columns, now[name], inserts_only, poison)
                now[name] = add(now[name], batch[name])
        yield batch


def _delta(random: Random, columns: Typed, rows: ZSet, inserts_only: bool, poison: float | None) -> ZSet:
    changes = list(_rows(random, columns, 3, poison))
    if inserts_only:
        return consolidate(changes)
    present = list(rows)
    for row in random.sample(present, min(len(present), random.randint(0, 3))):
        changes.append((row, -random.randint(1, rows[row])))
        if random.random() < 0.4:  # an update: one value of the row changes
            at = random.randrange(len(columns))
            changes.append(((*row[:at], value(random, columns[at][1], poison), *row[at + 1 :]), 1))
    return consolidate(changes)

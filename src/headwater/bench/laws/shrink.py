"""Make a failing world smaller while it still fails, so that a person can read it.

Batches, changes and rows are dropped one at a time as long as the law stays broken.  A smaller world whose
sources would hold a negative weight is invalid, and is skipped.  Cost: one check per attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from headwater.algebra.oracle.zsets import ZSet, add
from headwater.bench.laws.worlds import World

__all__ = ["shrink"]


def shrink(world: World, fails: Callable[[World], bool]) -> World:
    """The smallest world derived from this one that still fails."""
    while True:
        smaller = next((other for other in _smaller(world) if _possible(other) and fails(other)), None)
        if smaller is None:
            return world
        world = smaller


def _smaller(world: World) -> Iterator[World]:
    for at in range(len(world.batches)):
        yield replace(world, batches=world.batches[:at] + world.batches[at + 1 :])
    for name in list(world.views)[:-1] if len(world.views) > 1 else []:
        yield replace(world, views={name: world.views[name]})
    for at, batch in enumerate(world.batches):
        for fewer in _fewer(batch):
            yield replace(world, batches=(*world.batches[:at], fewer, *world.batches[at + 1 :]))
    for fewer in _fewer(world.start):
        yield replace(world, start={**{name: {} for name in world.sources}, **fewer})


def _fewer(relations: dict[str, ZSet]) -> Iterator[dict[str, ZSet]]:
    for name, rows in relations.items():
        if rows:
            yield {**relations, name: {}}
        for row in rows if len(rows) > 1 else ():
            yield {**relations, name: {other: weight for other, weight in rows.items() if other != row}}


def _possible(world: World) -> bool:
    now = dict(world.start)
    for batch in world.batches:
        for name, change in batch.items():
            now[name] = add(now[name], change)
        if any(weight < 0 for rows in now.values() for weight in rows.values()):
            return False
    return True

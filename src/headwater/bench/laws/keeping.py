"""The law itself: a view kept by deltas equals the view recomputed.

    view(old) + delta == view(new)

Views are kept as the engine keeps them: split into stages, each stage advanced by the delta of its plan
(after the passes), the finish applied to what is stored.  Exact types must agree exactly, floats to 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.values import Row, Value
from headwater.algebra.moments.plans import TIME, bind, time_moves
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import ZSet, add
from headwater.algebra.plans.nodes import Aggregate, Plan, Version
from headwater.algebra.plans.walks import at, reads
from headwater.algebra.stages.split import split
from headwater.algebra.stages.stage import Kept, Stage
from headwater.bench.laws.worlds import World

__all__ = ["Difference", "check_world", "close"]

Relation = tuple[tuple[str, ...], ZSet]
Optimize = Callable[[Plan], Plan]


class Difference(AssertionError):
    """A view kept by deltas is not the view recomputed."""


@dataclass(slots=True)
class _Store:
    """Every relation at OLD, NEW and DELTA during a push."""

    rows: dict[tuple[str, Version], Relation] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    inserts_only: set[str] = field(default_factory=set)
    after: int = 0
    until: int = 0

    def evaluate(self, plan: Plan) -> ZSet:
        return evaluate(bind(plan, self.after, self.until), self.rows)

    def put(self, name: str, columns: tuple[str, ...], old: ZSet, change: ZSet) -> None:
        self.rows[name, Version.OLD] = (columns, old)
        self.rows[name, Version.DELTA] = (columns, change)
        self.rows[name, Version.NEW] = (columns, add(old, change))

    def mark(self, name: str, change: ZSet) -> None:
        self.changed.add(name)
        if all(weight > 0 for weight in change.values()):
            self.inserts_only.add(name)

    def new(self, name: str) -> ZSet:
        return self.rows[name, Version.NEW][1]


def check_world(world: World, optimize: Optimize) -> int:
    """Keep every view of the world through all its batches; the number of (view, batch) pairs compared."""
    kept = {
        name: split(name, view.plan, view.plan.columns, view.types, tuple(world.sources))
        for name, view in world.views.items()
    }
    sources = dict(world.start)
    stored = _first(world, kept, sources)
    compared = 0
    for number, batch in enumerate(world.batches):
        stored = _push(world, kept, sources, stored, number, optimize)
        sources = {name: add(rows, batch.get(name, {})) for name, rows in sources.items()}
        compared += len(kept)
        _compare(world, kept, sources, stored, number + 1)
    return compared


def _recomputed(world: World, sources: dict[str, ZSet], time: int) -> dict[str, ZSet]:
    """Every view computed from its plan over the sources, as of a time."""
    database = {
        (name, Version.NEW): (tuple(column for column, _ in world.sources[name]), rows)
        for name, rows in sources.items()
    }
    for name, view in world.views.items():
        database[name, Version.NEW] = (view.plan.columns, evaluate(bind(view.plan, time, time), database))
    return {name: database[name, Version.NEW][1] for name in world.views}


def _sources(
    world: World, sources: dict[str, ZSet], batch: dict[str, ZSet], after: int, until: int
) -> _Store:
    store = _Store(after=after, until=until)
    for name, rows in sources.items():
        columns = tuple(column for column, _ in world.sources[name])
        store.put(name, columns, rows, batch.get(name, {}))
        if name in batch:
            store.mark(name, batch[name])
    return store


def _first(world: World, kept: dict[str, Kept], sources: dict[str, ZSet]) -> dict[str, ZSet]:
    """What the stages hold at first: their plans, evaluated."""
    store = _sources(world, sources, {}, world.time(0), world.time(0))
    stored: dict[str, ZSet] = {}
    for name, view in kept.items():
        for stage in view.stages:
            assert stage.plan is not None
            stored[stage.name] = store.evaluate(stage.plan)
            store.put(stage.name, stage.columns, stored[stage.name], {})
        store.put(name, view.columns, evaluate(view.finish, store.rows), {})
    return stored


def _push(
    world: World,
    kept: dict[str, Kept],
    sources: dict[str, ZSet],
    stored: dict[str, ZSet],
    number: int,
    optimize: Optimize,
) -> dict[str, ZSet]:
    """Advance every stage by its delta; what the stages hold afterwards."""
    store = _sources(world, sources, world.batches[number], world.time(number), world.time(number + 1))
    after: dict[str, ZSet] = {}
    for name, view in kept.items():
        for stage in view.stages:
            after[stage.name] = _advance(stage, stored[stage.name], store, optimize)
        change = evaluate(_reading(view.finish, Version.DELTA), store.rows)
        old = evaluate(_reading(view.finish, Version.OLD), store.rows)
        if name in store.changed:
            store.changed.discard(name)
            store.inserts_only.discard(name)
            store.mark(name, change)
        store.put(name, view.columns, old, change)
    return after


def _reading(finish: Plan, version: Version) -> Plan:
    return at(finish, version, frozenset(reads(finish)))


def _advance(stage: Stage, old: ZSet, store: _Store, optimize: Optimize) -> ZSet:
    store.put(stage.name, stage.columns, old, {})
    assert stage.plan is not None
    passed = {TIME} if time_moves(stage.plan, store.after, store.until) else set()
    plan = delta(stage, frozenset(store.changed | passed), frozenset(store.inserts_only))
    if plan is None:
        return old
    if plan.columns != stage.columns:
        raise Difference(f"the delta of {stage.name} has columns {plan.columns}, not {stage.columns}")
    change = store.evaluate(optimize(plan))
    store.put(stage.name, stage.columns, old, change)
    store.mark(stage.name, change)
    new = store.new(stage.name)
    if any(weight < 0 or (isinstance(stage.plan, Aggregate) and weight != 1) for weight in new.values()):
        raise Difference(f"stage {stage.name} holds impossible weights: {new}")
    return new


def _compare(
    world: World, kept: dict[str, Kept], sources: dict[str, ZSet], stored: dict[str, ZSet], push: int
) -> None:
    for name, expected in _recomputed(world, sources, world.time(push)).items():
        view = kept[name]
        last = view.stages[-1]
        actual = evaluate(view.finish, {(name, Version.NEW): (last.columns, stored[last.name])})
        if not close(actual, expected):
            where = f"seed {world.seed}, push {push}"
            raise Difference(f"{where}: view {name}\n  kept: {actual}\n  anew: {expected}")


def close(left: ZSet, right: ZSet) -> bool:
    """Equal, but for floats that may differ by 1e-9 of themselves."""
    if left == right:
        return True
    ours, theirs = (sorted(rows.items(), key=lambda pair: _order(pair[0])) for rows in (left, right))
    return len(ours) == len(theirs) and all(
        weight == other_weight and all(map(_near, row, other_row))
        for (row, weight), (other_row, other_weight) in zip(ours, theirs, strict=True)
    )


def _order(row: Row) -> tuple[tuple[str, Value], ...]:
    """An order of rows in which nearly equal floats have the same position."""
    return tuple(
        (type(cell).__name__, f"{cell:.6e}" if isinstance(cell, float) else str(cell)) for cell in row
    )


def _near(left: Value, right: Value) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    return bool(left == right)

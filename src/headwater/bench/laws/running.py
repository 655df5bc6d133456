"""Try the law on many random worlds, in as many processes as there are cores.

Seeds are consecutive numbers, so a run is repeated exactly by its first seed, and a failure by its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing import get_context

from headwater.algebra.passes import optimize
from headwater.algebra.text.show import show
from headwater.bench.laws.keeping import check_world
from headwater.bench.laws.shrink import shrink
from headwater.bench.laws.worlds import World, random_world

__all__ = ["Failure", "Outcome", "describe", "run", "try_seeds"]

CHUNK = 100  # worlds given to a process at a time


@dataclass(frozen=True, slots=True)
class Failure:
    seed: int
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """`cases` are (view, changes) pairs that were kept by deltas and compared with the view recomputed."""

    worlds: int
    cases: int
    seconds: float
    failures: tuple[Failure, ...]


def try_seeds(first: int, number: int) -> Outcome:
    """Try the worlds of consecutive seeds, in this process."""
    begun, cases, failures = time.perf_counter(), 0, []
    for seed in range(first, first + number):
        try:
            cases += check_world(random_world(seed), optimize)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is a failure of the law, with its seed
            failures.append(Failure(seed, f"{type(error).__name__}: {error}"))
    return Outcome(number, cases, time.perf_counter() - begun, tuple(failures))


def run(
    cases: int, seed: int = 0, progress: Callable[[int], None] | None = None, processes: int | None = None
) -> Outcome:
    """Try worlds from `seed` on until `cases` pairs are compared; `progress` gets the number so far."""
    begun, worlds, done = time.perf_counter(), 0, 0
    failures: list[Failure] = []
    for outcome in _outcomes(cases, seed, processes or os.cpu_count() or 1):
        worlds, done = worlds + outcome.worlds, done + outcome.cases
        failures += outcome.failures
        if progress is not None:
            progress(done)
    return Outcome(worlds, done, time.perf_counter() - begun, tuple(failures))


def _outcomes(cases: int, seed: int, processes: int) -> Iterator[Outcome]:
    """Rounds of one chunk per process, until there are enough cases (or far too few come out)."""
    done = rounds = 0
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn")) if processes > 1 else None
    with pool or nullcontext():
        while done < cases and rounds * CHUNK * processes <= 10 * cases + CHUNK:
            firsts = [seed + (rounds * processes + number) * CHUNK for number in range(processes)]
            rounds += 1
            for outcome in (pool.map if pool else map)(try_seeds, firsts, [CHUNK] * processes):
                done += outcome.cases
                yield outcome


def describe(seed: int) -> str:
    """A failing world, shrunk, as text: its views' plans, its rows and its changes."""
    world = shrink(random_world(seed), _fails)
    parts = [f"seed {seed}"]
    for name, view in world.views.items():
        parts.append(f"view {name}:\n{show(view.plan)}")
    parts += [f"{name} {columns}: {world.start[name]}" for name, columns in world.sources.items()]
    parts += [f"push {number + 1}: {batch}" for number, batch in enumerate(world.batches)]
    return "\n".join(parts)


def _fails(world: World) -> bool:
    try:
        check_world(world, optimize)
    except Exception:  # noqa: BLE001 - any error at all keeps the world a failing one
        return True
    return False

"""How long each kind of edge takes on this machine, measured with the engine's own pieces.

    apply      a delta's file is committed to a timeline and applied to its plain Delta table (no Spark)
    copy       a delta's files are copied from one site's folder to another's and committed there (no Spark)
    join       a delta of n rows against a stored relation, n rows out, written as a file: one Spark action.
               Keys are random, so no file of the relation can be skipped: the dear case
    union      two halves become one delta.  The engine does it in the action that computes the halves, so
               what is charged is what it adds: read, merge and write, less read and write
    aggregate  a delta of n rows changes the stored counts and sums of its groups: one Spark action
    compute    any other tail, here the delta of an outer join: the partners of n changed rows are looked up
               before and after, and the difference is written: one Spark action

Every measurement is of a warm JVM, as a service has one.  Rounds go through all sizes of all kinds, each in
another order, so that a noisy minute does not fall on one kind alone; after the first, they end when the time
is up.

Doubt: rows here have four columns and about ninety bytes, inserts only.  Deletes make `apply` rewrite files
of the plain table, which the corrections from real pushes learn.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from headwater.engine.workbench import Workbench
from headwater.sharing.fitting import Point

__all__ = ["FULL", "KINDS", "QUICK", "Extent", "measure"]

KINDS = ("apply", "copy", "join", "union", "aggregate", "compute")
SCANNING = {"join", "aggregate", "compute"}


@dataclass(frozen=True, slots=True)
class Extent:
    """What is measured and how long it may take, Spark's start not included."""

    tuples: tuple[int, ...]
    scanned: tuple[int, ...]
    warm: int  # times that everything is done before anything counts, if half of the time suffices
    rounds: int  # the first is done whole, the others as far as the time goes
    seconds: float


FULL = Extent((1, 10, 100, 1_000, 3_000, 10_000, 100_000), (200_000, 2_000_000), 1, 5, 180.0)
QUICK = Extent((1, 10_000), (50_000, 500_000), 0, 3, 8.0)


def measure(
    spark: SparkSession, folder: str, extent: Extent = FULL, tell: Callable[[str], None] = lambda text: None
) -> dict[str, tuple[Point, ...]]:
    """Every measurement, by kind. `folder` must be new; it is removed at the end."""
    end = time.monotonic() + extent.seconds
    found: dict[str, list[Point]] = {kind: [] for kind in KINDS}
    try:
        bench = Workbench(spark, folder)
        for rows in extent.scanned:
            tell(f"loading a relation of {rows:,} rows")
            bench.load(rows)
        for number, case in enumerate(_warming(extent)):
            # What is done for the first time says nothing of the second, however little time there is.
            if number < len(KINDS) or time.monotonic() < end - extent.seconds / 2:
                bench.seconds(*case)
        for number in range(extent.rounds):
            tell(f"measuring, round {number + 1} of {extent.rounds}")
            for kind, tuples, scanned in _shuffled(extent, number):
                if number == 0 or time.monotonic() < end:
                    found[kind].append(Point(tuples, scanned, bench.seconds(kind, tuples, scanned)))
        return {kind: tuple(points) for kind, points in found.items()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _warming(extent: Extent) -> list[tuple[str, int, int]]:
    """What is run before anything counts: all kinds at the least sizes, then everything."""
    least = [(kind, extent.tuples[-1], extent.scanned[0] if kind in SCANNING else 0) for kind in KINDS]
    return least + _cases(extent) * extent.warm


def _shuffled(extent: Extent, number: int) -> list[tuple[str, int, int]]:
    cases = _cases(extent)
    random.Random(number).shuffle(cases)
    return cases


def _cases(extent: Extent) -> list[tuple[str, int, int]]:
    """Kinds and sizes; an apply, a copy and a union read no relation."""
    return [
        (kind, tuples, scanned)
        for tuples in extent.tuples
        for kind in KINDS
        for scanned in (extent.scanned if kind in SCANNING else (0,))
    ]

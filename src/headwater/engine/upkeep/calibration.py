"""How long each kind of edge takes on this machine, measured with the engine's own pieces.

    apply      a delta's file is committed to a timeline and applied to its plain Delta table (no Spark)
    copy       a delta's files are copied from one site's folder to another's and committed there (no Spark)
    join       a delta of n rows against a stored relation, n rows out, written as a file: one Spark action.
               Keys are random, so no file of the relation can be skipped: the expensive case
    union      two halves become one delta.  The engine does it in the action that computes the halves, so
               the measurement is what it adds: read, merge and write, minus read and write
    aggregate  a delta of n rows changes the stored counts and sums of its groups: one Spark action
    compute    any other tail, here the delta of an outer join: the partners of n changed rows are looked up
               before and after, and the difference is written: one Spark action
    action     so many joins of a small delta in one action, as a push does it: the line through them begins
               at the action's own cost, and its slope is what a stage adds.  Of the other kinds' fixed
               seconds, that beginning is the action's, and the rest is less in company, as the joins show

Every measurement is taken on a warm JVM, as a service has one.  Rounds go through all sizes of all kinds,
each in a different order, so that a noisy minute does not affect a single kind; after the first round, they
stop when the time is up.

Doubt: rows here have four columns and about ninety bytes, inserts only.  Deletes make `apply` rewrite files
of the plain table; the corrections from real pushes learn that.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from headwater.engine.upkeep.workbench import Workbench
from headwater.planning.cost.fitting import Point

__all__ = ["FULL", "KINDS", "QUICK", "Extent", "measure"]

KINDS = ("apply", "copy", "join", "union", "aggregate", "compute", "action")
STAGES = (1, 4, 8)  # of an action
SCANNING = {"join", "aggregate", "compute"}


@dataclass(frozen=True, slots=True)
class Extent:
    """What is measured, and how long that may take, excluding Spark's start."""

    tuples: tuple[int, ...]
    scanned: tuple[int, ...]
    warm: int  # unmeasured passes over all cases, as far as half of the time allows
    rounds: int  # the first is always completed, the others as far as the time allows
    seconds: float


FULL = Extent((1, 10, 100, 1_000, 3_000, 10_000, 100_000), (200_000, 2_000_000), 1, 5, 180.0)
QUICK = Extent((1, 10_000), (50_000, 500_000), 0, 3, 8.0)


def measure(
    spark: SparkSession, folder: str, extent: Extent = FULL, report: Callable[[str], None] = lambda text: None
) -> dict[str, tuple[Point, ...]]:
    """All measurements by kind. `folder` must be new; it is removed at the end."""
    end = time.monotonic() + extent.seconds
    points: dict[str, list[Point]] = {kind: [] for kind in KINDS}
    try:
        bench = Workbench(spark, folder)
        for rows in extent.scanned:
            report(f"loading a relation of {rows:,} rows")
            bench.load(rows)
        for number, case in enumerate(_warming(extent)):
            # A first execution says nothing about later ones, however little time there is.
            if number < len(KINDS) or time.monotonic() < end - extent.seconds / 2:
                bench.seconds(*case)
        for number in range(extent.rounds):
            report(f"measuring, round {number + 1} of {extent.rounds}")
            for kind, tuples, scanned in _shuffled(extent, number):
                if number == 0 or time.monotonic() < end:
                    points[kind].append(Point(tuples, scanned, bench.seconds(kind, tuples, scanned)))
        return {kind: tuple(measured) for kind, measured in points.items()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _warming(extent: Extent) -> list[tuple[str, int, int]]:
    """What is run before anything counts: all kinds at the least sizes, then everything."""
    least = [(kind, _tuples(extent, kind)[-1], _scanned(extent, kind)[0]) for kind in KINDS]
    return least + _cases(extent) * extent.warm


def _shuffled(extent: Extent, number: int) -> list[tuple[str, int, int]]:
    cases = _cases(extent)
    random.Random(number).shuffle(cases)
    return cases


def _cases(extent: Extent) -> list[tuple[str, int, int]]:
    """Kinds and sizes."""
    return [
        (kind, tuples, scanned)
        for kind in KINDS
        for tuples in _tuples(extent, kind)
        for scanned in _scanned(extent, kind)
    ]


def _tuples(extent: Extent, kind: str) -> tuple[int, ...]:
    return STAGES if kind == "action" else extent.tuples


def _scanned(extent: Extent, kind: str) -> tuple[int, ...]:
    """An apply, a copy and a union read no relation; the joins of an action read a small one."""
    if kind == "action":
        return extent.scanned[:1]
    return extent.scanned if kind in SCANNING else (0,)

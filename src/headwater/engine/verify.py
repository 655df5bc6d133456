"""Proof by recompute: the view's own SQL, run by Spark over the sources as of the view's time.

Nothing of the translation, the delta rules or the stored intermediate relations takes part: views that the
view reads are recomputed from their SQL as well.  Rows are compared as multisets; floating-point numbers
may differ in the last digits, because a sum depends on the order in which Spark adds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headwater.algebra.stages import Kept
from headwater.engine import operators
from headwater.engine.opened import Opened
from headwater.engine.push import Pushing
from headwater.engine.query import union
from headwater.engine.relations import Relations
from headwater.engine.session import apart
from headwater.engine.sqltext import register
from headwater.errors import InputError
from headwater.storage.delta_log import BEGINNING
from headwater.storage.timeline import WEIGHT
from headwater.storage.view_rows import VISIBLE, output_columns

__all__ = ["Verified", "verify"]

SAMPLE = 2_000


@dataclass(frozen=True, slots=True)
class Verified:
    """The difference between a view and its SQL: rows it lacks and rows it should not have, with counts."""

    view: str
    time: int
    rows: int
    missing: tuple[tuple[dict[str, Any], int], ...]
    extra: tuple[tuple[dict[str, Any], int], ...]

    @property
    def equal(self) -> bool:
        return not self.missing and not self.extra


def verify(pushing: Pushing, kept: Kept) -> Verified:
    """Recompute a view as of its time and compare."""
    timeline = pushing.timeline(kept.view)
    if not timeline.exists() or timeline.time() == BEGINNING:
        raise InputError(
            "HW820",
            f'view "{kept.view}" has never been computed',
            hint="Run the project first: headwater run DIR --until-idle",
        )
    while True:
        found = _verify_at(pushing, kept, timeline.time())
        # Had the view moved on meanwhile, compaction might have given up the state that was read.
        if timeline.time() == found.time or found.equal:
            return found


def _verify_at(pushing: Pushing, kept: Kept, time: int) -> Verified:
    timeline = pushing.timeline(kept.view)
    names = output_columns(timeline).names
    view = pushing.catalog.project.views[kept.view]
    with Opened(apart(pushing.spark)) as opened:
        _register(pushing, opened, kept, time)
        sql = opened.spark.sql(view.sql.text).toDF(*names)
        expected = opened.frame(sql.selectExpr("*", f"1L AS {WEIGHT}"))
        changes = opened.slice(timeline, timeline.as_of(time))
        stored = changes.named(names, where=VISIBLE if VISIBLE in changes.columns else "")
        difference = operators.consolidate(union([expected, operators.negate(stored)]))
        found = [(row[:-1], row[-1]) for row in opened.run(difference).limit(SAMPLE).collect()]
        counted = f"SELECT coalesce(sum({WEIGHT}), 0) FROM {stored.text}"
        rows = opened.spark.sql(counted).collect()[0][0]
    lacking, surplus = _unmatched(
        [(tuple(row), weight) for row, weight in found if weight > 0],
        [(tuple(row), -weight) for row, weight in found if weight < 0],
    )
    return Verified(kept.view, time, rows, _named(names, lacking), _named(names, surplus))


def _register(pushing: Pushing, opened: Opened, kept: Kept, time: int) -> None:
    """Sources as of the view's time, and the views in between as their SQL."""
    catalog = pushing.catalog
    relations = Relations(
        pushing.warehouse, frozenset(catalog.project.tables), catalog.folders(), BEGINNING, time
    )
    for source in catalog.sources(kept.view):
        register(opened, relations, source)
    for name in catalog.ancestors(kept.view):
        above = catalog.project.views[name]
        columns = f" ({', '.join(f'`{one}`' for one in above.columns)})" if above.columns else ""
        opened.spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW `{name}`{columns} AS {above.sql.text}")


Counted = tuple[tuple[Any, ...], int]


def _unmatched(expected: Sequence[Counted], stored: Sequence[Counted]) -> tuple[list[Counted], list[Counted]]:
    """What is left after matching rows that differ only in the last digits of floating-point numbers."""
    left = list(stored)
    lacking: list[Counted] = []
    for row, count in expected:
        partner = next((one for one in left if one[1] == count and _alike(row, one[0])), None)
        if partner is None:
            lacking.append((row, count))
        else:
            left.remove(partner)
    return lacking, left


def _alike(left: Any, right: Any) -> bool:
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        return len(left) == len(right) and all(_alike(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, float) and isinstance(right, float):
        return (math.isnan(left) and math.isnan(right)) or math.isclose(
            left, right, rel_tol=1e-9, abs_tol=1e-9
        )
    return bool(left == right)


def _named(names: Sequence[str], rows: Sequence[Counted]) -> tuple[tuple[dict[str, Any], int], ...]:
    return tuple((dict(zip(names, row, strict=True)), count) for row, count in rows)

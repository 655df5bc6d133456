"""Check a view by recomputing it: its own SQL, run by Spark over the sources as of the view's time.

Translation, delta rules and stored intermediate relations play no part: views that the view reads are
recomputed from their SQL as well.  Rows are compared as multisets (differences.py).  A table whose
updates are chosen among stands for what is shown of it, unless the view says EVERY CHANGE; whether that
is right is checked by itself (verify_shown.py).  An adapted join shows its SQL over the recent rows of its
inputs (verify_adapted.py).

A view that keeps what it made of rows that its source has dropped (KEEP DERIVED) cannot be recomputed; it is
not compared, and says so.  Views that read it are compared with their SQL over what it holds.

A view whose SQL has several right answers (row_number over an order that leaves rows equal) is recomputed
from its plan instead, which has the one that is kept; so is one that is kept by deltas and whose SQL Spark
does not take (a correlated scalar subquery in ON).

Compaction waits for those who read a relation, not for views above them, which may be hours behind.  Where
the sources below a view that is read no longer have their rows as of then, that view stands for what is
stored of it.  Where what the view itself reads is gone, because stages that it shares are further, it is
compared once it has been pushed again, or says that it was not.

Where there are few rows, starting actions takes longer than running them: then all views of one time are
compared in one action, and only those that are not exactly equal once more, by themselves.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic, sleep
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame

from headwater.algebra.moments.plans import bind
from headwater.algebra.stages.choosing import shown
from headwater.algebra.stages.stage import Kept
from headwater.engine.push.failures.damaged_files import damage_behind
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.engine.query.registered import plain_rows
from headwater.engine.query.relations import Relations
from headwater.engine.query.user_sql import register, spark_text
from headwater.engine.spark.session import Size, new_session, sized_session
from headwater.engine.upkeep.differences import Counted, differences, exact_difference
from headwater.engine.upkeep.verify_adapted import adapted_sql, is_adapted
from headwater.errors import InputError
from headwater.model import View
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.records.run_lock import running
from headwater.storage.timeline import WEIGHT, Timeline
from headwater.storage.view_rows import VISIBLE, count_rows, output_columns

__all__ = ["Verified", "verify", "verify_all"]

logger = logging.getLogger(__name__)

FEW_ROWS = 1_000_000  # of all sources
PATIENCE_S = 30.0  # for which the next push of a view is waited for


@dataclass(frozen=True, slots=True)
class Verified:
    """The difference between a view and its SQL: how many rows are missing and extra, and some of them."""

    view: str
    time: int
    rows: int
    missing: tuple[tuple[dict[str, Any], int], ...]
    extra: tuple[tuple[dict[str, Any], int], ...]
    missing_rows: int = 0  # all of them, with copies
    extra_rows: int = 0
    not_compared: str = ""  # why not

    @property
    def equal(self) -> bool:
        return not self.missing_rows and not self.extra_rows


def verify_all(workplace: Workplace, views: Sequence[Kept]) -> tuple[Verified, ...]:
    """Recompute views as of their times and compare."""
    try:
        return _verified(workplace, views)
    except (PySparkException, Py4JError) as error:
        names = [kept.view for kept in views]
        cause = damage_behind(error, workplace.catalog, workplace.warehouse, names)
        if cause is error:
            raise
        raise cause from error


def _verified(workplace: Workplace, views: Sequence[Kept]) -> tuple[Verified, ...]:
    comparable = [kept for kept in views if not _outlived(workplace, kept)]
    few = _rows(workplace) < FEW_ROWS and len(comparable) > 1
    equal = _equal_together(workplace, comparable) if few else {}
    return tuple(equal.get(kept.view) or verify(workplace, kept) for kept in views)


def _outlived(workplace: Workplace, kept: Kept) -> list[str]:
    """The sources that have dropped rows which the view still counts."""
    return [name for name in kept.outlives if workplace.warehouse.source(name).forgotten() > BEGINNING]


def _rows(workplace: Workplace) -> int:
    sources = map(workplace.warehouse.source, workplace.catalog.project.tables)
    return sum(source.snapshot().rows for source in sources if source.exists())


def _equal_together(workplace: Workplace, views: Sequence[Kept]) -> dict[str, Verified]:
    """The views that are exactly equal to their SQL, found in one action for all of one time."""
    by_time: defaultdict[tuple[int, bool], list[Kept]] = defaultdict(list)
    for kept in views:
        every_change = workplace.catalog.project.views[kept.view].every_change
        by_time[workplace.timeline(kept.view).time(), every_change].append(kept)
    equal: dict[str, Verified] = {}
    for (time, _), group in by_time.items():
        if time == BEGINNING:
            continue  # never computed: verified by itself, each says so
        try:
            equal |= {view.view: view for view in _equal_at(workplace, group, time)}
        except PySparkException:
            # One of them fails, or was compacted meanwhile: one by one they say which.
            logger.debug("views cannot be verified together", exc_info=True)
    return equal


def _equal_at(workplace: Workplace, views: Sequence[Kept], time: int) -> Iterator[Verified]:
    with Inputs(sized_session(workplace.spark, Size.FEW)) as inputs:
        _register(workplace, inputs, views, time)
        unlike = [
            f"SELECT {number} AS view, count(*) AS rows FROM {_unlike(workplace, inputs, kept, time).text}"
            for number, kept in enumerate(views)
        ]
        counts = dict(map(tuple, inputs.spark.sql(" UNION ALL ".join(unlike)).collect()))
    for number, kept in enumerate(views):
        timeline = workplace.timeline(kept.view)
        if counts[number] == 0:
            yield Verified(kept.view, time, count_rows(timeline, timeline.as_of(time)), (), ())


def _unlike(workplace: Workplace, inputs: Inputs, kept: Kept, time: int) -> Query:
    expected, stored = _both(workplace, inputs, kept, time)
    return exact_difference(expected, stored)


def verify(workplace: Workplace, kept: Kept) -> Verified:
    """Recompute a view as of its time and compare."""
    timeline = workplace.timeline(kept.view)
    if not timeline.exists() or timeline.time() == BEGINNING:
        raise InputError(
            "HW820",
            f'view "{kept.view}" has never been computed',
            hint="Run the project first: headwater run DIR --until-idle",
        )
    if outlived := _outlived(workplace, kept):
        time, reason = timeline.time(), f"{', '.join(outlived)} dropped old rows that it keeps"
        rows = count_rows(timeline, timeline.as_of(time))
        return Verified(kept.view, time, rows, (), (), not_compared=reason)
    while True:
        horizons = _horizons(workplace, kept)
        verified = _verify_at(workplace, kept, timeline.time())
        if verified.equal:
            return verified
        # If the view moved on, or compaction did, the state that was read may be gone.
        if timeline.time() != verified.time or _horizons(workplace, kept) != horizons:
            continue
        gone = _gone(workplace, kept, verified.time)
        if not gone or not _moved_on(workplace, timeline, verified.time):
            return replace(_uncompared(verified), not_compared=gone) if gone else verified


def _uncompared(verified: Verified) -> Verified:
    return replace(verified, missing=(), extra=(), missing_rows=0, extra_rows=0)


def _horizons(workplace: Workplace, kept: Kept) -> list[int]:
    """How far everything below a view was compacted."""
    catalog = workplace.catalog
    sources = map(workplace.warehouse.source, sorted(catalog.sources(kept.view)))
    stored = map(workplace.timeline, catalog.ancestors(kept.view))
    return [timeline.horizon() for timeline in (*sources, *stored)]


def _gone(workplace: Workplace, kept: Kept, time: int) -> str:
    """Why a view cannot be recomputed as of a time; nothing if it can."""
    tables = workplace.catalog.project.tables
    beyond = [name for name in kept.reads if name in tables and _beyond(workplace, name, time)]
    views = workplace.catalog.views_read(kept.view)
    beyond += [
        view for view in views
        if _by_what_is_stored(workplace, view, time) and workplace.timeline(view).horizon() > time
    ]  # fmt: skip
    return f"{', '.join(beyond)} no longer has its rows as of then; compare after the next push" * bool(
        beyond
    )


def _beyond(workplace: Workplace, table: str, time: int) -> bool:
    return workplace.warehouse.source(table).horizon() > time


def _by_what_is_stored(workplace: Workplace, view: str, time: int) -> bool:
    """Whether a view that is read stands for what is stored of it: its sources cannot be read as of then."""
    return any(_beyond(workplace, table, time) for table in workplace.catalog.sources(view))


def _moved_on(workplace: Workplace, timeline: Timeline, time: int) -> bool:
    """Wait a while for a run, if there is one, to push a view beyond a time."""
    until = monotonic() + PATIENCE_S
    while running(workplace.warehouse.root) is not None and monotonic() < until:
        if timeline.time() != time:
            return True
        sleep(0.2)
    return False


def _verify_at(workplace: Workplace, kept: Kept, time: int) -> Verified:
    names = output_columns(workplace.timeline(kept.view)).names
    with Inputs(new_session(workplace.spark)) as inputs:
        _register(workplace, inputs, [kept], time)
        expected, stored = _both(workplace, inputs, kept, time)
        unlike = differences(inputs, expected, stored)
        counted = f"SELECT coalesce(sum({WEIGHT}), 0) FROM {stored.text}"
        rows = inputs.spark.sql(counted).collect()[0][0]
    missing, extra = _named(names, unlike.missing), _named(names, unlike.extra)
    return Verified(kept.view, time, rows, missing, extra, unlike.missing_rows, unlike.extra_rows)


def _both(workplace: Workplace, inputs: Inputs, kept: Kept, time: int) -> tuple[Query, Query]:
    """What the view's SQL gives, and what is stored."""
    timeline = workplace.timeline(kept.view)
    names = output_columns(timeline).names
    view = workplace.catalog.project.views[kept.view]
    rows = (
        inputs.spark.sql(spark_text(adapted_sql(workplace, inputs, kept, time), time))
        if is_adapted(kept)
        else _recomputed(workplace, inputs, view, time)
    )
    sql = rows.toDF(*names)
    changes = inputs.slice(timeline, timeline.as_of(time))
    stored = changes.named(names, where=VISIBLE if VISIBLE in changes.columns else "")
    return inputs.frame(sql.selectExpr("*", f"1L AS {WEIGHT}")), stored


def _register(workplace: Workplace, inputs: Inputs, views: Sequence[Kept], time: int) -> None:
    """Register sources as of the views' time, and the views in between by their SQL.

    Views that are verified together agree on whether they read every change; those below them need not.
    """
    catalog = workplace.catalog
    declared = catalog.project.views
    relations = Relations(workplace.warehouse, catalog.source_columns(), catalog.folders(), BEGINNING, time)
    registered: set[str] = set()

    def register_sources(view: str) -> None:
        for table in sorted(catalog.sources(view)):
            chooses = catalog.project.tables[table].chooses and not declared[view].every_change
            name = shown(table) if chooses else table
            if name not in registered:
                registered.difference_update({table, shown(table)})
                registered.add(name)
                register(inputs, relations, name, net=True)

    for name in dict.fromkeys(name for kept in views for name in catalog.ancestors(kept.view)):
        # What an adapted join shows is what views over it read.
        stored = _outlived(workplace, catalog.kept[name]) or _by_what_is_stored(workplace, name, time)
        if is_adapted(catalog.kept[name]) or stored:
            register(inputs, relations, name, net=True)
            continue
        register_sources(name)
        rows = _recomputed(workplace, inputs, declared[name], time)
        rows.toDF(*catalog.kept[name].columns).createOrReplaceTempView(quoted(name))
    for kept in views:
        register_sources(kept.view)


def _recomputed(workplace: Workplace, inputs: Inputs, view: View, time: int) -> DataFrame:
    """The rows of a view over the relations that are registered, as of a time."""
    catalog = workplace.catalog
    plan = catalog.plan(view.name)
    if plan is None or not catalog.kept[view.name].warnings:
        try:
            return inputs.spark.sql(spark_text(view.sql.text, time))
        except AnalysisException:
            if plan is None:
                raise
            logger.info("Spark does not take the SQL of %s: it is recomputed from its plan", view.name)
    return inputs.run(plain_rows(bind(plan, time, time), inputs)).drop(WEIGHT)


def _named(names: Sequence[str], rows: Sequence[Counted]) -> tuple[tuple[dict[str, Any], int], ...]:
    return tuple((dict(zip(names, row, strict=True)), count) for row, count in rows)

"""The Runner of a real run: threads that push with Spark, commit, publish and record.

    push      check and gather -> actions (engine/push/pusher.py) -> commit -> publish -> record

All that is shared between threads is in this file, with its locks:

    _stages_lock     held while stages that others may need are pushed.  A first computation holds it for what
                     the view reads only; its own stages are nobody else's business yet.
    _history_lock    held for a moment while a push says as of which time it computes stages for the first
                     time (`_computing`), and while a merge of files is committed.  Such a stage has no time
                     yet that would keep compaction from giving up the history it is about to read.
    _plain_locks     one for each view's plain table: a push and a rewrite must not write it at once

This is also the only file of this package that knows Workplace, Pusher and Forecaster.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

from headwater.algebra.stages.stage import Kept, Stage
from headwater.catalog import Catalog
from headwater.clock import Clock, micros
from headwater.engine.executor.executor import Executor
from headwater.engine.executor.runner import PlainTable, Publication, PublishOrder, PushOrder, PushOutcome
from headwater.engine.executor.times import Times, not_captured
from headwater.engine.executor.tracing import Tracing
from headwater.engine.push.failures.damaged_files import damage_behind
from headwater.engine.push.failures.data_errors import DataError
from headwater.engine.push.failures.explain import explain
from headwater.engine.push.failures.full_disks import full_disk_behind
from headwater.engine.push.failures.rescue import StagesFailed
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.gathering import gather
from headwater.engine.push.publishing import publish_view, republish
from headwater.engine.push.pusher import Pusher
from headwater.engine.push.record import Records
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.agents import Agents
from headwater.engine.upkeep.budget import UpkeepBudget
from headwater.engine.upkeep.compaction import Compactor
from headwater.engine.upkeep.history import history_since
from headwater.engine.upkeep.spark_merge import SparkMerge
from headwater.overload.budget import Budget
from headwater.planning.stages.actions import Mode
from headwater.scheduling.forecast import Forecast
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.notices.under_way import UnderWay
from headwater.units import SECOND

__all__ = ["SparkRunner", "spark_executor"]

logger = logging.getLogger(__name__)

THREADS = 3  # a common push, a first computation, a publication
LONG = 0.1  # of a view's promise: if what it reads took longer to compute, it is computed as of a later time

LevelsOfStages = Sequence[Sequence[tuple[Kept, Stage]]]


class SparkRunner:
    def __init__(self, workplace: Workplace, records: Records, agents: Agents | None = None) -> None:
        self.workplace = workplace
        self.records = records
        self.agents = agents
        self.forecaster = Forecaster(workplace)
        self.under_way = UnderWay(workplace.warehouse.root)
        self.tracing = Tracing()
        self._pusher = Pusher(workplace, self.forecaster, self._action)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="push")
        self._explaining = ThreadPoolExecutor(1, thread_name_prefix="explain")  # beside the pushes
        self._stages_lock = threading.RLock()
        self._history_lock = threading.Lock()
        self._plain_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._upkeep = ThreadPoolExecutor(1, thread_name_prefix="upkeep")
        self._compacting: Future[int] | None = None
        self._stopping = threading.Event()
        self._merge_large = SparkMerge(workplace, self._stopping)
        self._compactor = Compactor(
            lambda: workplace.catalog,
            workplace.warehouse,
            self._first_computations,
            UpkeepBudget(records.clock),
            self._merge_large,
            self._stopping,
            self._keep_since,
        )
        self._computing: dict[str, int] = {}  # stages computed for the first time just now -> as of when

    # What the executor asks

    def adopt(self, catalog: Catalog) -> None:
        self.workplace.catalog = catalog

    def time_of(self, stage: str) -> int:
        return self.workplace.timeline(stage).time()

    def earliest(self, source: str) -> int:
        timeline = self.workplace.warehouse.source(source)
        return max(timeline.gathered(), timeline.horizon())

    def changes(self, relation: str, after: int, until: int) -> int:
        timeline = self.workplace.timeline_of(relation)
        return timeline.rows_between(after, until) if timeline.exists() else 0

    def forecast(self, views: Collection[str], until: int) -> Forecast:
        return self.forecaster.forecast(views, until)

    def reachable(self, sites: Collection[str]) -> bool:
        return self.agents is None or self.agents.usable(*sites)

    def suspect_sites(self) -> None:
        if self.agents is not None:
            for site in self.agents.agents:
                self.agents.suspect(site)

    def push(self, order: PushOrder) -> Future[PushOutcome]:
        return self._pool.submit(self._push, order)

    def publish(self, order: PublishOrder) -> Future[Publication]:
        return self._pool.submit(self._publish_alone, order)

    def explain(self, error: Exception) -> Future[Exception]:
        return self._explaining.submit(self._explain, error)

    def close(self) -> None:
        self._stopping.set()
        self._merge_large.interrupt()
        self._upkeep.shutdown(wait=True, cancel_futures=True)
        self._pool.shutdown(wait=True)
        self._explaining.shutdown(wait=True, cancel_futures=True)
        self._pusher.close()
        self.tracing.close()

    # Run

    def _push(self, order: PushOrder) -> PushOutcome:
        with self.under_way.push(order.views), self.tracing.push(order.views, order.target, order.first):
            return self._pushed(order)

    @contextmanager
    def _action(self, stages: Sequence[str]) -> Iterator[None]:
        """Told to those who watch, while it runs; an action without stages only moves times on."""
        with self.under_way.action(stages), self.tracing.action(stages) if stages else nullcontext():
            yield

    def _pushed(self, order: PushOrder) -> PushOutcome:
        catalog = self.workplace.catalog
        changed: set[str] = set()
        worked, failure = False, None
        failed: dict[str, Exception] = {}
        try:
            for view, mode in self._push_stages(catalog, order):
                worked |= mode in (Mode.INCREMENTAL, Mode.FULL, Mode.CHOOSE, Mode.PROBE)
                if mode is not Mode.EMPTY:
                    changed.add(view)
        except StagesFailed as error:
            failed = dict(_views_failed(catalog, order.views, error))
        except Exception as error:  # noqa: BLE001 - the executor logs and shows it, and tries again
            failure = self._behind(error, catalog, order)
        # What was pushed before a failure is committed, and is published like any other push.
        views = changed if failure is not None else changed | (order.views - failed.keys())
        return PushOutcome(failure, worked, dict(self._published(catalog, order, views, changed)), failed)

    def _behind(self, error: Exception, catalog: Catalog, order: PushOrder) -> Exception:
        """What made a push fail: a file, a disk, or whatever Spark says."""
        warehouse = self.workplace.warehouse
        cause = full_disk_behind(error, {warehouse.root, *warehouse.roots.values()})
        return damage_behind(cause, catalog, warehouse, order.views)

    def _push_stages(self, catalog: Catalog, order: PushOrder) -> Iterator[tuple[str, Mode]]:
        """Push the stages that the views need; yields what was done for whom as it is done.

        A view is as stale when it is first computed as that takes.  If the first computation of what it reads
        has taken long (a Spark that has just started), the order ends there: the executor orders the view
        again at once, as of a later time.
        """
        own = {stage.name for view in order.views for stage in catalog.kept[view].stages}
        levels = catalog.levels(order.views)
        later = own if order.first else set()
        computing: dict[str, int] = {}
        try:
            with self._stages_lock:
                began_at = self.records.clock.monotonic()
                target = self._begin(catalog, order, levels, computing)
                gather(
                    self.workplace,
                    {stage.name for level in levels for _, stage in level},
                    target,
                    self._computing,
                )
                budgets = {} if order.everything else self.forecaster.budgets(order.views, target)
                yield from self._run(order, _without(levels, later), target, budgets)
            took = self.records.clock.monotonic() - began_at
            if not order.first or not computing.keys() - own or took <= _long(catalog, order.views):
                yield from self._run(order, _only(levels, later), target)
        finally:
            with self._history_lock:
                for stage in computing:
                    self._computing.pop(stage, None)

    def _begin(
        self, catalog: Catalog, order: PushOrder, levels: LevelsOfStages, computing: dict[str, int]
    ) -> int:
        """The time to push to, checked; from now on it is known which stages are computed as of that time."""
        with self._history_lock:
            times = Times(catalog, self)
            target = max(order.target, times.floor(order.views))
            for view, captured in order.captured.items():
                if captured < target:
                    raise not_captured(view, captured, target)
            stages = (stage.name for level in levels for _, stage in level)
            computing |= {name: target for name in stages if times.of(name) == BEGINNING}
            self._computing |= computing
        return target

    def _run(
        self,
        order: PushOrder,
        levels: LevelsOfStages,
        target: int,
        budgets: Mapping[str, Budget] | None = None,
    ) -> Iterator[tuple[str, Mode]]:
        for pushed, expected in self._pusher.push(levels, target, order.hints, order.recompute, budgets):
            view = pushed.job.kept.view
            self.records.pushed(pushed, expected, self.workplace.catalog, order.attempts.get(view, 1))
            yield view, pushed.mode

    def _explain(self, error: Exception) -> Exception:
        try:
            return explain(self.workplace, error) if isinstance(error, DataError) else error
        except Exception:
            logger.info("the row that made a view fail was not found", exc_info=True)
            return error

    # Publish

    def _published(
        self, catalog: Catalog, order: PushOrder, views: Collection[str], changed: Collection[str]
    ) -> Iterator[tuple[str, Publication]]:
        for view in (name for name in catalog.kept if name in views):
            if self.time_of(view) == BEGINNING:
                continue  # it is ordered again
            if view in order.skip:
                yield view, Publication(PlainTable.SKIPPED)
            elif view in changed or view in order.publish:
                yield view, self._publish(view, rewrite=False)

    def _publish(self, view: str, rewrite: bool) -> Publication:
        kept = self.workplace.catalog.kept[view]
        began_at = self.records.clock.monotonic()
        try:
            with self._plain_locks[view], self.tracing.publication(view):
                current = republish(self.workplace, kept) if rewrite else publish_view(self.workplace, kept)
        except Exception as error:  # noqa: BLE001 - the executor logs and shows it, and tries again
            return Publication(PlainTable.FAILED, error)
        self.forecaster.published(view, (self.records.clock.monotonic() - began_at) / SECOND)
        return Publication(PlainTable.CURRENT if current or rewrite else PlainTable.TOO_LARGE)

    def _publish_alone(self, order: PublishOrder) -> Publication:
        return self._publish(order.view, order.rewrite)

    # Upkeep, in a thread of its own: a large merge takes minutes

    def _keep_since(self, catalog: Catalog, relation: str) -> int | None:
        """Since when history is wanted: by as-of reads, and by the sink."""
        wanted = (
            history_since(catalog, relation, self.records.clock.now()),
            self.workplace.sink.read_up_to(relation),
        )
        return min((time for time in wanted if time is not None), default=None)

    def compact(self) -> None:
        """Begin to compact timelines, unless that is under way; raises what went wrong the last time."""
        last = self._compacting
        if last is not None and not last.done():
            return
        self._compacting = self._upkeep.submit(self._compactor.compact)
        if last is not None:
            last.result()

    @contextmanager
    def _first_computations(self) -> Iterator[Mapping[str, int]]:
        with self._history_lock:
            yield self._computing


def _views_failed(
    catalog: Catalog, views: Collection[str], error: StagesFailed
) -> Iterator[tuple[str, DataError]]:
    """The views that stages which failed are needed for, each with the error of the last of them."""
    for view in views:
        needed = [stage.name for level in catalog.levels([view]) for _, stage in level]
        errors = [error.errors[name] for name in needed if name in error.errors]
        if errors:
            yield view, errors[-1]


def _long(catalog: Catalog, views: Collection[str]) -> int:
    """Microseconds."""
    return micros(min(catalog.project.views[view].freshness for view in views) * LONG)


def _only(levels: LevelsOfStages, names: Collection[str]) -> LevelsOfStages:
    return [[(kept, stage) for kept, stage in level if stage.name in names] for level in levels]


def _without(levels: LevelsOfStages, names: Collection[str]) -> LevelsOfStages:
    return [[(kept, stage) for kept, stage in level if stage.name not in names] for level in levels]


def spark_executor(
    workplace: Workplace, clock: Clock, records: Records | None = None, agents: Agents | None = None
) -> Executor:
    """An executor whose pushes are done by Spark, and recorded."""
    recorded = records if records is not None else Records(clock)
    runner = SparkRunner(workplace, recorded, agents)
    return Executor(workplace.catalog, runner, clock, recorded.failed)

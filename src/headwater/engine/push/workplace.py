"""Where pushes work: the stages of a catalog in a warehouse, each with the Spark of its site.

A push goes through this folder: `decide` says how each stage gets to a time, planning/stages/actions.py
groups them into actions, `pusher` runs those, `action` and `joint` ask Spark and `commit`, `publishing`
updates the views' plain tables, `record` notes it all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import SparkSession

from headwater.algebra.stages.stage import Stage
from headwater.catalog import Catalog
from headwater.engine.push.choosing.learnt_joins import LearntJoins
from headwater.engine.push.sink import NoSink, Sink
from headwater.engine.query.families.gathered_files import Gathered
from headwater.engine.query.relations import Relations
from headwater.engine.spark.session import Size, sized_session
from headwater.engine.spark.sites import Sites
from headwater.storage.choosing.waiting_table import WaitingTable, waiting_of
from headwater.storage.delta.delta_log import BEGINNING, DataFile
from headwater.storage.fresh_rows import FreshRows
from headwater.storage.timeline import Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Pending", "Workplace"]

Pending = Mapping[str, DataFile]  # by stage: its delta, about to be computed (together/pending_deltas.py)


@dataclass(slots=True)
class Workplace:
    spark: SparkSession
    warehouse: Warehouse
    catalog: Catalog
    sites: Sites | None = None  # without, everything runs on `spark`
    sink: Sink = field(default_factory=NoSink)  # what follows the timelines beside the views
    learnt: LearntJoins = field(default_factory=LearntJoins)  # of joins that are adapted
    gathered: Gathered = field(default_factory=Gathered)  # states that families have read
    fresh: FreshRows = field(default_factory=FreshRows)  # what the last pushes have written
    _sized: dict[Size, SparkSession] = field(default_factory=dict, init=False)

    def timeline(self, stage: str) -> Timeline:
        return self.warehouse.stage(self.catalog.folder(stage))

    def timeline_of(self, relation: str) -> Timeline:
        """The timeline of a source or a stage."""
        if relation in self.catalog.project.tables:
            return self.warehouse.source(relation)
        return self.timeline(relation)

    def waiting(self, table: str) -> WaitingTable:
        """What waits of a table whose updates are chosen among."""
        return waiting_of(self.catalog, self.warehouse, table)

    def rows(self, relation: str) -> int:
        """How many changes a relation's timeline holds."""
        timeline = self.timeline_of(relation)
        return timeline.rows_between(BEGINNING - 1, timeline.time()) if timeline.exists() else 0

    def spark_of(self, stage: str, size: Size = Size.LARGE) -> SparkSession:
        """The Spark of the site at which a stage lies, set for actions of a size."""
        if self.sites is not None:
            return self.sites.spark(self.catalog.site_of(stage), size)
        if size is Size.LARGE:
            return self.spark
        if size not in self._sized:
            self._sized[size] = sized_session(self.spark, size)
        return self._sized[size]

    def address(self, stage: str) -> str:
        """Where the Spark of a stage's site is. Sites with the same address can share actions."""
        return self.catalog.spark_of(stage)

    def relations(self, stage: Stage, until: int, pending: Pending | None = None) -> Relations:
        """What a push of a stage to a time reads."""
        return Relations(
            self.warehouse,
            self.catalog.source_columns(),
            self.catalog.folders(),
            self.timeline(stage.name).time(),
            until,
            stage,
            pending or {},
        )

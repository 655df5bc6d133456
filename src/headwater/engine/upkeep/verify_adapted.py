"""What an adapted join should show: its SQL over the recent rows of its inputs, as far as those have them."""

from __future__ import annotations

from headwater.algebra.stages.adapting import is_mark
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.sql.ddl.joins.adapted_text import adapted_text
from headwater.storage.timeline import WEIGHT

__all__ = ["adapted_sql", "is_adapted"]


def is_adapted(kept: Kept) -> bool:
    return any(stage.kind is StageKind.PROBES for stage in kept.stages)


def adapted_sql(workplace: Workplace, inputs: Inputs, kept: Kept, time: int) -> str:
    """The SQL of what the view shows; the recent rows are registered under their stages' names."""
    for stage in kept.stages:
        if stage.kind is StageKind.PROBES:
            inputs.spark.sql(_recent(workplace, inputs, stage, time)).createOrReplaceTempView(
                quoted(stage.name)
            )
    return adapted_text(workplace.catalog.project.views[kept.view])


def _recent(workplace: Workplace, inputs: Inputs, stage: Stage, time: int) -> str:
    """Its rows, as far as the input has them: one that it has not would make results that are no matches."""
    source = workplace.timeline_of(stage.reads[0])
    timeline = workplace.timeline(stage.name)
    names = [name for name in stage.columns if not is_mark(name)]
    there = _net(inputs.slice(source, source.as_of(time)), names)
    recent = _net(inputs.slice(timeline, timeline.as_of(time)), list(stage.columns))
    same = " AND ".join(f"r.{quoted(name)} <=> t.{quoted(name)}" for name in names)
    return f"SELECT r.* FROM {recent} AS r LEFT SEMI JOIN {there} AS t ON {same}"


def _net(rows: Query, names: list[str]) -> str:
    listed = ", ".join(map(quoted, names))
    return f"(SELECT {listed} FROM {rows.text} GROUP BY {listed} HAVING sum({WEIGHT}) > 0)"

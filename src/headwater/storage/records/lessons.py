"""What earlier runs learnt about how long actions take, read back from the pushes table."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.compute as pc

from headwater.catalog import Catalog
from headwater.errors import HeadwaterError
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.predictor import Done, Lesson, Predictor
from headwater.planning.stages.actions import Mode
from headwater.storage.records.calibration import calibrated
from headwater.storage.records.journal import PUSHES, files_between, newest_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["learnt", "lessons"]

NEWEST = 20_000  # rows: hours of a busy project
WORKING = tuple(mode.value for mode in Mode if mode is not Mode.EMPTY)

logger = logging.getLogger(__name__)


def learnt(catalog: Catalog, warehouse: Warehouse) -> Predictor:
    """What is known of a catalog's actions: operators as calibrated, corrected by all that were run."""
    stages = (stage for _, stage in catalog.stages())
    predictor = Predictor(calibrated(warehouse.root).operators).for_stages(stages, catalog.site_of)
    return predictor.learn_all(lessons(warehouse))


def lessons(warehouse: Warehouse) -> tuple[Lesson, ...]:
    """The newest actions that did something, oldest first; none if the records are damaged."""
    pushes = warehouse.system("pushes")
    try:
        if not files_between(pushes, 0, None):
            return ()  # nothing has run: nothing of Arrow's expressions, which import pandas, is needed
        worked = pc.field("mode").isin(WORKING) & ((pc.field("error") == "") | pc.field("error").is_null())
        newest = newest_rows(pushes, PUSHES, NEWEST, worked)
    except HeadwaterError as error:
        logger.warning("nothing is learnt from the records of pushes: %s", error.message)
        return ()
    actions: dict[str, list[dict[str, Any]]] = {}
    for number, row in enumerate(newest.to_pylist()):
        actions.setdefault(row["action"] or f"#{number}", []).append(row)
    return tuple(_lesson(rows) for rows in actions.values())


def _lesson(rows: Sequence[Mapping[str, Any]]) -> Lesson:
    return Lesson({row["stage"]: _done(row) for row in rows}, rows[0]["seconds"], rows[0]["actions_before"])


def _done(row: Mapping[str, Any]) -> Done:
    effort = Effort(row["changed_rows"], row["scanned_rows"], row["result_rows"])
    return Done(Mode(row["mode"]), effort, row["cpu_seconds"])

"""Verifies views that were asked for from outside (storage/notices/verifications.py), in a run's own Spark.

One at a time and between pushes: it begins when none is under way, and while pushes come and go it gets the
cores that they leave over (the pool "upkeep" of engine/spark/pools.xml).  What it found, or what went wrong,
is written down; nothing that fails here concerns the run.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater.capture.rejected import RejectedRows
from headwater.clock import Clock, instant_text
from headwater.engine.push.workplace import Workplace
from headwater.engine.spark.metering import metered
from headwater.engine.upkeep.verify import Verified, verify
from headwater.errors import HeadwaterError, brief
from headwater.storage.notices.verifications import Asked, asked, take_up, write_outcome

__all__ = ["Verifier", "verified_json"]

logger = logging.getLogger(__name__)

POOL = "upkeep"
PATIENCE_S = 30.0  # pushes that follow each other without a pause are not waited for longer
LOOK_S = 0.02
SAMPLE = 20  # rows that are told, of those that differ


@dataclass(slots=True)
class Verifier:
    workplace: Workplace
    clock: Clock
    busy: Callable[[], bool]  # whether a push is under way
    rejected: RejectedRows

    def look(self) -> None:
        """Take up what was asked for; costs a look at a folder if nothing was."""
        root = self.workplace.warehouse.root
        for request in asked(root):
            take_up(root, request)
            self._verify(root, request)

    def _verify(self, root: str, request: Asked) -> None:
        begun = {"view": request.view, "asked_at": instant_text(request.at), "state": "running"}
        write_outcome(root, request.view, begun | {"begun_at": instant_text(self.clock.now())})
        self._wait_for_a_pause()
        try:
            outcome = self._outcome(request.view)
        except Exception as error:
            logger.info("%s could not be verified", request.view, exc_info=True)
            text = error.message if isinstance(error, HeadwaterError) else brief(error)
            outcome = {"state": "failed", "error": text}
        write_outcome(root, request.view, begun | outcome | {"ended_at": instant_text(self.clock.now())})

    def _outcome(self, view: str) -> dict[str, Any]:
        kept = self.workplace.catalog.kept[self.workplace.catalog.view(view).name]
        spark = self.workplace.spark
        with metered(spark, f"verify {uuid.uuid4().hex[:6]}", f"verify {view}", POOL) as meter:
            verified = verify(self.workplace, kept)
        sources = sorted(self.workplace.catalog.sources(kept.view))
        rejected = {name: rows.rows for name, rows in self.rejected.by_table(sources).items()}
        cost = {"seconds": meter.seconds, "cpu_seconds": meter.cpu_seconds}
        return {"state": "done", **verified_json(verified, SAMPLE), "rejected": rejected} | cost

    def _wait_for_a_pause(self) -> None:
        until = time.monotonic() + PATIENCE_S
        while self.busy() and time.monotonic() < until:
            time.sleep(LOOK_S)


def verified_json(verified: Verified, most: int | None = None) -> dict[str, Any]:
    """What a verification found; of rows that differ at most so many."""
    return {
        "name": verified.view,
        "equal": None if verified.not_compared else verified.equal,
        "not_compared": verified.not_compared,
        "time": instant_text(verified.time),
        "rows": verified.rows,
        "missing_rows": verified.missing_rows,
        "extra_rows": verified.extra_rows,
        "missing": [{"row": row, "count": count} for row, count in verified.missing[:most]],
        "extra": [{"row": row, "count": count} for row, count in verified.extra[:most]],
    }

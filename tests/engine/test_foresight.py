"""What a push is expected to take follows what its stages made of changes before."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

import pytest

from headwater.algebra.nodes import Scan
from headwater.algebra.stages import Kept, Stage, StageKind
from headwater.engine.foresight import Foresight
from headwater.engine.metering import Meter
from headwater.engine.push import Job, Mode, Pushed, Pushing
from headwater.sharing.time_model import Effort

STAGE = Stage("few", StageKind.ROWS, ("a",), None, ("t",))
KEPT = Kept("few", (STAGE,), Scan("few", "few", ("a",)), ("a",), ("",), ("t",))


def job(changed: int) -> Job:
    """As a push is decided on: that it makes as many changes as it reads is all that is known."""
    return Job(KEPT, STAGE, 1, 2, Mode.INCREMENTAL, "", Effort(changed, 1_000, changed))


def test_a_stage_that_makes_few_changes_is_expected_to() -> None:
    foresight = Foresight(cast(Pushing, None))  # it asks nothing of it here
    for at in range(12):
        done = Pushed(
            job(500_000),
            Effort(500_000, 1_000, 5_000),
            timedelta(seconds=1),
            Meter(seconds=1.0),
            f"push {at}",
        )
        foresight.learn([done])
    assert foresight.expected([job(500_000)])["few"].total_seconds() == pytest.approx(1.0, rel=0.1)

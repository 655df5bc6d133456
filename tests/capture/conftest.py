"""A warehouse in a folder of its own, and a clock that a test moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.clock import ManualClock
from headwater.storage.warehouse import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(str(tmp_path / "warehouse"))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()

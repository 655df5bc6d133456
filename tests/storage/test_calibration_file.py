"""A project's own calibration counts before the machine's, the machine's before the defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.errors import InputError
from headwater.planning.cost.operators import OPERATORS, OperatorModel
from headwater.planning.graph.graph import EdgeKind
from headwater.storage.records.calibration import calibrated, machine_file, project_file, write_calibration

FAST = OPERATORS.with_models({EdgeKind.JOIN: OperatorModel(0.01, 2e-7, 3e-8)})
SLOW = OPERATORS.with_models({EdgeKind.JOIN: OperatorModel(9.0)})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_the_nearest_calibration_counts(tmp_path: Path) -> None:
    storage = str(tmp_path / "warehouse")
    assert calibrated(storage).operators == OPERATORS
    assert calibrated(storage).path == ""
    write_calibration(machine_file(), SLOW, {"quick": True})
    assert calibrated(storage).operators.models[EdgeKind.JOIN] == OperatorModel(9.0)
    write_calibration(project_file(storage), FAST, {})
    calibration = calibrated(storage)
    assert calibration.operators == FAST
    assert calibration.path == str(tmp_path / "warehouse" / "system" / "calibration.json")
    assert [path.name for path in project_file(storage).parent.iterdir()] == ["calibration.json"]


def test_the_machines_file_is_where_settings_belong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine_file() == tmp_path / "config" / "headwater" / "calibration.json"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert machine_file() == tmp_path / ".config" / "headwater" / "calibration.json"


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = project_file(str(tmp_path))
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(InputError, match=r"calibration\.json") as raised:
        calibrated(str(tmp_path))
    assert "headwater calibrate" in raised.value.hint

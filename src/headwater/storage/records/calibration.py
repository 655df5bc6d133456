"""Where the measured operators are stored: a project's own, else this machine's, else the defaults.

    <storage>/system/calibration.json                of a project: `headwater calibrate shop`
    $XDG_CONFIG_HOME/headwater/calibration.json      of the machine: `headwater calibrate`
    (~/.config/headwater/calibration.json)

The file holds what `planning/cost/operators.py` writes and, beside it, how it was measured; readers use the
first part only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.errors import InputError
from headwater.planning.cost.operators import OPERATORS, Operators, operators_from_json, operators_to_json
from headwater.storage.replace_text import replace_text

__all__ = ["Calibrated", "calibrated", "machine_file", "project_file", "write_calibration"]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The operators to use and where they come from: a file, or "" for the defaults."""

    operators: Operators
    path: str = ""


def project_file(storage: str) -> Path:
    return Path(storage) / "system" / "calibration.json"


def machine_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "headwater" / "calibration.json"


def calibrated(storage: str) -> Calibrated:
    """The operators for a project: from the first calibration file that exists."""
    for path in (project_file(storage), machine_file()):
        if path.is_file():
            return Calibrated(_read(path), str(path))
    return Calibrated(OPERATORS)


def _read(path: Path) -> Operators:
    try:
        return operators_from_json(path.read_text("utf-8", errors="replace"))
    except InputError as error:
        raise InputError(
            error.code,
            f"{path}: {error.message}",
            detail=error.detail,
            hint="run `headwater calibrate` again, or delete the file",
        ) from error


def write_calibration(path: Path, operators: Operators, how: Mapping[str, Any]) -> None:
    """Write the operators together with how they were measured."""
    content = {**json.loads(operators_to_json(operators)), "measured": dict(how)}
    replace_text(path, json.dumps(content, indent=2) + "\n")

"""The five-minute tour of the README, typed in order: every command works as it is written there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent.parent / "README.md"


def commands() -> list[str]:
    tour = README.read_text().split("## Five minutes")[1].split("\n## ")[0]
    return re.findall(r"^\$ ((?:headwater|echo) .*)$", tour, re.M)


def test_the_tour_shows_the_main_commands() -> None:
    shown = {line.split()[1] for line in commands()}
    assert {"init", "plan", "ingest", "run", "add", "drop", "read", "verify", "bill", "check"} <= shown


@pytest.mark.cli
@pytest.mark.spark
def test_every_command_of_the_tour_works(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    for command in commands():
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

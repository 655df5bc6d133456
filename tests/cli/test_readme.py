"""The five-minute tour of the README, typed in order: every command works as it is written there.

Typed once in this process, with the Spark that runs here; the project that it leaves behind then shows that every
command's screen fits 80 columns, and that all times in JSON have one form.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.commands import answer, command

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
LIKE_AN_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
WITHOUT_SPARK = ("init", "plan")


def tour() -> str:
    return README.read_text().split("## Five minutes")[1].split("\n## ")[0]


def commands() -> list[str]:
    return re.findall(r"^\$ ((?:headwater|echo) .*)$", tour(), re.M)


def test_the_tour_shows_the_main_commands() -> None:
    shown = {line.split()[1] for line in commands()}
    assert {
        "init",
        "plan",
        "ingest",
        "run",
        "add",
        "drop",
        "read",
        "verify",
        "bill",
        "check",
        "query",
    } <= shown


@pytest.fixture(scope="module")
def toured(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which the tour was taken."""
    folder, before = tmp_path_factory.mktemp("tour"), Path.cwd()
    os.chdir(folder)
    try:
        for line in commands():
            if line.startswith("headwater "):
                command(*shlex.split(line)[1:])
            else:
                subprocess.run(line, shell=True, check=True)
        yield folder
    finally:
        os.chdir(before)


@pytest.mark.spark
def test_every_command_of_the_tour_works(toured: Path) -> None:
    views = answer("verify", "shop")["views"]
    assert len(views) == 8
    assert all(view["equal"] for view in views)


@pytest.mark.spark
def test_times_in_json_have_one_form(toured: Path) -> None:
    changes = "shop/changes/1-customers.jsonl"
    for words in (
        ["plan", "shop", "--explain"], ["check", "shop"], ["status", "shop", "--storage"], ["bill", "shop"],
        ["bill", "shop", "--by", "process"], ["capture", "shop"], ["read", "shop", "order_lines"],
        ["sql", "shop", "SELECT ordered_at FROM orders"], ["vacuum", "shop", "--dry-run"], ["errors"],
        ["ingest", "shop", "customers", changes], ["verify", "shop", "open_orders"],
        ["run", "shop", "--until-idle"],
    ):  # fmt: skip
        found = json.loads(command(*words, "--json", status=None).stdout)
        for value in values(found):
            if isinstance(value, str) and LIKE_AN_INSTANT.match(value):
                assert ISO.fullmatch(value), (words, value)
            assert not (isinstance(value, int) and 10**15 < value < 3 * 10**15), (words, value)


def values(found: Any) -> Iterator[object]:
    """All values of a JSON document."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        for inner in found:
            yield from values(inner)
    else:
        yield found


@pytest.mark.spark
def test_screens_fit_80_columns(toured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in (
        ["plan", "shop"], ["status", "shop"], ["status", "shop", "--storage"], ["bill", "shop"],
        ["bill", "shop", "--by", "process"], ["read", "shop", "order_lines"], ["capture", "shop"],
        ["sql", "shop", "SELECT * FROM orders JOIN customers USING (customer_id)"],
    ):  # fmt: skip
        lines = command(*words).stdout.splitlines()
        assert max(map(len, lines)) <= 80, (words, max(lines, key=len))
        assert not any(word in line for word in ("-0%", "e+0", " 1 steps") for line in lines)


@pytest.mark.spark
def test_the_bill_of_the_tour_has_what_the_processes_used(toured: Path) -> None:
    bill = answer("bill", "shop")
    used = sum(process["cpu_seconds"] for process in bill["processes"])
    assert used > bill["total"]["cpu_seconds"] > 0
    assert bill["total_with_unattributed"]["cpu_seconds"] == pytest.approx(used)


def reader_types(wanted: tuple[str, ...] | None = None) -> str:
    """What a reader types, after `make setup`, line by line; with `wanted`, those commands alone."""
    lines = [line for line in re.findall(r"^\$ (.*)$", tour(), re.M) if not line.startswith("make ")]
    if wanted is not None:
        lines = [line for line in lines if line.removeprefix("headwater ").split()[0] in ("source", *wanted)]
    return "\n".join(["set -e", *lines])


def in_a_clean_shell(script: str, folder: Path) -> None:
    """A shell that knows nothing of this one but where the repository and its Java are."""
    environment = ROOT if (ROOT / ".venv").exists() else Path(sys.prefix).parent
    (folder / ".venv").symlink_to(environment / ".venv")
    kept = {name: os.environ[name] for name in ("JAVA_HOME", "PYTHONPATH") if name in os.environ}
    clean = {"HOME": str(folder), "PATH": "/usr/local/bin:/usr/bin:/bin", **kept}
    done = subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-c", script],
        cwd=folder, env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.cli
def test_the_tour_begins_in_a_clean_shell(tmp_path: Path) -> None:
    """Without Spark: `headwater` is found as the README says, and does what is typed."""
    in_a_clean_shell(reader_types(WITHOUT_SPARK), tmp_path)
    assert (tmp_path / "shop" / "headwater.yml").exists()


@pytest.mark.cli
@pytest.mark.long
def test_the_whole_tour_in_a_clean_shell(tmp_path: Path) -> None:
    in_a_clean_shell(reader_types(), tmp_path)

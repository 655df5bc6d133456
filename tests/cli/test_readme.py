"""The five-minute tour of the README, typed in order: every command works, and prints what is printed there.

Typed once in this process, with the Spark that runs here; the project that it leaves behind then shows that every
command's screen fits 80 columns, and that all times in JSON have one form.  Typed once more in a clean shell, as
a reader does; HEADWATER_BLESS=1 then writes what came into the README:

    HEADWATER_BLESS=1 pytest tests/cli/test_readme.py -k whole_tour
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.commands import answer, command
from support.tour import Shown, differing, renewed, shown_in, taken, tour_of, with_outputs

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
LIKE_AN_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
WIDTH = "100"  # of the terminal whose screens the README shows
WITHOUT_SPARK = ("init", "plan")


SHOWN = shown_in(tour_of(README.read_text()))


def test_the_tour_shows_the_main_commands() -> None:
    """With what they print, but for those whose output is an aside."""
    printed = {shown.command.split()[1] for shown in SHOWN if shown.lines}
    main = {"init", "plan", "ingest", "add", "drop", "read", "verify", "bill", "check", "query"}
    assert main <= printed
    assert printed <= {shown.command.split()[1] for shown in SHOWN}


@dataclass(frozen=True)
class Toured:
    """Where the tour was taken in this process, and what its commands printed."""

    folder: Path
    outputs: dict[Shown, str]


@pytest.fixture(scope="module")
def toured(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toured]:
    folder, before, outputs = tmp_path_factory.mktemp("tour"), Path.cwd(), dict[Shown, str]()
    os.chdir(folder)
    os.environ["COLUMNS"] = WIDTH
    try:
        for shown in SHOWN:
            match shown.command.split()[0]:
                case "headwater":
                    outputs[shown] = command(*shlex.split(shown.command)[1:]).stdout
                case "echo":
                    subprocess.run(shown.command, shell=True, check=True)
        del os.environ["COLUMNS"]
        yield Toured(folder, outputs)
    finally:
        os.environ.pop("COLUMNS", None)
        os.chdir(before)


@pytest.mark.spark
def test_every_command_of_the_tour_prints_what_the_readme_shows(toured: Toured) -> None:
    wrong = [
        differing(shown, printed.splitlines()) for shown, printed in toured.outputs.items() if shown.lines
    ]
    assert not any(wrong), "\n\n".join(filter(None, wrong))


@pytest.mark.spark
def test_every_command_of_the_tour_works(toured: Toured) -> None:
    views = answer("verify", "shop")["views"]
    assert len(views) == 8
    assert all(view["equal"] for view in views)


@pytest.mark.spark
def test_times_in_json_have_one_form(toured: Toured) -> None:
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
def test_screens_fit_80_columns(toured: Toured, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_the_bill_of_the_tour_has_what_the_processes_used(toured: Toured) -> None:
    bill = answer("bill", "shop")
    used = sum(process["cpu_seconds"] for process in bill["processes"])
    assert used > bill["total"]["cpu_seconds"] > 0
    assert bill["total_with_unattributed"]["cpu_seconds"] == pytest.approx(used)


MARK = "=== "


def script(wanted: tuple[str, ...] | None = None) -> str:
    """What a reader types, after `make setup`, line by line; with `wanted`, those commands alone."""
    lines = ["set -e"]
    for number, shown in enumerate(SHOWN):
        if shown.command.startswith("make "):
            continue
        word = shown.command.removeprefix("headwater ").split()[0]
        if wanted is None or word in ("source", *wanted):
            lines += [f"echo '{MARK}{number}'", shown.command]
    return "\n".join(lines)


def outputs_of(printed: str) -> dict[Shown, list[str]]:
    pieces = re.split(rf"^{MARK}(\d+)\n", printed, flags=re.M)[1:]
    return {
        SHOWN[int(number)]: text.splitlines() for number, text in zip(pieces[::2], pieces[1::2], strict=True)
    }


def in_a_clean_shell(typed: str, folder: Path) -> dict[Shown, list[str]]:
    """What a shell prints that knows nothing of this one but where the repository, its Java and what `make setup`
    prepared are."""
    environment = ROOT if (ROOT / ".venv").exists() else Path(sys.prefix).parent
    (folder / ".venv").symlink_to(environment / ".venv")
    kept = {"COLUMNS": WIDTH} | {
        name: os.environ[name] for name in ("JAVA_HOME", "PYTHONPATH") if name in os.environ
    }
    prepared = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    clean = {"HOME": str(folder), "XDG_CACHE_HOME": prepared, "PATH": "/usr/local/bin:/usr/bin:/bin", **kept}
    done = subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-c", typed],
        cwd=folder, env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return outputs_of(done.stdout)


@pytest.mark.cli
def test_the_tour_begins_in_a_clean_shell(tmp_path: Path) -> None:
    """Without Spark: `headwater` is found as the README says, and does what is typed."""
    came = in_a_clean_shell(script(WITHOUT_SPARK), tmp_path)
    assert (tmp_path / "shop" / "headwater.yml").exists()
    assert [differing(shown, lines) for shown, lines in came.items() if shown.lines] == ["", ""]


@pytest.mark.cli
@pytest.mark.long
def test_the_whole_tour_in_a_clean_shell(tmp_path: Path) -> None:
    came = in_a_clean_shell(script(), tmp_path)
    if os.environ.get("HEADWATER_BLESS"):
        new = [taken(shown, came[shown]) if shown.lines and shown in came else shown for shown in SHOWN]
        README.write_text(with_outputs(README.read_text(), new))
        return
    wrong = [differing(shown, lines) for shown, lines in came.items() if shown.lines]
    assert not any(wrong), "\n\n".join(filter(None, wrong))


PRINTED = Shown(
    "headwater read shop v", ("v as of 2026-01-01T00:00:00.000000Z (1.0 s ago)", "...", "│ a │ 75.10 │")
)


@pytest.mark.parametrize(
    ("came", "wrong"),
    [
        (["v as of 2027-02-02T00:00:00.000001Z (23.4 s ago)", "x", "y", "│ a   │ 75.10 │"], ""),
        (
            ["v as of 2027-02-02T00:00:00.000001Z (23.4 s ago)", "x", "y", "│ a   │ 75.20 │"],
            "did not come: │ a │ 75.10 │",
        ),
        (["v as of 2027-02-02T00:00:00.000001Z (23.4 s ago)", "│ a   │ 75.10 │", "z"], "is not printed: z"),
        (["w as of 2027-02-02T00:00:00.000001Z (23.4 s ago)", "│ a   │ 75.10 │"], "did not come: v as of"),
        ([], "did not come: v as of"),
    ],
)
def test_outputs_are_compared_but_for_what_no_run_repeats(came: list[str], wrong: str) -> None:
    found = differing(PRINTED, came)
    assert wrong in found if wrong else found == ""
    if not wrong:
        assert renewed(PRINTED, came).lines == (came[0], "...", came[3])

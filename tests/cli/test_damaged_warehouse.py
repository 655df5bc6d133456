"""Files of a warehouse that are torn, overwritten or gone: every command says one clear sentence or goes on, and a
run that starts mends all but sources."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import headwater as hw
from headwater.engine.push import pusher
from headwater.engine.upkeep.damage import RECORDS, remove_damaged
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.records.lessons import learnt
from support.commands import command
from support.crashes.processes import Run
from support.without_spark import run_without_spark

SQL = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, amount BIGINT);
CREATE MATERIALIZED VIEW large FRESHNESS = INTERVAL '9' SECOND AS
  SELECT id, customer, amount FROM orders WHERE amount > 10;
"""
TABLES = {
    "stage": "stages/large@*", "plain table": "views/large", "source": "sources/orders",
    "pushes": "system/pushes", "audit": "system/audit",
}  # fmt: skip
SMALL_FILES = ("captures.json", "unused_files.json", "sites.json", "shared_stages.json", "plan.txt", "declaration.json",
               "system/calibration.json")  # fmt: skip


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    """With bytes that are neither text nor Parquet, as many as there were."""
    path.write_bytes(bytes(range(256)) * (path.stat().st_size // 256 + 1))


HARMS: dict[str, Callable[[Path], None]] = {
    "gone": os.unlink, "empty": lambda path: os.truncate(path, 0), "halved": halve, "overwritten": overwrite,
}  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "headwater.yml").write_text("name: kept\n")
    (folder / "all.sql").write_text(SQL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pusher, "run_action", run_without_spark)
        for first in (0, 100):
            project = hw.open(str(folder))
            project.ingest("orders", [{"id": first + n, "customer": n % 3, "amount": n} for n in range(20)])
            push(project)
        yield folder


def push(project: hw.Headwater) -> None:
    """As a run starts: it plans, mends, pushes."""
    catalog = shared_catalog(project.catalog, project.warehouse)
    run = Run.after_a_crash(catalog, project.warehouse, project.clock)
    run.push()
    run.audit()
    run.close()


@pytest.fixture
def copied(kept: Path, tmp_path: Path) -> Path:
    shutil.copytree(kept, tmp_path / "kept")
    return tmp_path / "kept"


def look(folder: Path, *words: object) -> None:
    """The command does not end in a bug: 0, or 1 or 2 with an error that has a code of its own."""
    done = command(words[0], folder, *words[1:], status=None)
    said = done.stdout + done.stderr
    assert done.status in (0, 1, 2), (words[0], said)
    assert "Traceback" not in said, (words[0], said)
    assert "HW00" not in said, (words[0], said)


def ingest(folder: Path) -> None:
    rows = folder / "rows.jsonl"
    rows.write_text(json.dumps({"id": 900, "customer": 1, "amount": 50}) + "\n")
    look(folder, "ingest", "orders", rows)


QUERY = "SELECT count(*) FROM orders"
# By table: the commands that read it.
READERS: dict[str, list[tuple[str, ...]]] = {
    "stage": [("status",), ("changes", "large")],
    "plain table": [("status",), ("read", "large")],
    "source": [("status",), ("sql", QUERY)],
    "pushes": [("status",), ("plan",), ("bill",)],
    "audit": [("status",), ("bill",)],
}


@pytest.mark.parametrize(
    "harm", [harm if harm == "halved" else pytest.param(harm, marks=pytest.mark.long) for harm in HARMS]
)
@pytest.mark.parametrize("file", ["data file", "commit"])
@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_table(table: str, file: str, harm: str, copied: Path) -> None:
    folder = next((copied / "warehouse").glob(TABLES[table]))
    pattern = "**/*.parquet" if file == "data file" else "_delta_log/*.json"
    HARMS[harm](max(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns))
    for words in READERS[table]:
        look(copied, *words)
    ingest(copied)
    if table == "source" or (file == "data file" and harm == "overwritten"):
        return  # there is no other copy; and a file of the right length is taken for whole until it is read
    project = hw.open(str(copied))
    push(project)
    learnt(project.catalog, project.warehouse)
    assert sorted(row["id"] for row in project.read("large").to_pylist()) == [
        *range(11, 20), *range(111, 120), 900
    ]  # fmt: skip
    assert remove_damaged(project.catalog, project.warehouse) == []


@pytest.mark.parametrize("harm", [*HARMS, "of another kind"])
def test_small_files(harm: str, copied: Path) -> None:
    for name in SMALL_FILES:
        file = copied / "warehouse" / name
        if harm == "of another kind":
            file.write_text('{"orders": null, "a": [1]}')
        elif file.exists() or harm == "overwritten":
            file.touch()
            HARMS[harm](file)
    for words in (("status",), ("status", "--storage"), ("plan",), ("vacuum", "--dry-run")):
        look(copied, *words)
    ingest(copied)


def test_damaged_records_are_set_aside(copied: Path) -> None:
    """They are no longer counted, and nobody who needs them for a bill has to do without."""
    warehouse = copied / "warehouse"
    there = [name for name in RECORDS if (warehouse / "system" / name).is_dir()]
    assert {"pushes", "audit"} <= set(there)
    for name in there:
        halve(max((warehouse / "system" / name).glob("*.parquet")))
    project = hw.open(str(copied))
    notes = remove_damaged(project.catalog, project.warehouse)
    assert len(notes) == len(there)
    assert all("begin anew" in note and "bytes" in note for note in notes)
    assert sorted(path.name.rpartition("-")[0] for path in (warehouse / "damaged").iterdir()) == sorted(there)
    push(project)
    assert project.status().views[0].pushes == 1


@pytest.mark.parametrize("harm", HARMS)
def test_damaged_dead_letters_stop_nobody(harm: str, copied: Path) -> None:
    """What was rejected is set aside with them; before, no run could start and no row be rejected."""
    wrong = [{"id": "no number"}]
    hw.open(str(copied)).ingest("orders", wrong)
    letters = copied / "warehouse" / "system" / "dead_letters"
    HARMS[harm](max((letters / "_delta_log").glob("*.json")))
    look(copied, "status")
    project = hw.open(str(copied))
    push(project)
    project.ingest("orders", [*wrong, {"id": 900, "customer": 1, "amount": 50}])
    assert [letter.table for letter in hw.open(str(copied)).dead_letters()] == ["orders"]


@pytest.mark.parametrize("words", [("status",), ("plan",), ("read", "large"), ("vacuum",), ("sql", QUERY)])
@pytest.mark.parametrize("link", [False, True])
def test_a_warehouse_that_is_no_folder(link: bool, words: tuple[str, ...], copied: Path) -> None:
    """A link to a disk that is not mounted, or a file of that name: nothing is taken for an empty warehouse."""
    shutil.rmtree(copied / "warehouse")
    if link:
        os.symlink(copied / "disk" / "that is not mounted", copied / "warehouse")
    else:
        (copied / "warehouse").write_text("")
    done = command(words[0], copied, *words[1:], status=None)
    assert done.status != 0
    assert "HW803" in done.stderr, done.stderr

"""A torn file of one source: the views that read it stop and say so, the others go on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from py4j.protocol import Py4JError

import headwater as hw
from headwater.engine.push import pusher
from headwater.engine.push.failures.damaged_files import damage_behind
from headwater.engine.run import start
from headwater.engine.spark.agents import Agents
from headwater.errors import HeadwaterError
from headwater.storage.delta.damage import damage
from headwater.storage.source_clock import COMMITTED_AT, DIGITS
from support.commands import command
from support.without_spark import run_without_spark

SQL = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, amount BIGINT);
CREATE TABLE items (id BIGINT PRIMARY KEY, amount BIGINT);
CREATE MATERIALIZED VIEW large FRESHNESS = INTERVAL '9' SECOND AS SELECT id, amount FROM orders WHERE amount > 10;
CREATE MATERIALIZED VIEW few FRESHNESS = INTERVAL '9' SECOND AS SELECT id, amount FROM items WHERE amount > 10;
"""


class NoSparks:
    """In place of the Sparks of the sites: the evaluator works."""

    def __init__(self, *given: object) -> None: ...

    def spark(self, site: str = "default") -> None: ...

    def close(self) -> None: ...


@pytest.fixture(autouse=True)
def without_spark() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        _leave_spark_out(patch)
        yield


def _leave_spark_out(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pusher, "run_action", run_without_spark)
    patch.setattr(start, "Sites", NoSparks)
    patch.setattr(start, "site_agents", lambda *given: Agents({}))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "headwater.yml").write_text("name: kept\n")
    (folder / "all.sql").write_text(SQL)
    with pytest.MonkeyPatch.context() as patch:
        _leave_spark_out(patch)
        for first in (0, 100, 200):
            project = hw.open(str(folder))
            for table in ("orders", "items"):
                ingest(project, table, first)
            project.run_until_idle()
    return folder


def ingest(project: hw.Headwater, table: str, first: int) -> None:
    project.ingest(table, [{"id": first + n, "amount": n} for n in range(20)])


@pytest.fixture
def copied(kept: Path, tmp_path: Path) -> Path:
    shutil.copytree(kept, tmp_path / "kept")
    return tmp_path / "kept"


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def commits(folder: Path) -> list[Path]:
    return sorted((folder / "warehouse/sources/orders/_delta_log").glob("*.json"))


def newest_data_file(folder: Path) -> Path:
    files = (folder / "warehouse/sources/orders").glob("*.parquet")
    return max(files, key=lambda path: path.stat().st_mtime_ns)


def tear_the_last_commit(folder: Path) -> None:
    halve(commits(folder)[-1])


def tear_an_earlier_commit(folder: Path) -> None:
    halve(commits(folder)[1])


def empty_the_last_commit(folder: Path) -> None:
    os.truncate(commits(folder)[-1], 0)


def rows_of(folder: Path, view: str) -> int:
    return len(hw.open(str(folder)).read(view).to_pylist())


TEARS = [tear_the_last_commit, tear_an_earlier_commit, empty_the_last_commit]


@pytest.mark.parametrize("tear", TEARS)
def test_views_of_other_sources_go_on(tear: Callable[[Path], None], copied: Path) -> None:
    """Of what was reported as stored nothing is set aside: the last commit was pushed to a view, too."""
    tear(copied)
    ingest(hw.open(str(copied)), "items", 300)
    with pytest.raises(HeadwaterError, match="source orders is damaged") as caught:
        hw.open(str(copied)).run_until_idle()
    assert caught.value.exit_status == 1
    assert rows_of(copied, "few") == 4 * 9
    assert not (copied / "warehouse/damaged").exists()


@pytest.mark.parametrize("tear", TEARS)
def test_status_shows_the_views_that_stopped_and_what_to_do(
    tear: Callable[[Path], None], copied: Path
) -> None:
    whole = {path: path.stat().st_size for path in commits(copied)}
    tear(copied)
    torn = next(path for path, size in whole.items() if path.stat().st_size < size)
    status = hw.open(str(copied)).status()
    errors = {view.name: view.error for view in status.views}
    assert errors["few"] == ""
    assert "source orders is damaged, restore it" in errors["large"]
    source = next(source for source in status.sources if source.name == "orders")
    assert "is damaged" in source.error
    assert f"version {int(torn.stem)} " in source.error
    assert "backup" in source.next
    shown = command("status", copied)
    assert "orders is damaged" in " ".join(shown.stdout.split())


def test_a_torn_data_file_is_said_of_its_source(copied: Path) -> None:
    file = newest_data_file(copied)
    halve(file)
    ingest(hw.open(str(copied)), "items", 300)
    hw.open(str(copied)).run_until_idle()  # no view needs the file again
    source = next(source for source in hw.open(str(copied)).status().sources if source.name == "orders")
    assert file.name in source.error
    assert rows_of(copied, "few") == 4 * 9


def test_a_view_that_needs_a_torn_data_file_says_its_name(copied: Path) -> None:
    ingest(hw.open(str(copied)), "orders", 300)
    ingest(hw.open(str(copied)), "items", 300)
    file = newest_data_file(copied)
    halve(file)
    with pytest.raises(HeadwaterError, match="1 of 2 views") as caught:
        hw.open(str(copied)).run_until_idle()
    assert f"large: HeadwaterError: source orders is damaged: {file.name} has" in caught.value.detail
    assert rows_of(copied, "few") == 4 * 9


def test_verify_names_the_torn_file(copied: Path) -> None:
    """Before Spark is started: one message, no stack."""
    file = newest_data_file(copied)
    halve(file)
    with pytest.raises(HeadwaterError, match="source orders is damaged") as caught:
        hw.open(str(copied)).verify()
    assert caught.value.code == "HW805"
    assert file.name in caught.value.message
    assert "backup" in caught.value.hint
    done = command("verify", copied, status=2)
    assert "HW805" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_spark_cannot_read_is_named(copied: Path) -> None:
    """One of the right length that holds something else: only reading it tells."""
    project, file = hw.open(str(copied)), newest_data_file(copied)

    def behind(error: Exception) -> Exception:
        return damage_behind(error, project.catalog, project.warehouse, ["large"])

    unread = Py4JError(f"[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file://{file}. ...")
    assert f"source orders is damaged: {file.name} cannot be read" in str(behind(unread))
    other = Py4JError(f"[OUT_OF_MEMORY] while reading file://{file}")
    assert behind(other) is other


@pytest.mark.parametrize("tear", [tear_the_last_commit, empty_the_last_commit])
def test_a_commit_that_nobody_was_told_of_is_set_aside(tear: Callable[[Path], None], copied: Path) -> None:
    """As a writer leaves it that dies in the commit: the clock has not reached its time."""
    clock = copied / "warehouse/clocks/orders"
    before = hw.open(str(copied)).warehouse.source("orders").time()
    ingest(hw.open(str(copied)), "orders", 300)
    tear(copied)
    with clock.open("r+b") as file:
        file.write(f"{before:0{DIGITS}d}".encode() * 2)
        file.seek(COMMITTED_AT)
        file.write(f"{before:0{DIGITS}d}".encode())
    ingest(hw.open(str(copied)), "items", 300)
    project = hw.open(str(copied))
    project.run_until_idle()
    assert damage(project.warehouse.source("orders").log) == ""
    assert [path.name.rpartition("-")[0] for path in (copied / "warehouse/damaged").iterdir()] == [
        f"orders-commit-{len(commits(copied))}"
    ]
    assert (rows_of(copied, "large"), rows_of(copied, "few")) == (3 * 9, 4 * 9)
    ingest(hw.open(str(copied)), "orders", 300)
    hw.open(str(copied)).run_until_idle()
    assert rows_of(copied, "large") == 4 * 9


def test_status_shows_the_views_beside_a_damaged_one(copied: Path) -> None:
    stage = next((copied / "warehouse/stages").glob("large@*"))
    halve(max((stage / "_delta_log").glob("*.json")))
    views = {view.name: view for view in hw.open(str(copied)).status().views}
    assert (views["few"].rows, views["few"].error) == (3 * 9, "")
    assert "the next run computes it anew" in views["large"].error
    command("status", copied)
    command("status", copied, "--storage")
    hw.open(str(copied)).run_until_idle()
    views = {view.name: view for view in hw.open(str(copied)).status().views}
    assert (views["large"].rows, views["large"].error) == (3 * 9, "")

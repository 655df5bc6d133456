"""A command is killed before each of its writes: the project still opens, nothing is lost or doubled, and the command typed again does the rest."""

from __future__ import annotations

import logging
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import headwater as hw
from headwater.bench.crash.checks import differing
from headwater.engine.push import pusher
from headwater.errors import HeadwaterError
from headwater.serve.planning.shared_catalog import shared_catalog
from support.cases import scaled
from support.crashes.file_system import FileSystem
from support.crashes.patches import patched
from support.crashes.processes import Run
from support.crashes.scratch import scratch_folder
from support.crashes.states import States
from support.without_spark import run_without_spark

pytestmark = pytest.mark.slow

SQL = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, amount BIGINT);
CREATE TABLE seen (id BIGINT, n {kind});
CREATE MATERIALIZED VIEW large FRESHNESS = INTERVAL '9' SECOND AS SELECT id, amount FROM orders WHERE amount > 10;
CREATE MATERIALIZED VIEW by_customer FRESHNESS = INTERVAL '9' SECOND AS
  SELECT customer, count(*) AS n FROM orders GROUP BY customer;
"""
NEW = """CREATE MATERIALIZED VIEW few FRESHNESS = INTERVAL '9' SECOND AS SELECT id FROM orders WHERE amount < 5;
CREATE MATERIALIZED VIEW fewer FRESHNESS = INTERVAL '9' SECOND AS SELECT id FROM few WHERE id > 2;
"""
LETTERS = 2
LOOKED_AT = scaled(10) / 100  # of the points, at random: all of them with HEADWATER_LAWS=10
PUSHED_AT = scaled(20) / 100  # of those; and always at the last one


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A project that was kept for a while; rows of a table without a key were rejected, and would fit now."""
    with scratch_folder(tmp_path) as scratch:
        kept = scratch / "kept"
        kept.mkdir(parents=True)
        (kept / "headwater.yml").write_text("name: kept\n")
        (kept / "all.sql").write_text(SQL.format(kind="INT"))
        project = hw.open(kept)
        project.ingest("orders", [{"id": n, "customer": n % 3, "amount": n} for n in range(20)])
        for number in range(LETTERS):
            project.ingest("seen", [{"id": number, "n": 1 << 40}])
        (kept / "all.sql").write_text(SQL.format(kind="BIGINT"))
        shutil.rmtree(kept / "warehouse" / "sources" / "seen", ignore_errors=True)
        (scratch / "new.sql").write_text(NEW)
        push(kept)
        yield kept


def push(folder: Path) -> None:
    """As a run that starts now."""
    project = hw.open(folder)
    catalog = shared_catalog(project.catalog, project.warehouse)
    run = Run.after_a_crash(catalog, project.warehouse, project.clock)
    run.push()
    run.close()


def adding(folder: Path) -> None:
    """What is there already is not added again."""
    declared = hw.open(folder).project.views
    missing = [text for text in NEW.split(";\n") if text and text.split()[3] not in declared]
    if missing:
        (folder.parent / "rest.sql").write_text(";\n".join(missing))
        hw.open(folder).add(folder.parent / "rest.sql", force=True)


def dropping(folder: Path) -> None:
    if "large" in hw.open(folder).project.views:
        hw.open(folder).drop("large")


def dropping_without_data(folder: Path) -> None:
    if "large" in hw.open(folder).project.views:
        hw.open(folder).drop("large", keep_data=True)


def retrying(folder: Path) -> None:
    hw.open(folder).retry_dead_letters("seen")


def discarding(folder: Path) -> None:
    hw.open(folder).discard_dead_letters("seen")


def feeding(folder: Path) -> None:
    """Some of it is wrong."""
    rows = [{"id": 100, "customer": 1, "amount": 1}, {"id": "no number"}]
    hw.open(folder).ingest("orders", rows, batch="b")


COMMANDS: list[Callable[[Path], None]] = [
    adding,
    dropping,
    dropping_without_data,
    retrying,
    discarding,
    feeding,
]


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_before_each_write(command: Callable[[Path], None], folder: Path) -> None:
    with patched(FileSystem(str(folder))) as files:
        states = States(folder, files)
        states.save()
        with states.watched():
            command(folder)
        effects = list(files.trace)
        assert effects
        chance = random.Random(command.__name__)
        for number, effect in enumerate(effects, 1):
            if number < len(effects) and chance.random() > LOOKED_AT:
                continue
            states.as_before(number)
            try:
                check(folder, command, number == len(effects) or chance.random() < PUSHED_AT)
            except (AssertionError, HeadwaterError) as error:
                raise AssertionError(f"{command.__name__}, killed before {number}: {effect}") from error


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_before_each_write(command: Callable[[Path], None], folder: Path) -> None:
    with patched(FileSystem(str(folder))) as files:
        states = States(folder, files)
        states.save()
        number, chance = 1, random.Random(command.__name__)
        while True:
            states.restore()
            files.stop_before(number, files.fill)
            with suppress(HeadwaterError, OSError):
                command(folder)
            files.restart()
            if len(files.trace) < number:
                assert number > 1
                return
            try:
                check(folder, command, chance.random() < PUSHED_AT)
            except (AssertionError, HeadwaterError) as error:
                raise AssertionError(f"{command.__name__}, full from {number}: {files.trace}") from error
            number += 1 + int(chance.expovariate(LOOKED_AT))


def check(folder: Path, command: Callable[[Path], None], pushed: bool) -> None:
    project = hw.open(folder)
    project.status()
    assert differing_of_those_computed(project) == []
    command(folder)
    project = hw.open(folder)
    seen = Counter(row["id"] for row in project.read("seen").to_pylist())
    letters = Counter(letter.table for letter in project.dead_letters())
    retried = command is retrying
    assert seen == (Counter(range(LETTERS)) if retried else {})
    assert letters["seen"] == (0 if command in (retrying, discarding) else LETTERS)
    assert len(project.read("orders")) == (21 if command is feeding else 20)
    assert letters["orders"] == (command is feeding)
    assert ("large" in project.project.views) == (command not in (dropping, dropping_without_data))
    assert ("fewer" in project.project.views) == (command is adding)
    if pushed:
        push(folder)
        assert differing(hw.open(folder)) == []


def differing_of_those_computed(project: hw.Headwater) -> list[str]:
    computed = [
        view
        for view in project.catalog.kept
        if project.warehouse.stage(project.catalog.folder(view)).exists()
    ]
    return [view for view in differing(project) if view in computed]

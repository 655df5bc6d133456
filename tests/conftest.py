"""What all tests share: a warm Spark, and JVMs that start fast."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
import typer.testing

from headwater.engine.spark.jvm import Lifetime, expect
from support.planted import planted_leaks
from support.spark_settings import INTERPRETED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {"spark.driver.memory": "3g"} | INTERPRETED

CONNECTING = {"postgres", "cli"}

expect(Lifetime.SHORT)
# CliRunner would build all commands anew, 50 ms, for each that it invokes.
typer.testing._get_command = cache(typer.testing._get_command)
# Tables are as wide as for a pipe, whatever the terminal: workers of xdist inherit its width.
os.environ.pop("COLUMNS", None)
# PostgreSQL is started by a fork, in whose child gRPC aborts if Spark Connect was used in the process before.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The Spark of this process; commands that are invoked in the process find it running and use it."""
    from headwater.engine.spark.session import session

    running = session("tests", "local[2]", SETTINGS)
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def few_rows_or_many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of tests are few, and Spark plans few otherwise than many: every second test has many."""
    if request.node.get_closest_marker("spark") and crc32(request.node.nodeid.encode()) % 2:
        monkeypatch.setattr("headwater.planning.stages.actions.FEW_ROWS", -1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that connects or runs a command fails if the planted secret is in what it printed or wrote."""
    report = yield
    if (
        call.when == "call"
        and report.passed
        and (CONNECTING & {marker.name for marker in item.iter_markers()})
    ):
        fixtures = getattr(item, "funcargs", {}).values()
        if leaks := planted_leaks(fixtures, report.capstdout + report.capstderr):
            report.outcome, report.longrepr = "failed", f"the planted secret is in {', '.join(leaks)}"
    return report


def pytest_make_parametrize_id(val: object) -> str | None:
    """Files and records are no names: each worker must give a test the same one, and people read it."""
    return f"{len(val)} bytes" if isinstance(val, bytes) and len(val) > 20 else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is imported or collected becomes garbage: looking for it takes a sixth of the collection.

    Until the session ends it is left out of every search for garbage.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers (--dist loadgroup), tests that share something expensive go to the same one.

    The long groups come first, so that no worker is left alone with one at the end.
    """
    for item in items:
        _refuse_light_tests_among_heavy_ones(item)
        item.add_marker(pytest.mark.xdist_group(shared_by(item)))
        # screens and servers: `make quick PACKAGE=cli` or PACKAGE=serve
        if item.path.parent.name in ("cli", "http") or item.path.stem.endswith("_cli"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=longest_first)


def _refuse_light_tests_among_heavy_ones(item: pytest.Item) -> None:
    """`make quick` does not import the folders of tests that it would leave out (scripts/quick.sh)."""
    markers = {marker.name for marker in item.iter_markers()}
    if item.path.parent.name in ("spark", "postgres") and not markers & {"spark", "postgres", "servers"}:
        raise pytest.UsageError(f"{item.nodeid} needs no server: move it to a folder that `make quick` reads")


def shared_by(item: pytest.Item) -> str:
    """What a test shares with others: servers of Spark or PostgreSQL, a warm Spark, or its module's fixtures.

    Commands have a warm Spark of their own: one worker with all that needs Spark would be at it long after the others.
    """
    for marker in ("servers", "postgres"):
        if item.get_closest_marker(marker):
            return marker
    if "spark" in getattr(item, "fixturenames", ()):
        return "commands" if item.path.parent.name == "cli" else "spark"
    return item.nodeid.partition("::")[0]


def longest_first(item: pytest.Item) -> int:
    """The sort is stable: within a group tests keep their order."""
    groups = ("spark", "commands", "servers")
    shared = shared_by(item)
    return groups.index(shared) if shared in groups else 3 if item.get_closest_marker("cli") else 4

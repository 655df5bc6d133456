"""The command line as a user has it: processes, signals, files, exit statuses."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

import headwater
from headwater.serve.planning.shared_catalog import shared_catalog
from support.commands import answer, command, process, wait_for
from support.planned_actions import changing, planned, recorded
from support.planted import PLANTED, plant

pytestmark = pytest.mark.spark


def ingest(shop: Path, table: str, rows: Sequence[dict[str, Any]], status: int = 0) -> Any:
    file = shop / "more.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return answer("ingest", shop, table, str(file), status=status)


@pytest.fixture(scope="module")
def shop(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter project, fed and applied once."""
    folder = tmp_path_factory.mktemp("cli") / "shop"
    command("init", folder)
    plant(folder)
    for file in sorted((folder / "changes").iterdir())[:5]:
        told = answer("ingest", str(folder), file.stem.split("-")[1], str(file))
        assert told["rejected"] == 0
        assert told["accepted"] > 0
    command("run", folder, "--until-idle")
    return folder


def test_the_starter_project_runs_and_reads(shop: Path) -> None:
    told = answer("read", shop, "revenue_by_category")
    assert {"time", "staleness_s", "rows"} <= set(told)
    assert {row["category"] for row in told["rows"]} == {"kitchen", "office", "outdoor"}
    views = answer("status", shop)["views"]
    fields = {"name", "time", "staleness_s", "freshness_s", "violations", "rows", "pushes", "dollars"}
    assert all(fields <= set(view) for view in views)
    assert all(view["last_push"]["mode"] == "initial" for view in views)


def test_a_run_records_the_actions_that_plan_lists(shop: Path) -> None:
    """For a push in which every source changed."""
    for file in sorted((shop / "changes").iterdir())[5:]:
        answer("ingest", shop, file.stem.split("-")[1], file)
    ingest(shop, "customers", [{"customer_id": 801, "name": "Ada", "country": "NG"}])
    ingest(
        shop,
        "products",
        [{"op": "upsert", "row": {"product_id": 1, "name": "Kettle", "category": "office", "price": "1"}}],
    )
    ingest(
        shop,
        "payments",
        [{"payment_id": 801, "order_id": 7, "amount": "5", "paid_at": "2026-02-01T10:00:00Z"}],
    )
    listed = planned(shop)
    before = len(pushes(shop))
    command("run", shop, "--until-idle")
    project = headwater.open(str(shop))
    catalog = shared_catalog(project.catalog, project.warehouse)
    done = recorded(
        [(row["action"], row["stage"]) for row in pushes(shop)[before:] if row["mode"] != "empty"], catalog
    )
    assert changing(listed, done) == done
    assert {*project.catalog.kept} <= {stage for _, stages in done for stage in stages}


def pushes(shop: Path) -> list[dict[str, Any]]:
    """What is recorded, in order."""
    log = headwater.open(str(shop)).warehouse.system("pushes")
    return sorted(DeltaTable(log.path).to_pyarrow_table().to_pylist(), key=lambda row: row["at"])


def command_lines(process: int) -> list[str]:
    """Of a process and of those that it has started; scripts on the way to Java may end while we look."""
    running = psutil.Process(process)
    return [
        " ".join(line)
        for each in (running, *running.children(recursive=True))
        if (line := command_line(each))
    ]


def command_line(process: psutil.Process) -> list[str]:
    """Empty if the process has just ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:  # a zombie is one too
        return []


def jvm(process: int) -> psutil.Process:
    """The one that a process has started."""
    children = psutil.Process(process).children(recursive=True)
    return next(each for each in children if "SparkSubmit" in " ".join(command_line(each)))


def orders_of(shop: Path, name: str = "open_orders") -> set[int]:
    return {row["order_id"] for row in answer("read", shop, name)["rows"]}


def test_a_run_beside_ingest_stopped_killed_and_started_again(shop: Path) -> None:
    def order(number: int) -> dict[str, Any]:
        return {
            "order_id": number,
            "customer_id": 1,
            "status": "placed",
            "ordered_at": "2026-02-01T10:00:00Z",
        }

    before, log = orders_of(shop), shop / "run.log"
    with process(log, "run", shop) as running:
        wait_for(lambda: answer("status", shop)["running"] is not None)
        wait_for(lambda: any("SparkSubmit" in line for line in command_lines(running.pid)))
        assert PLANTED not in str(command_lines(running.pid))  # any user of the machine can read them
        refused = command("run", shop, "--until-idle", status=2)
        assert "already being kept" in refused.stderr
        ingest(shop, "orders", [order(9001)])
        wait_for(lambda: orders_of(shop) == before | {9001})
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=300) == 0
    # While nothing runs, changes wait.
    ingest(shop, "orders", [order(9002)])
    assert orders_of(shop) == before | {9001}
    with process(log, "run", shop) as running:
        wait_for(lambda: orders_of(shop) == before | {9001, 9002})
        # The JVM alone may die, of a lack of memory: the run starts another.
        jvm(running.pid).kill()
        ingest(shop, "orders", [order(9004)])
        wait_for(lambda: orders_of(shop) == before | {9001, 9002, 9004})
        ingest(shop, "orders", [{"op": "delete", "row": {"order_id": 9001}}, order(9003)])
        running.kill()
        running.wait()
    assert "Traceback" not in log.read_text()
    command("run", shop, "--until-idle")
    assert orders_of(shop) == before | {9002, 9003, 9004}
    verified = answer("verify", shop)["views"]
    assert {view["name"] for view in verified} == {view["name"] for view in answer("status", shop)["views"]}
    assert all(view["equal"] and view["missing"] == [] and view["extra"] == [] for view in verified)


def test_a_reader_says_how_stale_it_accepts(shop: Path) -> None:
    refused = command("read", shop, "open_orders", "--max-staleness", "1ms", status=1)
    assert "HW822" in refused.stderr
    assert answer("read", shop, "open_orders", "--max-staleness", "30d")["rows"]

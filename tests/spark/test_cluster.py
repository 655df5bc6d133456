"""A project on a real standalone cluster: a master and two workers, each a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.bench.spark_servers import cluster

pytestmark = pytest.mark.spark

SQL = """
CREATE TABLE customers (cid BIGINT PRIMARY KEY, city STRING);
CREATE TABLE orders (oid BIGINT PRIMARY KEY, cid BIGINT, amount BIGINT);
CREATE MATERIALIZED VIEW by_city FRESHNESS = INTERVAL '20' SECOND AS
  SELECT c.city, count(*) AS n, sum(o.amount) AS total
  FROM orders o JOIN customers c ON o.cid = c.cid GROUP BY c.city;
"""

# A Spark that keeps to small pushes; an executor fits into a worker.
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.cores.max": "2",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

# In a process of its own: this one may have a Spark already.
SCRIPT = """
import json, sys
import headwater
shop = headwater.open(sys.argv[1])
shop.ingest("customers", [{"cid": n, "city": "Bern" if n % 2 else "Rome"} for n in range(10)])
shop.ingest("orders", [{"oid": n, "cid": n % 10, "amount": n} for n in range(1000)])
shop.run_until_idle()
shop.ingest("orders", [{"op": "delete", "row": {"oid": 999}}, {"oid": 1000, "cid": 0, "amount": 5}])
shop.run_until_idle()
proof = shop.verify()
from pyspark.sql import SparkSession
context = SparkSession.active().sparkContext
executors = context._jsc.sc().statusTracker().getExecutorInfos()
print(json.dumps({
    "rows": shop.read("by_city").table.to_pylist(),
    "equal": [one.equal for one in proof],
    "master": context.master,
    "executors": len(executors) - 1,  # the driver is counted too
}))
"""


@pytest.mark.long
def test_a_project_is_kept_on_a_standalone_cluster(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.sql").write_text(SQL)
    with cluster(tmp_path) as address:
        settings = {"name": "shop", "spark": {"master": address, "config": SETTINGS}}
        (folder / "headwater.yml").write_text(json.dumps(settings))
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(folder)],
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["master"] == address
    assert found["executors"] == 2
    assert found["equal"] == [True]
    rows = {row["city"]: (row["n"], row["total"]) for row in found["rows"]}
    odd = sum(range(1, 1000, 2)) - 999
    assert rows == {"Bern": (499, odd), "Rome": (501, sum(range(0, 1000, 2)) + 5)}

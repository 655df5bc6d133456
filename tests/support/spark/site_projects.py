"""A project with sites, in a folder, as a user has it; opened with its own clock."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import headwater
from headwater.algebra.stages.stage import Stage
from headwater.api import Headwater
from headwater.catalog import Catalog
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.records.journal import PUSHES, read_rows

CONFIG = """
  master: "local[2]"
  config:
    spark.driver.memory: 3g
    spark.sql.shuffle.partitions: "2"
    spark.sql.adaptive.enabled: "false"
    spark.sql.codegen.wholeStage: "false"
    spark.sql.codegen.factoryMode: NO_CODEGEN
"""


def project(folder: Path, sites: Mapping[str, str], sql: str, more: str = "") -> Headwater:
    """`sites`: name -> address of its Spark, or "" for the project's own."""
    lines = [f"name: t\nspark:{CONFIG}sites:"]
    for name, spark in sites.items():
        lines.append(f"  {name}: {{storage: ./{name}{f', spark: {spark!r}' if spark else ''}}}")
    (folder / "headwater.yml").write_text("\n".join(lines) + "\n" + more)
    (folder / "t.sql").write_text(sql)
    return headwater.open(str(folder))


def view(name: str, select: str, site: str, seconds: int = 300, policy: str = "AUTO") -> str:
    promise = f"FRESHNESS = INTERVAL '{seconds}' SECOND REFRESH POLICY {policy}"
    return f"CREATE MATERIALIZED VIEW {name} {promise} AT SITE {site} AS {select};\n"


def as_run(one: Headwater) -> Catalog:
    """The catalog that a run would keep now."""
    return shared_catalog(one.catalog, one.warehouse)


def stages(catalog: Catalog) -> dict[str, Stage]:
    return {stage.name: stage for _, stage in catalog.stages()}


def pushes(one: Headwater, since: int = 0) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_rows(one.warehouse.system("pushes"), PUSHES, since).to_pylist()
    return rows


def wrong(one: Headwater) -> list[str]:
    """The views that are not what their SQL says."""
    return [f"{v.view}: missing {v.missing}, extra {v.extra}" for v in one.verify() if not v.equal]

"""The project that crashes: tables that writers feed, one of them in PostgreSQL, and views over them."""

from __future__ import annotations

from pathlib import Path

import psycopg

from headwater.bench.crash.laboratory import Laboratory

__all__ = ["CAPTURED", "TABLES", "write_project"]

TABLES = ("orders", "items")
CAPTURED = "payments"  # its writer writes to PostgreSQL

VIEWS = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, amount BIGINT);
CREATE TABLE items (id BIGINT PRIMARY KEY, order_id BIGINT, quantity BIGINT);
CREATE MATERIALIZED VIEW joined FRESHNESS = INTERVAL '4' SECOND REFRESH POLICY INCREMENTAL AS
  SELECT o.id, o.customer, i.id AS item, i.quantity FROM orders o JOIN items i ON i.order_id = o.id;
CREATE MATERIALIZED VIEW by_customer FRESHNESS = INTERVAL '4' SECOND REFRESH POLICY INCREMENTAL AS
  SELECT customer, count(*) AS n, sum(amount) AS total, max(amount) AS largest FROM orders GROUP BY customer;
CREATE MATERIALIZED VIEW heavy FRESHNESS = INTERVAL '6' SECOND REFRESH POLICY INCREMENTAL AS
  SELECT b.customer, b.total, t.quantity FROM by_customer b
  JOIN (SELECT o.customer, sum(i.quantity) AS quantity FROM orders o JOIN items i ON i.order_id = o.id
        GROUP BY o.customer) t ON t.customer = b.customer;
"""
# No JVM of the bench lives for long: what is compiled once, quickly, or not at all, is warm in half the time.
QUICK = """
spark:
  config:
    spark.driver.extraJavaOptions: "-XX:TieredStopAtLevel=1"
    spark.sql.codegen.wholeStage: "false"
    spark.sql.codegen.factoryMode: NO_CODEGEN
"""
CAPTURED_TABLE = """
CREATE TABLE payments (id BIGINT PRIMARY KEY, order_id BIGINT, paid BIGINT)
  USING postgres OPTIONS (uri '{uri}');
CREATE MATERIALIZED VIEW paid FRESHNESS = INTERVAL '6' SECOND REFRESH POLICY INCREMENTAL AS
  SELECT order_id % 40 AS part, count(*) AS n, sum(paid) AS paid FROM payments GROUP BY order_id % 40;
"""
FAR_VIEW = """
CREATE MATERIALIZED VIEW far FRESHNESS = INTERVAL '6' SECOND REFRESH POLICY INCREMENTAL AT SITE far AS
  SELECT customer % 5 AS part, count(*) AS n, min(amount) AS least FROM orders GROUP BY customer % 5;
"""


def write_project(folder: Path, laboratory: Laboratory) -> dict[str, str]:
    """Write the project's files; returns where the writer of each table writes to."""
    folder.mkdir(parents=True)
    settings = [f"name: crash\nstorage: {laboratory.storage}\nretention: {{reads: 10 minutes}}\n{QUICK}"]
    sql = [VIEWS]
    targets = dict.fromkeys(TABLES, str(folder))
    if laboratory.connect is not None:
        site = laboratory.storage.parent / "far"
        settings.append(
            f"sites:\n  default: {{storage: {laboratory.storage}}}\n"
            f"  far: {{storage: {site}, spark: 'sc://127.0.0.1:{laboratory.connect.port}'}}\n"
        )
        sql.append(FAR_VIEW)
    if laboratory.postgres is not None:
        with psycopg.connect(laboratory.postgres.uri, autocommit=True) as connection:
            connection.execute(
                "CREATE TABLE payments (id bigint PRIMARY KEY, order_id bigint, paid bigint);"
                "ALTER TABLE payments REPLICA IDENTITY FULL"
            )
        sql.append(CAPTURED_TABLE.format(uri=laboratory.postgres.uri))
        targets[CAPTURED] = laboratory.postgres.uri
    (folder / "headwater.yml").write_text("".join(settings))
    (folder / "all.sql").write_text("".join(sql))
    return targets

"""`headwater bench postgres`: a busy PostgreSQL captured, its views compared with PostgreSQL's own answers.

A separate server is started (`pgserver`), two tables are filled and then changed by transactions of mixed
size: inserts, updates, deletes and key changes, some of them in both tables.  Then three things are timed:

    snapshot    the tables as they were before, read at one point of the stream
    replay      all changes since, from the replication stream into the timelines, until nothing is behind
    views       Spark keeps a join and an aggregate of the two tables

and every view must equal what PostgreSQL answers to the same SQL.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from headwater.capture.postgres.capture import PostgresCapture
from headwater.clock import SystemClock
from headwater.errors import HeadwaterError, InputError
from headwater.model import Column, Table
from headwater.storage.warehouse import Warehouse
from headwater.storage.zset import consolidate, expand

__all__ = ["Result", "postgres_server", "refuse_difference", "replay", "run"]

Tell = Callable[[str], None]

TABLES = """
CREATE TABLE customers (customer_id bigint PRIMARY KEY, region text, credit numeric(12,2));
CREATE TABLE orders (order_id bigint PRIMARY KEY, customer_id bigint NOT NULL, total numeric(12,2),
  status text, placed_at timestamptz, note text);
"""
FILL = """
INSERT INTO customers SELECT g, 'region ' || g % 20, g FROM generate_series(1, %(customers)s) g;
INSERT INTO orders SELECT g, 1 + g %% %(customers)s, g / 100.0, 'new', now(), 'note ' || g
  FROM generate_series(1, %(orders)s) g;
"""
CHURN = """
CREATE PROCEDURE churn(wanted bigint, people bigint, bought bigint) LANGUAGE plpgsql AS $$
DECLARE done bigint := 0; step int := 0; next bigint := bought; size int; low bigint; made bigint;
BEGIN
  WHILE done < wanted LOOP
    step := step + 1;
    size := (ARRAY[1, 3, 10, 40, 200])[1 + step % 5];
    low := 1 + (step * 7919::bigint) % bought;
    INSERT INTO orders
      SELECT next + g, 1 + (next + g) % people, g / 10.0, 'new', now(), repeat('x', g % 50)
      FROM generate_series(1, size) g;
    next := next + size; done := done + size;
    UPDATE orders SET status = 'paid', total = total + 1 WHERE order_id BETWEEN low AND low + size - 1;
    GET DIAGNOSTICS made = ROW_COUNT; done := done + made;
    DELETE FROM orders WHERE order_id BETWEEN next - size / 2 AND next - 1;
    GET DIAGNOSTICS made = ROW_COUNT; done := done + made;
    UPDATE customers SET credit = credit + step, region = 'region ' || (step % 20)
      WHERE customer_id = 1 + step % people;
    GET DIAGNOSTICS made = ROW_COUNT; done := done + made;
    IF step % 10 = 0 THEN
      UPDATE orders SET order_id = order_id + 1000000000 WHERE order_id = low + 1;
      GET DIAGNOSTICS made = ROW_COUNT; done := done + made;
    END IF;
    IF step % 97 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
  END LOOP;
END $$
"""
VIEWS = {
    "paid_orders": "SELECT o.order_id, c.region, o.total FROM orders o JOIN customers c "
    "ON o.customer_id = c.customer_id WHERE o.status = 'paid'",
    "by_region": "SELECT c.region, count(*) AS orders, sum(o.total) AS total FROM orders o JOIN customers c "
    "ON o.customer_id = c.customer_id GROUP BY c.region",
}
CUSTOMERS = (
    Column("customer_id", "bigint", nullable=False), Column("region", "string"),
    Column("credit", "decimal(12,2)"),
)  # fmt: skip
ORDERS = (
    Column("order_id", "bigint", nullable=False), Column("customer_id", "bigint", nullable=False),
    Column("total", "decimal(12,2)"), Column("status", "string"), Column("placed_at", "timestamp"),
    Column("note", "string"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """A line of the answer. `equal`: whether PostgreSQL gives the same rows."""

    step: str
    rows: int
    seconds: float
    cpu_seconds: float
    equal: bool | None = None

    @property
    def rows_per_second(self) -> float:
        return self.rows / max(self.seconds, 1e-9)

    @property
    def rows_per_cpu_second(self) -> float:
        return self.rows / max(self.cpu_seconds, 1e-9)


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server with logical replication, which ends with the context."""
    folder = tempfile.mkdtemp(prefix="headwater-pg-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # else pgserver warns at import
    try:
        import pgserver
    except ImportError as error:
        raise InputError(
            "HW418",
            "this experiment starts a PostgreSQL server",
            hint="Install pgserver: pip install pgserver",
        ) from error
    data = os.path.join(folder, "data")
    server = pgserver.get_server(data, cleanup_mode="stop")
    try:
        server.psql("ALTER SYSTEM SET wal_level = 'logical'")
        server.psql("ALTER SYSTEM SET max_wal_size = '4GB'")
        server.cleanup()
        server = pgserver.get_server(data, cleanup_mode="stop")
        yield f"postgresql://postgres@/postgres?host={data}"
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def replay(uri: str, root: str, changes: int, tell: Tell) -> list[Result]:
    """Fill, capture the snapshot, change, capture the changes."""
    customers, orders = max(100, changes // 50), max(1000, changes // 5)
    tables = [_table(uri, "customers", CUSTOMERS), _table(uri, "orders", ORDERS)]
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(TABLES)
        _fill(connection, customers, orders)
        connection.execute(CHURN)
        source = PostgresCapture(Warehouse(root), "bench", tables, SystemClock())
        tell(f"snapshot of {customers + orders:,} rows")
        snapshot = _timed("snapshot", source, lambda changed: customers + orders)
        tell(f"writing {changes:,} changes to PostgreSQL")
        psycopg.ClientCursor(connection).execute("CALL churn(%s, %s, %s)", (changes, customers, orders))
        tell("replaying them")
        replayed = _timed("replay", source, lambda changed: changed)
        source.close()
    return [snapshot, replayed]


def run(out: str, changes: int, tell: Tell, spark: bool = True) -> list[Result]:
    """The complete experiment, with scratch data below `out`. Without Spark, the tables are compared."""
    folder = os.path.join(out, "project")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with postgres_server() as uri:
        _write_project(folder, uri)
        root = os.path.join(folder, "warehouse")
        results = replay(uri, root, changes, tell)
        return [*results, *(_views(folder, uri, tell) if spark else _tables(root, uri))]


def _tables(root: str, uri: str) -> list[Result]:
    """The timelines' sums against PostgreSQL's own tables."""
    results = []
    with psycopg.connect(uri, autocommit=True) as connection:
        for name in ("customers", "orders"):
            start, timeline = time.perf_counter(), Warehouse(root).source(name)
            rows = expand(consolidate(timeline.read(timeline.as_of(timeline.time()))))
            ours = Counter(zip(*(column.to_pylist() for column in rows.columns), strict=True))
            query = sql.SQL("SELECT * FROM {}").format(sql.Identifier(name))
            equal = ours == Counter(connection.execute(query).fetchall())
            results.append(Result(f"table {name}", len(rows), time.perf_counter() - start, 0.0, equal))
    return results


def _views(folder: str, uri: str, tell: Tell) -> list[Result]:
    from headwater.api import open as open_project
    from headwater.bench.cpu import measured

    tell("keeping the views with Spark")
    project = open_project(folder)
    with measured() as cost:
        project.run_until_idle()
    results = []
    with psycopg.connect(uri, autocommit=True) as connection:
        for name, query in VIEWS.items():
            ours = Counter(tuple(row.values()) for row in project.read(name).to_pylist())
            theirs = Counter(connection.execute(query).fetchall())
            results.append(
                Result(f"view {name}", ours.total(), cost.seconds, cost.cpu_seconds, ours == theirs)
            )
    return results


def _timed(step: str, source: PostgresCapture, count: Callable[[int], int]) -> Result:
    wall, cpu, changed = time.perf_counter(), time.process_time(), 0
    while True:
        polled = source.poll()
        if polled.error is not None:
            raise polled.error
        changed += polled.changes
        if not polled.behind:
            break
    return Result(step, count(changed), time.perf_counter() - wall, time.process_time() - cpu)


def _fill(connection: psycopg.Connection[Any], customers: int, orders: int) -> None:
    cursor = psycopg.ClientCursor(connection)
    cursor.execute(FILL.replace(" % 20", " %% 20"), {"customers": customers, "orders": orders})


def _table(uri: str, name: str, columns: tuple[Column, ...]) -> Table:
    return Table(name, columns, key=(columns[0].name,), provider="postgres", options={"uri": uri})


def _write_project(folder: str, uri: str) -> None:
    lines = []
    for name, columns in (("customers", CUSTOMERS), ("orders", ORDERS)):
        shown = ", ".join(
            f"{column.name} {column.type.upper()}" + (" PRIMARY KEY" if number == 0 else "")
            for number, column in enumerate(columns)
        )
        lines.append(f"CREATE TABLE {name} ({shown}) USING postgres OPTIONS (uri '{uri}');")
    for name, query in VIEWS.items():
        lines.append(f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '10' SECOND AS {query};")
    with open(os.path.join(folder, "bench.sql"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    with open(os.path.join(folder, "headwater.yml"), "w", encoding="utf-8") as file:
        file.write("name: bench\n")


def refuse_difference(results: list[Result]) -> None:
    """Raise if a view is wrong."""
    wrong = [result.step for result in results if result.equal is False]
    if wrong:
        raise HeadwaterError("HW414", f"{wrong[0]} is not equal to what PostgreSQL answers")

"""`headwater bench views`: what the first push of many small views costs a process that has just started.

Five views of each table: a filter, sums by a key, a join with the next table, sums over that join, extremes
with HAVING.  All are computed by one process; then some rows of every table are upserted, and a new process,
whose JVM is cold, pushes the changes.  Beside it a new process in which Spark runs the texts of all views
over plain rows: the recompute that the push replaces.

Most of either is what Spark takes to plan and to compile, not the rows.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow.parquet as pq

from headwater.api import Headwater
from headwater.api import open as open_project
from headwater.bench.cpu import Cost, cost_of_command
from headwater.engine.spark.session import session

__all__ = ["VIEWS", "ColdPush", "run", "statements"]

VIEWS = 5  # of each table
ROWS, CHANGED = 1_000, 40  # of each table
Tell = Callable[[str], None]

_TABLE = (
    "CREATE TABLE t{0} (id BIGINT PRIMARY KEY, k BIGINT, amount BIGINT, price DECIMAL(10,2), note STRING)"
    " USING api OPTIONS (mode 'upsert');"
)
_TEXTS = {
    "filtered": "SELECT id, k, amount * 2 AS twice, upper(note) AS note FROM t{0} WHERE amount > 100 + {0}",
    "sums": "SELECT k, count(*) AS n, sum(amount) AS s, avg(price) AS p FROM t{0} GROUP BY k",
    "joined": "SELECT a.id, a.amount, b.note FROM t{0} a JOIN t{1} b ON a.k = b.id WHERE b.amount < 900",
    "joined_sums": (
        "SELECT b.k, count(*) AS n, sum(a.amount) AS s FROM t{0} a JOIN t{1} b ON a.k = b.id GROUP BY b.k"
    ),
    "extremes": "SELECT k, max(amount) AS top, min(price) AS low FROM t{0} GROUP BY k HAVING count(*) > 2",
}


@dataclass(frozen=True, slots=True)
class ColdPush:
    """CPU-seconds and seconds of processes, from their start to the end of their JVM."""

    tables: int
    views: int
    changed_rows: int
    first: Cost  # the first computation of all views
    push: Cost
    recompute: Cost  # by Spark alone

    @property
    def ratio(self) -> float:
        return self.recompute.cpu_seconds / self.push.cpu_seconds


def run(folder: str, tables: int, tell: Tell = lambda text: None) -> ColdPush:
    """Measure in a new project below `folder`."""
    project = os.path.join(folder, "project")
    shutil.rmtree(project, ignore_errors=True)
    os.makedirs(project)
    with open(os.path.join(project, "headwater.yml"), "w", encoding="utf-8") as file:
        file.write("name: cold\n")
    with open(os.path.join(project, "views.sql"), "w", encoding="utf-8") as file:
        file.writelines(f"{statement}\n" for statement in statements(tables))
    chance, opened = random.Random(1), open_project(project)
    tell(f"filling {tables} tables")
    _feed(opened, tables, range(ROWS), chance)
    tell(f"computing {tables * VIEWS} views")
    first = _kept(project)
    _feed(opened, tables, chance.sample(range(ROWS), CHANGED), chance)
    tell("pushing the changes, in a new process")
    push = _kept(project)
    tell("recomputing all by Spark alone, in a new process")
    plain = os.path.join(folder, "plain")
    shutil.rmtree(plain, ignore_errors=True)
    os.makedirs(plain)
    for name in opened.project.tables:
        pq.write_table(opened.read(name).table, os.path.join(plain, f"{name}.parquet"))
    recompute = cost_of_command([sys.executable, "-m", __name__, project, plain])
    return ColdPush(tables, tables * VIEWS, tables * CHANGED, first, push, recompute)


def statements(tables: int) -> Iterator[str]:
    yield from (_TABLE.format(number) for number in range(tables))
    for number in range(tables):
        for name, text in _TEXTS.items():
            select = text.format(number, (number + 1) % tables)
            yield f"CREATE MATERIALIZED VIEW {name}{number} FRESHNESS = INTERVAL '60' SECOND AS {select};"


def _feed(project: Headwater, tables: int, ids: range | list[int], chance: random.Random) -> None:
    for number in range(tables):
        rows = [
            {
                "id": each,
                "k": chance.randrange(ROWS),
                "amount": chance.randrange(1_000),
                "price": f"{chance.randrange(10_000) / 100:.2f}",
                "note": f"note {chance.randrange(50)}",
            }
            for each in ids
        ]
        project.ingest(f"t{number}", rows, strict=True)


def _kept(project: str) -> Cost:
    command = [sys.executable, "-m", "headwater.cli.app", "run", project, "--until-idle", "--quiet"]
    return cost_of_command(command)


def recompute(project: Headwater, plain: str) -> None:
    """Spark's own answers to all texts over plain rows, written as Parquet."""
    spark = session("bench", log=os.path.join(plain, "spark.log"))
    for name in project.project.tables:
        spark.read.parquet(os.path.join(plain, f"{name}.parquet")).createOrReplaceTempView(name)
    for name, view in project.project.views.items():
        spark.sql(view.sql.text).write.parquet(os.path.join(plain, name))
    spark.stop()


if __name__ == "__main__":
    recompute(open_project(sys.argv[1]), sys.argv[2])

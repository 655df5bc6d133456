"""Ad hoc SQL: what it sees is what the relations show as of one time."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import headwater
from headwater.algebra.oracle.zsets import ZSet
from headwater.api import Headwater
from headwater.cli.app import app
from headwater.cli.input.prompt import completions, statements
from headwater.clock import ManualClock
from headwater.engine.push import pusher
from headwater.engine.push.forecasting.forecaster import Forecaster
from headwater.engine.push.pusher import Pusher
from headwater.errors import HeadwaterError, InputError
from headwater.serve.ad_hoc.common_time import Stored, times_to_read
from headwater.serve.read import NeverComputedError
from support.cases import scaled
from support.random_projects import random_project, random_rows
from support.without_spark import run_without_spark, shown, workplace

SQL = """
CREATE TABLE orders (order_id BIGINT PRIMARY KEY, status STRING, total DECIMAL(10, 2), at TIMESTAMP);
CREATE TABLE `visits` (page STRING);
CREATE MATERIALIZED VIEW open_orders FRESHNESS = INTERVAL '20' SECOND AS
  SELECT order_id, total FROM orders WHERE status = 'open';
CREATE MATERIALIZED VIEW per_status FRESHNESS = INTERVAL '20' SECOND AS
  SELECT status, count(*) AS orders, sum(total) AS total FROM orders GROUP BY status HAVING count(*) > 1;
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "all.sql").write_text(SQL)
    project = headwater.open(str(folder), ManualClock(1_700_000_000_000_000))
    order(project, 1, "open", "9.50")
    order(project, 2, "open", "1.00")
    order(project, 3, "paid", "7.25")
    project.ingest("visits", [{"page": "a"}, {"page": "a"}])
    return project


def order(project: Headwater, number: int, status: str, total: str) -> None:
    at = "2026-11-16T12:00:00Z"
    row = {"order_id": number, "status": status, "total": total, "at": at}
    assert project.ingest("orders", [{"op": "upsert", "row": row}]).rejected == 0
    project.clock.sleep(timedelta(seconds=1))


def push(project: Headwater, *views: str) -> int:
    until = project.clock.now()
    place_of_work = workplace(project.warehouse, project.catalog)
    engine = Pusher(place_of_work, Forecaster(place_of_work))
    list(engine.push(project.catalog.levels(views), until, hints=True))
    engine.close()
    project.clock.sleep(timedelta(seconds=1))
    return until


def rows(project: Headwater, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in project.sql(sql).to_pylist()]


def test_sources_alone_show_all_that_is_captured(shop: Headwater) -> None:
    order(shop, 1, "paid", "9.50")
    assert rows(shop, "SELECT status, count(*), sum(total) FROM orders GROUP BY 1 ORDER BY 1") == [
        ("open", 1, 1), ("paid", 2, Decimal("16.75")),
    ]  # fmt: skip
    assert rows(shop, "SELECT page FROM visits") == [("a",), ("a",)]
    assert rows(shop, "SELECT 1 AS one") == [(1,)]


def test_views_and_sources_are_read_as_of_one_time(shop: Headwater) -> None:
    early = push(shop, "open_orders")
    order(shop, 4, "open", "100.00")
    late = push(shop, "per_status")
    assert early < late
    answer = shop.sql(
        "SELECT (SELECT count(*) FROM open_orders) AS view, count(*) AS orders FROM orders WHERE status = 'open'"
    )
    assert answer.time == early
    assert answer.to_pylist() == [{"view": 2, "orders": 2}]
    assert shop.sql("SELECT * FROM per_status").time == late
    assert rows(shop, "SELECT orders FROM per_status") == [(3,)]  # HAVING hides those that are paid


def test_spark_sql_as_views_are_written_in(shop: Headwater) -> None:
    assert rows(
        shop, "SELECT date_format(at, 'yyyy') AS y, `order_id` FROM ORDERS WHERE order_id <=> 1;"
    ) == [("2026", 1)]


@pytest.mark.parametrize(
    ("sql", "code", "message"),
    [
        ("SELEC 1", "HW113", "cannot be parsed"),
        ("DROP TABLE orders", "HW113", "expected a SELECT"),
        ("SELECT 1; SELECT 2", "HW113", "expected one"),
        ("SELECT * FROM order", "HW120", "there is no table or view"),
        ("SELECT * FROM other.orders", "HW120", "there is no schema"),
        ("SELECT nope FROM orders", "HW823", "nope"),
        ("SELECT * FROM read_csv('/etc/hostname')", "HW823", "Permission"),
        ("", "HW113", "SELECT"),
    ],
)
def test_wrong_queries(shop: Headwater, sql: str, code: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        shop.sql(sql)
    assert raised.value.code == code


def test_a_view_that_was_never_computed(shop: Headwater) -> None:
    with pytest.raises(NeverComputedError):
        shop.sql("SELECT * FROM open_orders")


def test_who_cannot_go_back_is_read_as_of_its_own_time() -> None:
    relations = {
        "ahead": Stored(20, 15, view=True),
        "behind": Stored(10, 0, view=True),
        "s": Stored(9, 0, view=False),
    }
    assert times_to_read(relations, 30) == {"ahead": 20, "behind": 10, "s": 10}
    assert times_to_read({"s": Stored(9, 0, view=False)}, 30) == {"s": 30}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(15)))
def test_random_projects(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every relation, alone and beside each other one, shows what its timeline says of that time."""
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    chance, project = random.Random(seed), random_project(tmp_path, seed)
    for batch in range(4):
        for table in project.project.tables:
            assert project.ingest(table, random_rows(chance, 100 * batch)).rejected == 0
        project.clock.sleep(timedelta(seconds=10))
        push(project, *(project.catalog.kept if batch == 0 else chance.sample([*project.catalog.kept], 1)))
    names = [*project.project.tables, *project.catalog.kept]
    for name in names:
        beside = chance.choice(names)
        answer = project.sql(
            f"SELECT q.* FROM `{name}` q LEFT ANTI JOIN (SELECT * FROM `{beside}` LIMIT 0) ON true"
        )
        seen: Counter[tuple[object, ...]] = Counter(tuple(row.values()) for row in answer.to_pylist())
        assert seen == expected(project, name, answer.times[name])


def expected(project: Headwater, name: str, time: int) -> ZSet:
    if name in project.project.tables:
        return shown(project.warehouse.source(name), time)[1]
    return shown(project.warehouse.stage(project.catalog.folder(name)), time)[1]


# The command


def run(*arguments: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, ["sql", *map(str, arguments)], input=input)


def test_the_command(shop: Headwater) -> None:
    query = "SELECT status, sum(total) AS total FROM orders GROUP BY status ORDER BY status"
    answer = json.loads(run(shop.project.folder, query, "--json").stdout)
    assert answer["rows"] == [{"status": "open", "total": "10.50"}, {"status": "paid", "total": "7.25"}]
    assert answer["time"] == answer["times"]["orders"]
    assert run(shop.project.folder, query, "--csv").stdout == "status,total\nopen,10.50\npaid,7.25\n"
    table = run(shop.project.folder, query, "--limit", 1).stdout
    assert "as of 20" in table
    assert "1 of 2 rows" in table
    both = run(shop.project.folder, query, "--csv", "--json").exception
    assert isinstance(both, HeadwaterError)


def test_the_prompt(shop: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.cli.commands.sql.at_a_terminal", lambda: True)
    typed = "tables\nSELECT count(*) AS n\nFROM orders;\nSELECT nope FROM orders;\nexit\nSELECT 1 AS never;\n"
    result = run(shop.project.folder, input=typed)
    assert result.exit_code == 0, result.exception
    assert "orders (order_id, status, total, at)" in result.stdout
    assert "3" in result.stdout
    assert "HW823" in result.stdout
    assert "never" not in result.stdout


def test_ctrl_c_drops_what_was_typed_and_ctrl_d_leaves() -> None:
    lines: list[str | type[BaseException]] = ["SELECT", KeyboardInterrupt, "SELECT 1;", EOFError]

    def ask(prompt: str) -> str:
        line = lines.pop(0)
        if isinstance(line, str):
            return line
        raise line

    assert list(statements("> ", {}, ask)) == ["SELECT 1;"]


def test_names_are_completed() -> None:
    assert completions("or", {"orders": ["order_id", "at"]}) == ["orders", "order_id", "ORDER BY", "OR"]

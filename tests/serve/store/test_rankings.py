"""Rankings of windows (SI-3): refreshed in partitions, swapped at once, and equal to what DuckDB ranks."""

from __future__ import annotations

import pickle
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from headwater.serve.store.keeping.relations import Relations
from headwater.serve.store.keeping.verification import verify_store
from headwater.serve.store.layout import whole_layout
from headwater.serve.store.rankings import refreshing
from headwater.serve.store.rankings.record import refreshes
from headwater.serve.store.rankings.tasks import read_by_tasks
from support.cases import scaled
from support.store.projects import StoreProject, deleted

STEP, WINDOW = 300_000, 3_600_000
SCHEMA = """
CREATE TABLE item (i_id STRING PRIMARY KEY, i_title STRING, i_subject STRING);
CREATE TABLE orders (o_id BIGINT PRIMARY KEY, o_c STRING, o_time BIGINT, CARDINALITY LIMIT 99 (o_c));
CREATE TABLE line (o_id BIGINT NOT NULL REFERENCES orders (o_id), l_id BIGINT,
  i_id STRING NOT NULL REFERENCES item (i_id), qty BIGINT, PRIMARY KEY (o_id, l_id), CARDINALITY LIMIT 20 (o_id));
"""
BEST = """SELECT item.i_id, i_title, SUM(qty) AS sold FROM item JOIN line ON line.i_id = item.i_id
JOIN orders ON orders.o_id = line.o_id WHERE i_subject = :subject AND o_time >= :now - 3600000
GROUP BY item.i_id, i_title ORDER BY SUM(qty) DESC LIMIT 5"""
RELATED = """SELECT b.i_id, SUM(b.qty) AS bought FROM line a JOIN orders o ON o.o_id = a.o_id
JOIN orders p ON p.o_c = o.o_c JOIN line b ON b.o_id = p.o_id
WHERE a.i_id = :item AND b.i_id <> :item AND o.o_time >= :now - 3600000 AND p.o_time >= :now - 3600000
GROUP BY b.i_id ORDER BY SUM(b.qty) DESC LIMIT 3"""
SUBJECTS = """SELECT i_subject, COUNT(*) AS lines, AVG(qty) AS mean FROM item JOIN line ON line.i_id = item.i_id
JOIN orders ON orders.o_id = line.o_id WHERE o_time >= :now - 3600000
GROUP BY i_subject HAVING COUNT(*) > 1 ORDER BY COUNT(*) DESC, i_subject LIMIT 2"""
QUERIES = {"best": BEST, "related": RELATED, "subjects": SUBJECTS}


def declared(*names: str) -> str:
    return SCHEMA + "".join(f"CREATE QUERY {name} AS {QUERIES[name]};\n" for name in names)


class Shop:
    """Orders as they come, in the project and in DuckDB."""

    def __init__(self, folder: Path, seed: int, *queries: str) -> None:
        self.random = random.Random(seed)
        self.project = StoreProject(folder, declared(*queries))
        self.data: dict[str, list[dict[str, Any]]] = {"item": [], "orders": [], "line": []}
        items = [{"i_id": f"b{n}", "i_title": f"t{n}", "i_subject": f"s{n % 3}"} for n in range(25)]
        self.add("item", items)

    def add(self, table: str, rows: list[dict[str, Any]]) -> None:
        self.data[table] += rows
        if rows:
            self.project.append(table, rows)

    def orders(self, times: list[int]) -> None:
        """Orders with their lines, taken in together."""
        before = {table: len(rows) for table, rows in self.data.items()}
        for time in times:
            self.order(time)
        for table in ("orders", "line"):
            self.project.append(table, self.data[table][before[table] :])

    def order(self, time: int) -> None:
        number = len(self.data["orders"]) + self.random.randint(1, 3) * 1000
        while any(order["o_id"] == number for order in self.data["orders"]):
            number += 1
        self.data["orders"].append({"o_id": number, "o_c": f"c{self.random.randint(0, 4)}", "o_time": time})
        titles = self.random.sample(range(25), self.random.randint(1, 4))
        self.data["line"].extend([
            {"o_id": number, "l_id": place, "i_id": f"b{title}", "qty": self.random.choice([1, 2, 7, None])}
            for place, title in enumerate(titles)
        ])  # fmt: skip

    def cancel(self) -> None:
        line = self.random.choice(self.data["line"])
        self.data["line"].remove(line)
        self.project.append("line", [deleted(line)])

    def asked(self, name: str, given: dict[str, Any]) -> list[tuple[Any, ...]]:
        """What DuckDB answers."""
        database = duckdb.connect()
        for table, rows in self.data.items():
            database.register(table, pa.Table.from_pylist(rows))
        text = QUERIES[name]
        for parameter in given:
            text = text.replace(f":{parameter}", f"${parameter}")
        return database.execute(text, given).fetchall()


def same_ranking(ours: list[dict[str, Any]], theirs: list[tuple[Any, ...]]) -> None:
    """As many, with the same scores in the same order: equals may change places."""
    scores = [tuple(row.values())[-1] for row in ours]
    assert [score if score is None else float(score) for score in scores] == [
        row[-1] if row[-1] is None else float(row[-1]) for row in theirs
    ]


@pytest.mark.parametrize("seed", range(scaled(4)))
def test_rankings_follow_changes_and_time(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:
        monkeypatch.setattr(refreshing, "SERIAL_ROWS", 40)  # many partitions, doubled until they are small
    shop = Shop(tmp_path, seed, *QUERIES)
    start = 2 * WINDOW * (seed + 5)
    for turn in range(4):
        shop.orders([start + turn * 10 * STEP + shop.random.randint(1, 10 * STEP - 2) for _ in range(8)])
        shop.cancel()
        shop.project.keep()
        answering = shop.project.answering()
        newest = max(order["o_time"] for order in shop.data["orders"])
        now = newest - newest % STEP + STEP - 1  # the end of an epoch: the window is made of whole ones
        for subject in ("s0", "s1", "s2", "nothing"):
            answer = answering.answer("best", {"subject": subject, "now": now})
            assert answer.operations <= (answer.bound or 0) == 1
            same_ranking(answer.rows, shop.asked("best", {"subject": subject, "now": now}))
        same_ranking(answering.answer("subjects", {"now": now}).rows, shop.asked("subjects", {"now": now}))
        if now % WINDOW == WINDOW - 1:
            for item in ("b1", "b2", "b3"):
                given = {"item": item, "now": now}
                same_ranking(answering.answer("related", given).rows, shop.asked("related", given))
    with shop.project.keeper.store.snapshot() as snapshot:
        done = {refresh.name: refresh for refresh in refreshes(snapshot)}
    assert set(done) == set(QUERIES)
    if seed % 2:
        assert all(refresh.most <= refresh.bound for refresh in done.values())
        assert max(refresh.partitions for refresh in done.values()) > 4
    verified = verify_store(
        shop.project.keeper.store, Relations(shop.project.project.catalog, shop.project.project.warehouse)
    )
    assert [part for part in verified if part.equal is not True] == []


@pytest.mark.slow
def test_two_windows_are_of_one_epoch(tmp_path: Path) -> None:
    shop = Shop(tmp_path, 3, "related")
    shop.orders([7 * WINDOW + shop.random.randint(0, WINDOW - 2) for _ in range(30)])
    shop.project.keep()
    for item in range(25):
        given = {"item": f"b{item}", "now": 8 * WINDOW - 1}
        answer = shop.project.answering().answer("related", given)
        same_ranking(answer.rows, shop.asked("related", given))


def test_a_reader_ahead_of_the_refresh_gets_the_newest_window(tmp_path: Path) -> None:
    shop = Shop(tmp_path, 1, "best")
    shop.orders([50 * STEP])
    shop.project.keep()
    answering = shop.project.answering()
    rows = [answering.answer("best", {"subject": s, "now": 50 * STEP}).rows for s in ("s0", "s1", "s2")]
    assert any(rows)
    later = [answering.answer("best", {"subject": s, "now": 61 * STEP}).rows for s in ("s0", "s1", "s2")]
    assert later == rows
    gone = [answering.answer("best", {"subject": s, "now": 62 * STEP}).rows for s in ("s0", "s1", "s2")]
    assert not any(gone)


def test_epochs_that_are_over_are_dropped(tmp_path: Path) -> None:
    shop = Shop(tmp_path, 1, "best")
    for hour in range(5):
        shop.orders([hour * WINDOW])
        shop.project.keep()
    store = shop.project.keeper.store
    with store.snapshot() as snapshot:
        (refresh,) = refreshes(snapshot)
        (counters,) = [part for part, text in store.parts().items() if text == "best_counts"]
        epochs = {row["epoch"] for _, row in snapshot.rows(counters)}
        places = {row["epoch"] for _, row in snapshot.rows(refresh.id)}
    assert refresh.horizon == 4 * WINDOW - 12 * STEP
    assert epochs <= {4 * WINDOW, 3 * WINDOW}
    assert places == {4 * WINDOW, 4 * WINDOW - STEP}


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_NTZ"])
def test_a_ranking_of_the_last_hour_by_the_clock(kind: str, tmp_path: Path) -> None:
    sql = f"""CREATE TABLE views (id BIGINT PRIMARY KEY, page STRING NOT NULL, at {kind} NOT NULL);
    CREATE QUERY popular AS SELECT page, COUNT(*) AS seen FROM views
    WHERE at >= CURRENT_TIMESTAMP - INTERVAL '1' HOUR GROUP BY page ORDER BY COUNT(*) DESC LIMIT 2;"""
    project = StoreProject(tmp_path, sql)
    now = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=project.clock.now())
    now = now if kind == "TIMESTAMP" else now.replace(tzinfo=None)
    rows = [(1, "a", 1), (2, "b", 5), (3, "b", 9), (4, "c", 70), (5, "a", 71), (6, "a", 72), (7, "a", 40)]
    project.append("views", [
        {"id": number, "page": page, "at": now - timedelta(minutes=ago)} for number, page, ago in rows
    ])  # fmt: skip
    project.keep()
    answer = project.answering().answer("popular", {})
    assert [tuple(row.values()) for row in answer.rows] == [("a", 2), ("b", 2)]
    project.clock.advance(timedelta(minutes=35))
    project.keep()  # time alone moves the window
    assert [tuple(row.values()) for row in project.answering().answer("popular", {}).rows] == [
        ("b", 2), ("a", 1),
    ]  # fmt: skip
    relations = Relations(project.project.catalog, project.project.warehouse)
    assert all(part.equal for part in verify_store(project.keeper.store, relations))


def test_between_refreshes_the_time_of_the_answer_stands(tmp_path: Path) -> None:
    shop = Shop(tmp_path, 1, "best")
    shop.orders([50 * STEP])
    shop.project.keep()
    before = shop.project.answering().answer("best", {"subject": "s1", "now": 50 * STEP})
    shop.orders([50 * STEP + 1])
    keeper, project = shop.project.keeper, shop.project.project
    keeper.keep(project.catalog, shop.project.watermarks())
    same = shop.project.answering().answer("best", {"subject": "s1", "now": 50 * STEP})
    assert (same.time, same.rows) == (before.time, before.rows)
    shop.project.clock.advance(timedelta(minutes=1))
    keeper.keep(project.catalog, shop.project.watermarks())
    assert shop.project.answering().answer("best", {"subject": "s1", "now": 50 * STEP}).time > before.time


def test_a_partition_is_read_by_a_task_that_is_carried_elsewhere(tmp_path: Path) -> None:
    shop = Shop(tmp_path, 1, "best")
    shop.orders([50 * STEP] * 6)
    shop.project.keep()
    keeper = shop.project.keeper
    carried: list[int] = []

    def run(work: Any, items: Any) -> list[Any]:
        carried.append(len(items))
        return [pickle.loads(pickle.dumps(work))(item) for item in items]

    layout = whole_layout(keeper._layouts)
    reading = read_by_tasks(shop.project.project.project, layout.parts, run)
    (ranking,) = layout.rankings
    with keeper.store.snapshot() as snapshot:
        before = list(snapshot.rows(ranking.table.id))
    done = refreshing.refresh(keeper.store, ranking, 1, 1, reading, on_spark=True, count=4)
    with keeper.store.snapshot() as snapshot:
        assert list(snapshot.rows(ranking.table.id)) == before
    assert (carried, done.partitions, done.on_spark) == ([4], 4, True)

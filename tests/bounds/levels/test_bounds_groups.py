"""The first groups of an index, the rows of the greatest value, and indexes rather than assumptions."""

from __future__ import annotations

import pytest

from headwater.bounds.answers.answer import Answer
from headwater.bounds.answers.check import check
from headwater.bounds.plans.execute import execute
from headwater.bounds.plans.store import MemoryStore
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options

SCHEMA = """
CREATE TABLE rooms (id INT PRIMARY KEY, label STRING);
CREATE TABLE messages (id BIGINT PRIMARY KEY, owner INT NOT NULL, room INT REFERENCES rooms (id), sent INT NOT NULL, body STRING);
CREATE TABLE prices (item INT, since DATE, price DOUBLE, PRIMARY KEY (item, since));
"""


def answer(sql: str) -> Answer:
    (given,) = check(read_sql(f"{SCHEMA}-- name: q\n{sql};", "q.sql"), Options(), advice=False)
    return given


@pytest.mark.parametrize(
    ("sql", "level", "operations"),
    [
        ("SELECT DISTINCT room FROM messages WHERE owner = :o ORDER BY room LIMIT 10", "SI-1", 21),
        ("SELECT DISTINCT room FROM messages WHERE owner = :o AND room > :after ORDER BY room LIMIT 10", "SI-1", 21),
        ("SELECT DISTINCT ON (room) * FROM messages WHERE owner = :o ORDER BY room DESC, sent DESC LIMIT 5", "SI-1", 11),
        # The groups come in another order than that of the limit, or some may be empty, or there is no limit.
        ("SELECT DISTINCT ON (room) * FROM messages WHERE owner = :o AND sent > :s ORDER BY room, id LIMIT 5", "unbounded", None),
        ("SELECT DISTINCT ON (room) * FROM messages WHERE owner = :o AND id <> :i ORDER BY room, sent LIMIT 5", "unbounded", None),
        ("SELECT DISTINCT ON (room) * FROM messages WHERE owner = :o ORDER BY room, sent", "unbounded", None),
        ("SELECT DISTINCT ON (room, sent) * FROM messages WHERE owner = :o ORDER BY room, sent, id LIMIT 5", "unbounded", None),
        ("SELECT DISTINCT room FROM messages WHERE owner = :o AND sent % :m = 0 ORDER BY room LIMIT 10", "unbounded", None),
    ],
)  # fmt: skip
def test_the_first_groups_are_read_one_by_one(sql: str, level: str, operations: int | None) -> None:
    given = answer(sql)
    assert (given.level.value, given.operations) == (level, operations)


def test_a_cut_of_each_partition_is_not_the_cut_of_all() -> None:
    """The same order and number in both: the limit was left out."""
    given = answer(
        "SELECT id FROM messages WHERE owner IN (:a, :b) QUALIFY ROW_NUMBER() OVER (PARTITION BY owner ORDER BY sent) <= 3"
        " ORDER BY sent LIMIT 3"
    )
    assert given.catalog is not None
    assert given.bounded_plan is not None
    rows = [{"id": n, "owner": n % 2, "room": None, "sent": n, "body": ""} for n in range(20)]
    store = MemoryStore.of(given.catalog, {"messages": rows})
    shown = execute(given.bounded_plan.plan, store, given.catalog, {"a": 0, "b": 1}).rows
    assert [row["id"] for row in shown] == [0, 1, 2]


def test_the_row_of_the_greatest_value_is_two_reads() -> None:
    latest = "SELECT MAX(i.since) FROM prices i WHERE i.item = o.item"
    given = answer(f"SELECT * FROM prices o WHERE o.item = :item AND o.since = ({latest})")
    assert (given.level.value, given.operations) == ("SI-0", 2)
    assert answer(f"SELECT * FROM prices o WHERE o.since = ({latest})").level.value == "unbounded"


def test_rows_with_null_are_left_out_by_an_index_rather_than_assumed_away() -> None:
    given = answer(
        "SELECT m.id, r.label FROM messages m JOIN rooms r ON r.id = m.room WHERE m.id > :i ORDER BY m.id LIMIT 9"
    )
    assert (given.level.value, given.assumes) == ("SI-1", ())


def test_a_ranking_beside_a_star() -> None:
    ranked = "SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY since DESC) AS rn FROM prices"
    assert answer(f"SELECT * FROM ({ranked}) t WHERE t.item = :i AND t.rn <= 3").level.value == "SI-0"
    assert answer(f"SELECT * FROM ({ranked}) t WHERE t.price = :p AND t.rn <= 3").level.value == "unbounded"

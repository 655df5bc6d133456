"""Rows that go or change with those that a write names: a write has a bound only if they have one.

Random references and actions, and what SQLite then deletes and changes; and the forms one by one.
"""

from __future__ import annotations

import random
import sqlite3

import pytest

from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from support.cases import scaled

ACTIONS = (
    "",
    "ON DELETE CASCADE",
    "ON DELETE SET NULL",
    "ON DELETE CASCADE ON UPDATE CASCADE",
    "ON UPDATE CASCADE",
)
WRITES = (
    "DELETE FROM t0 WHERE id = :id",
    "UPDATE t0 SET id = id + 1000 WHERE id = :id",
    "DELETE FROM t0 WHERE id < 5 ",
)


def answers(text: str, dialect: str = "postgres") -> dict[str, Answer]:
    return {
        answer.name: answer for answer in check(read_sql(text, "x.sql", dialect), Options(), advice=False)
    }


def level(schema: str, write: str, dialect: str = "postgres") -> Level:
    return answers(f"{schema}\n-- name: q\n{write};", dialect)["q"].level


class Graph:
    """Tables that refer to each other, each with few or any number of rows of one parent."""

    def __init__(self, seed: int) -> None:
        self.random = r = random.Random(seed)
        self.parents = [r.randrange(0, number) for number in range(1, 5)]
        self.actions = [r.choice(ACTIONS if r.random() < 0.3 else ACTIONS[1:]) for _ in self.parents]
        self.most = [r.choice([1, 3, 4, None]) for _ in self.parents]

    def ddl(self, limits: bool) -> str:
        tables = ["CREATE TABLE t0 (id INTEGER PRIMARY KEY NOT NULL);"]
        for number, (parent, action, most) in enumerate(
            zip(self.parents, self.actions, self.most, strict=True), 1
        ):
            limit = f", CARDINALITY LIMIT {most} (up)" if limits and most is not None else ""
            tables.append(
                f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY NOT NULL, up INTEGER REFERENCES t{parent} (id) {action}{limit});"
            )
        return "\n".join(tables)

    def database(self) -> sqlite3.Connection:
        """As many rows as the limits allow, and many where there is none."""
        connection = sqlite3.connect(":memory:")
        connection.executescript(f"PRAGMA foreign_keys = ON; {self.ddl(limits=False)}")
        connection.executemany("INSERT INTO t0 VALUES (?)", [(number,) for number in range(3)])
        for number, (parent, most) in enumerate(zip(self.parents, self.most, strict=True), 1):
            ids = [row[0] for row in connection.execute(f"SELECT id FROM t{parent}")][:12]
            rows = [(up * 50 + child, up) for up in ids for child in range(most or 30)]
            connection.executemany(f"INSERT INTO t{number} VALUES (?, ?)", rows)
        return connection


def test_no_more_rows_follow_than_the_bound_says() -> None:
    bounded = unbounded = 0
    for seed in range(scaled(400)):
        graph = Graph(seed)
        write = graph.random.choice(WRITES[:2])
        answer = answers(f"{graph.ddl(limits=True)}\n-- name: q\n{write};")["q"]
        if answer.bounded_plan is None:
            unbounded += 1
            continue
        connection = graph.database()
        before = connection.total_changes
        try:
            connection.execute(write, {"id": 1})
        except sqlite3.IntegrityError:  # a reference without an action keeps the row
            continue
        assert connection.total_changes - before <= answer.bounded_plan.bound.read, (
            seed,
            graph.ddl(limits=True),
            write,
        )
        bounded += 1
    assert bounded >= scaled(50)
    assert unbounded >= scaled(50)


PARENT = "CREATE TABLE p (id int PRIMARY KEY, k text NOT NULL UNIQUE, n int);"
MANY = f"{PARENT} CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p (id) "


@pytest.mark.parametrize(
    ("action", "write", "expected"),
    [
        ("ON DELETE CASCADE", "DELETE FROM p WHERE id = $1", Level.UNBOUNDED),
        ("ON DELETE SET NULL", "DELETE FROM p WHERE id = $1", Level.UNBOUNDED),
        ("ON DELETE SET DEFAULT", "DELETE FROM p WHERE id = $1", Level.UNBOUNDED),
        ("ON DELETE RESTRICT", "DELETE FROM p WHERE id = $1", Level.SI_0),
        ("", "DELETE FROM p WHERE id = $1", Level.SI_0),
        ("ON DELETE CASCADE", "UPDATE p SET n = 1 WHERE id = $1", Level.SI_0),
        ("ON UPDATE CASCADE", "UPDATE p SET id = $2 WHERE id = $1", Level.UNBOUNDED),
        ("ON UPDATE CASCADE", "UPDATE p SET (n, id) = (1, 2) WHERE id = $1", Level.UNBOUNDED),
        ("ON UPDATE CASCADE", "UPDATE p SET n = 1 WHERE id = $1", Level.SI_0),
        ("ON DELETE CASCADE", "DELETE FROM p USING c WHERE c.p = p.id AND c.id = $1", Level.UNBOUNDED),
        ("ON DELETE CASCADE", "DELETE FROM c USING p WHERE c.p = p.id AND c.id = $1", Level.SI_0),
        ("ON DELETE CASCADE", "DELETE FROM p WHERE id IN (SELECT id FROM p ORDER BY id LIMIT 3)", Level.UNBOUNDED),
        ("ON UPDATE CASCADE", "INSERT INTO p (id, k) VALUES (1, 'a') ON CONFLICT (k) DO UPDATE SET id = 2", Level.NOT_ANALYSED),
        ("ON UPDATE CASCADE", "INSERT INTO p (id, k) VALUES (1, 'a') ON CONFLICT (k) DO UPDATE SET n = 2", Level.SI_0),
    ],
)  # fmt: skip
def test_what_an_action_does(action: str, write: str, expected: Level) -> None:
    assert level(f"{MANY}{action});", write) is expected


def test_bounded_children_and_chains() -> None:
    schema = """CREATE TABLE p (id int PRIMARY KEY);
    CREATE TABLE c (p int NOT NULL REFERENCES p (id) ON DELETE CASCADE, slot smallint NOT NULL CHECK (slot IN (1, 2)), PRIMARY KEY (p, slot));
    CREATE TABLE d (id int PRIMARY KEY, p int, slot smallint, FOREIGN KEY (p, slot) REFERENCES c (p, slot) ON DELETE SET NULL);"""
    assert level(schema, "DELETE FROM c WHERE p = $1 AND slot = 1") is Level.UNBOUNDED
    assert level(schema, "DELETE FROM p WHERE id = $1") is Level.UNBOUNDED
    limited = schema.replace("slot smallint, FOREIGN", "slot smallint, UNIQUE (p, slot), FOREIGN")
    assert level(limited, "DELETE FROM p WHERE id = $1") is Level.SI_1
    tree = "CREATE TABLE t (id int PRIMARY KEY, up int UNIQUE REFERENCES t (id) ON DELETE CASCADE);"
    (answer,) = answers(f"{tree} DELETE FROM t WHERE id = $1;").values()
    assert answer.level is Level.UNBOUNDED
    assert "and so on" in answer.reasons[0].text


def test_references_added_later_and_rows_replaced() -> None:
    schema = f"{PARENT} CREATE TABLE c (id int PRIMARY KEY, p int);"
    added = f"{schema} ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE;"
    assert level(schema, "DELETE FROM p WHERE id = ?", "mysql") is Level.SI_0
    assert level(added, "DELETE FROM p WHERE id = ?", "mysql") is Level.UNBOUNDED
    assert level(f"{added} DROP TABLE c;", "DELETE FROM p WHERE id = ?", "mysql") is Level.SI_0
    unread = f"{schema} ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE BLAH BLAH;"
    assert level(unread, "DELETE FROM p WHERE id = ?", "mysql") is Level.NOT_ANALYSED
    both = "DELETE p, c FROM p LEFT JOIN c ON c.id = p.n WHERE p.id = ?"
    assert level(added, both, "mysql") is Level.UNBOUNDED
    replaced = "INSERT OR REPLACE INTO p (id, k) VALUES (1, 'a')"
    assert level(f"{MANY}ON DELETE CASCADE);", replaced, "sqlite") is Level.NOT_ANALYSED
    assert level(f"{MANY});", replaced, "sqlite") is Level.SI_0
    for dialect in ("mysql", "sqlite"):
        selected = "REPLACE INTO p (id, k) SELECT id, 'a' FROM c WHERE id = ?"
        assert level(f"{MANY}ON DELETE CASCADE);", selected, dialect) is Level.NOT_ANALYSED
        assert level(f"{MANY});", selected, dialect) is Level.SI_0
        assert level(f"{MANY});", selected.replace("WHERE id", "WHERE p"), dialect) is Level.UNBOUNDED
    assert level(f"{MANY});", "UPDATE OR IGNORE p SET n = 1 WHERE id = ?", "sqlite") is Level.SI_0
    assert level(f"{MANY});", "UPDATE OR REPLACE p SET n = 1 WHERE id = ?", "sqlite") is Level.NOT_ANALYSED


@pytest.mark.parametrize(
    ("trigger", "write", "runs"),
    [
        ("CREATE TRIGGER g AFTER DELETE ON p BEGIN DELETE FROM c WHERE n = old.n; END", "DELETE FROM p WHERE id = 1", True),
        ("CREATE TRIGGER IF NOT EXISTS g BEFORE UPDATE OF n, k ON main.p BEGIN SELECT 1; END", "UPDATE p SET n = 2 WHERE id = 1", True),
        ("CREATE TRIGGER g AFTER DELETE ON p BEGIN DELETE FROM c WHERE n = old.n; END", "UPDATE p SET n = 2 WHERE id = 1", False),
        ("CREATE TEMP TRIGGER g INSTEAD OF INSERT ON p BEGIN SELECT 1; END", "INSERT INTO p (id) VALUES (1)", True),
        ("CREATE TRIGGER g AFTER INSERT ON q BEGIN SELECT 1; END", "INSERT INTO p (id) VALUES (1)", False),
        ("CREATE TRIGGER g AFTER DELETE ON p BEGIN SELECT 1; END", "SELECT * FROM p WHERE id = 1", False),
    ],
)  # fmt: skip
def test_a_trigger_that_runs_with_a_write(trigger: str, write: str, runs: bool) -> None:
    schema = (
        "CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT, n INT); CREATE TABLE q (id INTEGER PRIMARY KEY);"
    )
    assert level(f"{schema}\n{trigger};", write, "sqlite") is (Level.NOT_ANALYSED if runs else Level.SI_0)


def test_triggers_of_postgres() -> None:
    schema = f"{PARENT} CREATE OR REPLACE TRIGGER g BEFORE INSERT OR UPDATE ON public.p FOR EACH ROW EXECUTE FUNCTION f();"
    assert level(schema, "UPDATE p SET n = 1 WHERE id = 1") is Level.NOT_ANALYSED
    assert level(schema, "DELETE FROM p WHERE id = 1") is Level.SI_0
    rule = f"{PARENT} CREATE RULE r AS ON DELETE TO p DO ALSO DELETE FROM c;"
    assert level(rule, "DELETE FROM p WHERE id = 1") is Level.NOT_ANALYSED
